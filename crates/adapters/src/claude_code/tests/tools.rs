//! Tool calls.

use super::{TURN, fact};
use headsup_core::observation::Fact;
use headsup_core::prompt::{Actor, ToolRef};

const BASH: &str = r#""tool_name":"Bash","tool_use_id":"t-1","tool_input":{"command":"ls","n":1}"#;

fn helper() -> Actor {
    Actor::Sub("a-1".to_owned())
}

fn started(members: &str) -> (Actor, ToolRef) {
    match fact("PreToolUse", members) {
        Fact::ToolStarted { actor, tool, turn_ref: turn } => {
            assert_eq!(turn.as_deref(), Some(TURN));
            (actor, tool)
        }
        other => panic!("{other:?}"),
    }
}

fn ended(event: &str, members: &str) -> (Actor, Vec<ToolRef>, bool) {
    match fact(event, members) {
        Fact::ToolsEnded { actor, tools, interrupted, turn_ref: turn } => {
            assert_eq!(turn.as_deref(), Some(TURN));
            (actor, tools, interrupted)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_tool_start_is_progress_and_names_the_call() {
    let (actor, tool) = started(BASH);
    assert_eq!((actor, tool.name.as_str()), (Actor::Main, "Bash"));
    assert_eq!(tool.id.as_deref(), Some("t-1"));
    assert!(tool.input.is_some());
}

#[test]
fn a_tool_that_asks_a_person_starts_like_any_other() {
    for name in ["AskUserQuestion", "ExitPlanMode"] {
        let (_, tool) = started(&format!(r#""tool_name":"{name}","tool_input":{{}}"#));
        assert_eq!(tool.name, name);
    }
}

#[test]
fn a_helpers_tool_is_the_helpers() {
    let members = format!(r#"{BASH},"agent_id":"a-1","agent_type":"Explore""#);
    assert_eq!(started(&members).0, helper());
    for event in ["PostToolUse", "PostToolUseFailure", "PostToolBatch", "PermissionDenied"] {
        assert_eq!(ended(event, &members).0, helper(), "{event}");
    }
}

#[test]
fn a_call_is_known_again_by_its_input() {
    let same = r#""tool_name":"Bash","tool_input":{ "n":1.0, "command":"l\u0073"}"#;
    let other = r#""tool_name":"Bash","tool_input":{"command":"ls -l","n":1}"#;
    assert_eq!(started(BASH).1.input, started(same).1.input);
    assert_ne!(started(BASH).1.input, started(other).1.input);
    assert_eq!(started(r#""tool_name":"Bash""#).1.input, None);
}

#[test]
fn an_answered_question_is_the_one_that_was_asked() {
    let asked = r#""questions":[{"question":"Which?","options":[]}]"#;
    let name = r#""tool_name":"AskUserQuestion""#;
    let start = started(&format!(r#"{name},"tool_input":{{{asked}}}"#)).1;
    let answered = format!(r#"{name},"tool_input":{{{asked},"answers":{{"Which?":"Red"}}}}"#);
    assert_eq!(ended("PostToolUse", &answered).1[0].input, start.input);
}

#[test]
fn a_tools_end_carries_the_same_call() {
    let (_, start) = started(BASH);
    for event in ["PostToolUse", "PostToolUseFailure", "PermissionDenied"] {
        let (actor, tools, interrupted) = ended(event, BASH);
        assert_eq!((actor, interrupted), (Actor::Main, false), "{event}");
        assert_eq!(tools.as_slice(), std::slice::from_ref(&start), "{event}");
    }
}

#[test]
fn a_person_who_stops_a_main_tool_stops_the_turn() {
    let stopped = format!(r#"{BASH},"is_interrupt":true"#);
    assert!(ended("PostToolUseFailure", &stopped).2);
    let helpers = format!(r#"{stopped},"agent_id":"a-1""#);
    assert!(!ended("PostToolUseFailure", &helpers).2);
    assert!(!ended("PostToolUse", &stopped).2);
    assert!(!ended("PostToolUseFailure", &format!(r#"{BASH},"is_interrupt":"yes""#)).2);
}

#[test]
fn a_batch_ends_all_its_calls() {
    let call = |id: u8| {
        format!(r#"{{"tool_name":"T{id}","tool_use_id":"t-{id}","tool_response":[{{"a":1}}]}}"#)
    };
    let calls = format!(r#""tool_calls":[{},{}]"#, call(1), call(2));
    let (_, tools, _) = ended("PostToolBatch", &calls);
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["T1", "T2"]);
    for none in ["", r#""tool_calls":null"#, r#""tool_calls":{"a":1}"#] {
        assert!(ended("PostToolBatch", none).1.is_empty(), "{none}");
    }
}

#[test]
fn a_tool_without_a_name_is_progress_all_the_same() {
    for members in ["", r#""tool_name":7"#, r#""toolName":"Bash""#] {
        assert_eq!(started(members).1.name, "unknown");
        assert_eq!(ended("PostToolUse", members).1[0].name, "unknown");
    }
}
