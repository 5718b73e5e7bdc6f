//! Recordings of a program's own bus: as its server told it to its clients, or as it told a plugin in
//! its own process.
//!
//! Of the one, the rows are `sse` (a message), `poll` (its lists, where they changed) and `stream_end`;
//! what the recorder itself asked (`api`) is its own matter. Of the other, each row is one call of the plugin.

use super::super::program::Program;
use serde_json::{Value, json};

/// Events that only the fork has.
const OF_THE_FORK: [&str; 3] = ["session.turn.", "indexing.", "session.network."];

/// Whose bus it is, where no row names a program: the forks' recordings say so by their events.
pub(super) fn program(timeline: &[Value]) -> Option<&'static Program> {
    let speaks = |row: &Value| row["kind"] == "sse" || call(row).is_some();
    if !timeline.iter().any(speaks) {
        return None;
    }
    let events = timeline.iter().filter_map(|row| kind_of(&row["data"]));
    let mut events = events.chain(timeline.iter().filter_map(|row| kind_of(&call(row)?.1)));
    let is_fork = events.any(|event| OF_THE_FORK.iter().any(|start| event.starts_with(start)));
    Program::of_kind(if is_fork { "kilo" } else { "opencode" })
}

fn kind_of(message: &Value) -> Option<String> {
    let event = message["type"].as_str().or_else(|| message["payload"]["type"].as_str());
    event.map(str::to_owned)
}

pub(super) fn rewrite(row: &Value) -> Option<Value> {
    if let Some((call, data)) = call(row) {
        return Some(json!({ "src": "plugin", "call": call, "data": data }));
    }
    match row["kind"].as_str()? {
        "sse" => Some(json!({ "src": "bus", "data": row["data"] })),
        "poll" if row["session_status"].is_object() => Some(json!({
            "src": "bus_lists", "statuses": row["session_status"],
            "permissions": row["permissions"], "questions": row["questions"],
        })),
        "stream_end" => Some(json!({ "src": "bus_end" })),
        _ => None,
    }
}

/// What the program called of a plugin, and with what.
fn call(row: &Value) -> Option<(String, Value)> {
    let named = row["arg"][0].as_str().filter(|_| row["kind"] == "hook");
    let call = row["hook"].as_str().or(named)?;
    let given = if row["hook"].is_string() { row } else { &row["payload"] };
    // Reports of a plugin of ours have a session or none, and never these.
    let data = match call {
        "plugin.init" if given["input"].is_object() => given["input"].clone(),
        "event" if given["event"].is_object() => given["event"].clone(),
        "chat.message" if given["output"].is_object() => {
            json!({ "input": given["input"], "output": given["output"] })
        }
        "dispose" if given["input"].is_null() && given["session_id"].is_null() => json!({}),
        "config" | "chat.params" | "chat.headers" | "shell.env" => Value::Null,
        _ if call.starts_with("tool.execute.") || call.starts_with("experimental.") => Value::Null,
        _ => return None,
    };
    let call = if call == "plugin.init" { "init" } else { call };
    Some((call.to_owned(), data))
}

/// A call that nobody knows is made like any other.
pub(super) fn unknown_call(row: &Value) -> Option<Value> {
    let call = row["arg"][0].as_str().filter(|_| row["kind"] == "hook");
    let call = call.or_else(|| row["hook"].as_str())?;
    Some(json!({ "src": "plugin", "call": call, "data": null }))
}

/// Is a plugin called there, so that the hook rows are what another plugin was told?
pub(super) fn calls_a_plugin(timeline: &[Value]) -> bool {
    let calls = |row: &Value| call(row).is_some_and(|(call, _)| call == "init" || call == "event");
    timeline.iter().any(calls)
}
