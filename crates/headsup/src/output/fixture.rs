//! Agents and events for tests, as the hub would send them.

use headsup_core::event::Event;
use headsup_core::wire::AgentDoc;
use serde_json::{Value, json};

/// When nothing says otherwise.
pub(crate) const AT: &str = "2026-11-21T21:00:00.000Z";

/// An agent with this id and headline, running, with nothing special about it.
pub(crate) fn agent(id: &str, headline: &str) -> AgentDoc<'static> {
    agent_with(id, headline, json!({}))
}

/// The same, with some fields set.
pub(crate) fn agent_with(id: &str, headline: &str, fields: Value) -> AgentDoc<'static> {
    let mut doc: Value = serde_json::from_str(AGENT).unwrap();
    let turn = json!({"state": "idle", "reason": null, "detail": null, "since": AT, "turn_seq": 1});
    let own = json!({
        "id": id, "name": id, "headline": headline, "turn": turn, "evidence": evidence(),
        "since": AT, "last_status_at": AT,
    });
    for (name, value) in own.as_object().unwrap().iter().chain(fields.as_object().unwrap()) {
        doc[name] = value.clone();
    }
    serde_json::from_value(doc).unwrap()
}

const AGENT: &str = r#"{
    "schema": 1, "kind": "custom", "role": null, "labels": {}, "parent": null, "host": null,
    "cwd": "/home/ada/work", "repo": null, "branch": null, "worktree": null, "location": {},
    "incarnation": 1, "session_id": null, "model": null, "title": null, "log_path": null,
    "started_at": null, "suspended_at": null, "resumed_at": null, "stale": false,
    "process": {"state": "running", "attach": "interactive"}, "outcome": null, "seen": false,
    "stage": null, "verdicts": [], "background": {"subagents": 0, "shells": 0},
    "subagents": [], "prompts": [], "task": null, "prs": [], "last_activity": null,
    "counters": {"prompts": 1, "turns": 1, "tools": 3}
}"#;

fn evidence() -> Value {
    json!({"source": "hook", "confidence": "strong", "observed_at": AT, "confirmed_at": AT})
}

/// A permission prompt of `agent`.
pub(crate) fn prompt(agent: &str, title: &str) -> Value {
    json!({
        "id": format!("{agent}-p1"), "agent_id": agent, "kind": "permission", "title": title,
        "body": null, "options": [], "multi_select": false, "default_action": null,
        "expires_at": null, "opened_at": AT, "answerable": ["terminal"], "state": "open",
        "resolution": null,
    })
}

/// The event with number `cursor` of `agent`, so many seconds after [`AT`].
pub(crate) fn event(cursor: u32, agent: &str, body: Value) -> Event {
    let mut event = json!({
        "schema": 1, "cursor": cursor.to_string(), "agent_id": agent,
        "at": format!("2026-11-21T21:00:{cursor:02}.000Z"),
    });
    for (name, value) in body.as_object().unwrap() {
        event[name] = value.clone();
    }
    serde_json::from_value(event).unwrap()
}

/// A change of status.
pub(crate) fn changed(cursor: u32, agent: &str, from: &str, to: &str) -> Event {
    let body = json!({
        "type": "agent.status_changed", "from": from, "to": to,
        "process": {"state": "running"},
        "turn": {"state": "x", "reason": null, "detail": null, "since": AT, "turn_seq": 2},
        "outcome": null, "seen": false, "stage": null, "reason": null,
        "evidence": evidence(),
    });
    event(cursor, agent, body)
}
