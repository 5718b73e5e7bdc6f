//! One test per decision of the tables.

mod app_server;
mod hooks;
mod prompts;
mod sighting;
mod terminal;
mod transcript;

use super::event::Event;
use super::hook;
use crate::{HookContext, Sighting};
use headsup_core::observation::Fact;

/// The turn of every payload here.
const TURN: &str = "t-1";

/// The fact of a payload, written without the members that all have.
fn fact(event: &str, members: &str) -> Fact {
    seen(event, members, &HookContext::default()).fact
}

fn seen(event: &str, members: &str, context: &HookContext) -> Sighting {
    let comma = if members.is_empty() { "" } else { "," };
    let body = format!(
        r#"{{"session_id":"s-1","cwd":"/home/dev/api","turn_id":"{TURN}","model":"gpt",
            "transcript_path":"/home/dev/.codex/sessions/2026/11/21/rollout-1.jsonl",
            "hook_event_name":"{event}"{comma}{members}}}"#
    );
    hook(None, body.as_bytes(), context)
}

#[test]
fn all_14_events_are_known() {
    assert_eq!(Event::ALL.len(), 14);
    for event in Event::ALL {
        let name = format!("{event:?}");
        assert_eq!(Event::parse(&name), Some(*event));
        let fact = fact(&name, r#""agent_id":"a-1""#);
        assert!(!matches!(fact, Fact::NotUnderstood { .. }), "{name}");
    }
    assert!(crate::hook_table::CODEX_EVENTS.iter().all(|name| Event::parse(name).is_some()));
}

#[test]
fn an_event_from_a_later_version_is_not_understood_and_named() {
    let why = "unknown event CoffeeBreak".to_owned();
    assert_eq!(fact("CoffeeBreak", ""), Fact::NotUnderstood { why });
}

#[test]
fn an_end_with_a_member_of_another_type_is_not_understood() {
    for (event, members) in [
        ("Stop", r#""turn_id":7"#),
        ("Interrupt", r#""turn_id":{}"#),
        ("SessionEnd", r#""session_id":[]"#),
    ] {
        let fact = fact(event, members);
        assert!(matches!(fact, Fact::NotUnderstood { .. }), "{event} {members}: {fact:?}");
    }
}
