//! What waits for a person.

use super::{TURN, fact};
use headsup_core::observation::Fact;
use headsup_core::prompt::{Actor, NewPrompt, PromptKind};
use headsup_core::status::BlockedReason;

fn opened(event: &str, members: &str) -> (Actor, NewPrompt) {
    match fact(event, members) {
        Fact::PromptOpened { actor, prompt, settle_ms: 0, turn_ref } => {
            assert_eq!(turn_ref.as_deref(), Some(TURN));
            (actor, prompt)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_permission_is_about_the_call_that_was_started() {
    let asked = r#""tool_name":"Bash","tool_input":{"command":"rm x","description":"May I?"}"#;
    let (actor, prompt) = opened("PermissionRequest", asked);
    assert_eq!((actor, prompt.reason), (Actor::Main, BlockedReason::Permission));
    assert_eq!((prompt.title.as_str(), prompt.body.as_deref()), ("Bash: rm x", Some("May I?")));
    let call = r#""tool_name":"Bash","tool_input":{"command":"rm x"},"tool_use_id":"e""#;
    let Fact::ToolStarted { tool, .. } = fact("PreToolUse", call) else { panic!("no start") };
    assert_eq!(prompt.tool.unwrap().input, tool.input);
    let other = r#""tool_name":"Bash","tool_input":{"command":"rm y"},"tool_use_id":"e""#;
    let Fact::ToolStarted { tool: other, .. } = fact("PreToolUse", other) else { panic!() };
    assert_ne!(other.input, tool.input);
}

#[test]
fn a_question_is_a_call_that_asks() {
    let (_, prompt) = opened(
        "PreToolUse",
        r#""tool_name":"request_user_input","tool_use_id":"call-1","tool_input":{"questions":[
            {"id":"c","header":"Colour","question":"Which colour?","options":[
                {"label":"Red","description":"the red one"},{"label":"Blue"}]}]}"#,
    );
    assert_eq!((prompt.kind, prompt.title.as_str()), (PromptKind::Question, "Which colour?"));
    let labels: Vec<_> = prompt.options.iter().map(|option| option.label.as_str()).collect();
    assert_eq!(labels, ["Red", "Blue"]);
    // Its end clears it.
    assert_eq!(prompt.tool.unwrap().id.as_deref(), Some("call-1"));
}

#[test]
fn a_helpers_request_names_the_helper() {
    let (actor, _) = opened("PermissionRequest", r#""agent_id":"a-1","tool_name":"Bash""#);
    assert_eq!(actor, Actor::Sub("a-1".to_owned()));
}
