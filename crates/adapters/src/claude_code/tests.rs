//! One test per decision of the table in `normalize`.

mod input;
mod prompts;
mod registry;
mod sighting;
mod tools;
mod transcript;
mod turns;

use super::event::Event;
use super::hook;
use crate::{HookContext, Sighting};
use headsup_core::observation::Fact;

/// The fact of a payload, written without the members that all have.
fn fact(event: &str, members: &str) -> Fact {
    seen(event, members, &[]).fact
}

fn seen(event: &str, members: &str, env: &[(&str, &str)]) -> Sighting {
    let comma = if members.is_empty() { "" } else { "," };
    let body = format!(
        r#"{{"session_id":"s-1","cwd":"/home/dev/api","prompt_id":"p-1",
            "transcript_path":"/home/dev/.claude/projects/-home-dev-api/s-1.jsonl",
            "hook_event_name":"{event}"{comma}{members}}}"#
    );
    hook(None, body.as_bytes(), &context(env))
}

fn context(env: &[(&str, &str)]) -> HookContext {
    let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    HookContext { env: env.collect(), ..HookContext::default() }
}

/// The turn of every payload here.
const TURN: &str = "p-1";

#[test]
fn all_33_events_are_known() {
    assert_eq!(Event::ALL.len(), 33);
    for event in Event::ALL {
        let name = format!("{event:?}");
        assert_eq!(Event::parse(&name), Some(*event));
        let seen = seen(&name, r#""agent_id":"a-1""#, &[]);
        assert!(!matches!(seen.fact, Fact::NotUnderstood { .. }), "{name}");
    }
}

#[test]
fn an_event_from_a_later_version_is_not_understood_and_named() {
    let why = "unknown event CoffeeBreak".to_owned();
    assert_eq!(fact("CoffeeBreak", ""), Fact::NotUnderstood { why });
}

#[test]
fn a_member_that_is_no_text_or_no_list_any_more_is_counted() {
    for (event, members, member) in [
        ("PreToolUse", r#""tool_name":["Bash"]"#, "tool_name"),
        ("PermissionRequest", r#""tool_name":{"id":"Bash"}"#, "tool_name"),
        ("PostToolBatch", r#""tool_calls":{}"#, "tool_calls"),
        ("StopFailure", r#""error":{"type":"rate_limit"}"#, "error"),
        ("PreToolUse", r#""tool_name":"Bash","toolUseId":"c-1""#, "tool_use_id"),
        ("PostToolUseFailure", r#""tool_name":"Bash","tool_use_id":7"#, "tool_use_id"),
        ("StopFailure", r#""error":"rate_limit","prompt_id":null"#, "prompt_id"),
        ("PreCompact", r#""trigger":"manual","prompt_id":7"#, "prompt_id"),
        ("UserPromptSubmit", r#""text":"fix it""#, "prompt"),
        ("SubagentStop", r#""agent_id":"a-1","agentType":"""#, "agent_type"),
    ] {
        assert_eq!(seen(event, members, &[]).strange, Some(member), "{members}");
    }
    for (event, members) in [
        ("PreToolUse", r#""tool_name":"Bash","tool_use_id":"c-1""#),
        ("UserPromptSubmit", r#""prompt":"fix it""#),
        ("SubagentStop", r#""agent_id":"a-1","agent_type":"""#),
        ("PostCompact", r#""trigger":"auto""#),
        ("PostToolBatch", r#""tool_calls":[]"#),
        ("StopFailure", r#""error":"rate_limit""#),
    ] {
        assert_eq!(seen(event, members, &[]).strange, None, "{members}");
    }
}

#[test]
fn an_end_with_a_member_of_another_type_is_not_understood() {
    for (event, members) in [
        ("Stop", r#""background_tasks":"x""#),
        ("Stop", r#""prompt_id":7"#),
        ("Stop", r#""session_id":5"#),
        ("StopFailure", r#""session_id":[]"#),
        ("SessionEnd", r#""session_id":{}"#),
    ] {
        let fact = fact(event, members);
        assert!(matches!(fact, Fact::NotUnderstood { .. }), "{event} {members}: {fact:?}");
    }
    assert!(matches!(fact("Stop", r#""background_tasks":null"#), Fact::TurnEnded { .. }));
}
