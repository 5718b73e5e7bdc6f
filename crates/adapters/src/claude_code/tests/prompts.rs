//! Permissions, questions, plans, elicitations.

use super::{fact, seen};
use headsup_core::observation::Fact;
use headsup_core::prompt::{Actor, Answerable, NewPrompt, PromptKind, ResolvedBy, Via};
use headsup_core::status::BlockedReason;

fn opened(event: &str, members: &str) -> NewPrompt {
    match fact(event, members) {
        Fact::PromptOpened { prompt, .. } => prompt,
        other => panic!("{other:?}"),
    }
}

fn asked(tool: &str, input: &str) -> NewPrompt {
    opened("PermissionRequest", &format!(r#""tool_name":"{tool}","tool_input":{input}"#))
}

fn labels(prompt: &NewPrompt) -> Vec<(&str, &str)> {
    prompt.options.iter().map(|choice| (choice.label.as_str(), choice.value.as_str())).collect()
}

#[test]
fn a_permission_says_which_tool_wants_what() {
    let prompt = asked("Bash", r#"{"command":"touch /x","description":"Create a file"}"#);
    assert_eq!((prompt.kind, prompt.reason), (PromptKind::Permission, BlockedReason::Permission));
    assert_eq!(prompt.title, "Bash: touch /x");
    assert_eq!(prompt.body.as_deref(), Some("Create a file"));
    assert_eq!(labels(&prompt), [("Allow", "allow"), ("Deny", "deny")]);
    assert_eq!(prompt.answerable, [Answerable::Terminal]);
    assert_eq!(prompt.key, None);
    let tool = prompt.tool.unwrap();
    assert_eq!((tool.name.as_str(), tool.id), ("Bash", None));
}

#[test]
fn the_most_telling_input_is_the_title() {
    for (tool, input, title) in [
        ("Edit", r#"{"old_string":"a","file_path":"/a.rs"}"#, "Edit: /a.rs"),
        (
            "WebFetch",
            r#"{"prompt":"read","url":"https://x.example"}"#,
            "WebFetch: https://x.example",
        ),
        ("Grep", r#"{"path":"/src","pattern":"fn main"}"#, "Grep: fn main"),
        ("WebSearch", r#"{"query":"rust"}"#, "WebSearch: rust"),
        ("Agent", r#"{"prompt":"long","description":"Helper"}"#, "Agent: Helper"),
        ("mcp__db__run", r#"{"statement":"select 1"}"#, "mcp__db__run"),
        ("Bash", r#"{"command":"a\n  b"}"#, "Bash: a b"),
        ("Bash", r#"{"command":["a"]}"#, "Bash"),
    ] {
        assert_eq!(asked(tool, input).title, title);
    }
}

#[test]
fn without_a_description_the_input_is_the_body() {
    let input = r#"{"statement":"select 1"}"#;
    assert_eq!(asked("mcp__db__run", input).body.as_deref(), Some(input));
    assert_eq!(asked("mcp__db__run", "{}").body, None);
    let long = format!(r#"{{"content":"{}"}}"#, "word ".repeat(5_000));
    assert_eq!(asked("Write", &long).body.unwrap().chars().count(), 4_000);
}

#[test]
fn a_title_is_short_and_holds_no_key() {
    let command = format!(r#"{{"command":"x {} {}"}}"#, "word ".repeat(90), "y");
    assert_eq!(asked("Bash", &command).title.chars().count(), 200);
    let key = format!("{}{}", "ghp_", "a1B2c3D4".repeat(5));
    let prompt = asked("Bash", &format!(r#"{{"command":"TOKEN={key} run","text":"{key}"}}"#));
    assert_eq!(prompt.title, "Bash: TOKEN=[redacted] run");
    assert!(!prompt.body.unwrap().contains(&key));
}

#[test]
fn a_permission_for_no_named_tool_is_still_one() {
    let prompt = opened("PermissionRequest", r#""toolName":"Bash""#);
    assert_eq!((prompt.title.as_str(), prompt.tool), ("Permission needed", None));
}

#[test]
fn a_question_has_its_options_and_the_rest_in_its_body() {
    let prompt = asked(
        "AskUserQuestion",
        r#"{"questions":[
            {"question":"Which colour?","header":"Colour","multiSelect":true,"options":[
                {"label":"Red","description":"the red one"},{"label":"Blue"},{"nothing":1}]},
            {"question":"Which size?","options":[]},{"header":"Shape"},{"x":1}]}"#,
    );
    assert_eq!((prompt.kind, prompt.reason), (PromptKind::Question, BlockedReason::Question));
    assert_eq!(prompt.title, "Which colour?");
    assert_eq!(labels(&prompt), [("Red", "Red"), ("Blue", "Blue")]);
    assert_eq!(prompt.options[0].description.as_deref(), Some("the red one"));
    assert!(prompt.multi_select);
    let rest = "then question 2: Which size?\nthen question 3: Shape";
    assert_eq!(prompt.body.as_deref(), Some(rest));
}

#[test]
fn a_question_too_long_for_a_title_is_whole_in_the_body() {
    let question = "why ".repeat(100);
    let prompt =
        asked("AskUserQuestion", &format!(r#"{{"questions":[{{"question":"{question}"}}]}}"#));
    assert_eq!(prompt.title.chars().count(), 200);
    assert_eq!(prompt.body.as_deref(), Some(question.trim_end()));
}

#[test]
fn a_question_that_cannot_be_read_is_still_one() {
    for input in
        ["{}", "null", r#"{"questions":{}}"#, r#"{"questions":[]}"#, r#"{"questions":[7]}"#]
    {
        let prompt = asked("AskUserQuestion", input);
        assert_eq!((prompt.kind, prompt.title.as_str()), (PromptKind::Question, "Question"));
        assert!(prompt.options.is_empty() && !prompt.multi_select && prompt.body.is_none());
    }
}

#[test]
fn a_plan_waits_for_approval() {
    let prompt = asked("ExitPlanMode", r##"{"plan":"# Plan\n\n1. Look\n2. Mend"}"##);
    assert_eq!(prompt.kind, PromptKind::PlanApproval);
    assert_eq!(prompt.reason, BlockedReason::PlanApproval);
    assert_eq!(prompt.title, "Plan ready for approval");
    assert_eq!(prompt.body.as_deref(), Some("# Plan\n\n1. Look\n2. Mend"));
    let long = format!(r#"{{"plan":"{}"}}"#, "step\\n".repeat(2_000));
    assert_eq!(asked("ExitPlanMode", &long).body.unwrap().chars().count(), 4_000);
}

#[test]
fn a_helpers_permission_names_the_helper() {
    let members = r#""tool_name":"Bash","agent_id":"a-1","agent_type":"general-purpose""#;
    let Fact::PromptOpened { actor, .. } = fact("PermissionRequest", members) else {
        panic!("a permission is a prompt")
    };
    assert_eq!(actor, Actor::Sub("a-1".to_owned()));
}

#[test]
fn a_request_settles_where_no_person_sits() {
    let settle =
        |env: &[(&str, &str)]| match seen("PermissionRequest", r#""tool_name":"Bash""#, env).fact {
            Fact::PromptOpened { settle_ms, .. } => settle_ms,
            other => panic!("{other:?}"),
        };
    let (attended, entry) = ("CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_ENTRYPOINT");
    assert_eq!(settle(&[(attended, "1"), (entry, "cli")]), 0);
    assert_eq!(settle(&[]), 0);
    assert_eq!(settle(&[(attended, "0"), (entry, "cli")]), 1_000);
    assert_eq!(settle(&[(attended, "1"), (entry, "sdk-cli")]), 1_000);
    assert_eq!(settle(&[(entry, "sdk-cli")]), 1_000);
}

#[test]
fn an_elicitation_asks_for_a_tool_server() {
    let prompt = opened("Elicitation", r#""mcp_server_name":"demo","message":"Pick a name""#);
    assert_eq!((prompt.kind, prompt.reason), (PromptKind::Elicitation, BlockedReason::Elicitation));
    assert_eq!(prompt.title, "Pick a name");
    assert_eq!(prompt.body.as_deref(), Some("from MCP server demo"));
    assert_eq!((prompt.key, prompt.tool), (None, None));
    let keyed = opened("Elicitation", r#""elicitation_id":"e-1""#);
    assert_eq!(keyed.key.as_deref(), Some("e-1"));
    assert_eq!(keyed.title, "Input needed");
}

#[test]
fn an_elicitations_result_is_a_persons_answer_in_the_terminal() {
    for action in ["accept", "decline", "cancel"] {
        let members = format!(r#""mcp_server_name":"demo","action":"{action}""#);
        let Fact::PromptResolved { actor, reason, key, resolution } =
            fact("ElicitationResult", &members)
        else {
            panic!("a result resolves")
        };
        assert_eq!((actor, reason, key), (Actor::Main, BlockedReason::Elicitation, None));
        assert_eq!((resolution.by, resolution.via), (ResolvedBy::Human, Some(Via::Terminal)));
        assert_eq!(resolution.value.as_deref(), Some(action));
    }
}
