//! Recordings of what an agent and its client said in the Agent Client Protocol.
//!
//! Their rows have their kind under `kind`, and a message under `msg` as JSON, or as the text that it was. An end of
//! the agent's output is the agent's; a message after that is one to the next agent.

use super::super::program::Program;
use serde_json::{Value, json};

/// The rows as all others are written; `None` where nobody speaks the protocol.
pub(super) fn rewritten(timeline: &[Value]) -> Option<Vec<Value>> {
    let speaks = |row: &Value| side(row).is_some();
    if timeline.iter().any(|row| row["src"].is_string()) || !timeline.iter().any(speaks) {
        return None;
    }
    Some(timeline.iter().filter_map(rewrite).collect())
}

/// The kind of a captured agent that no program here stands for, as one behind a proxy: nothing of it
/// is played but what the hub was told of it.
pub(super) fn captured(timeline: &[Value]) -> Option<String> {
    let head = timeline.iter().find(|row| row["src"] == "capture")?;
    let kind = head["kind"].as_str().filter(|kind| Program::of_kind(kind).is_none())?;
    Some(kind.to_owned())
}

fn rewrite(row: &Value) -> Option<Value> {
    let mut written = match (side(row), row["kind"].as_str()?) {
        (Some(from), _) => json!({ "src": "message", "from": from, "text": line(row)? }),
        (None, "truth") => json!({
            "src": "truth", "status": row["status"], "why": row["why"], "session": row["session"],
        }),
        (None, "agent_stdout_closed") => json!({ "src": "message_end", "rc": row["rc"] }),
        _ => return None,
    };
    written["t_ms"] = row["t_ms"].clone();
    Some(written)
}

fn side(row: &Value) -> Option<&'static str> {
    match row["kind"].as_str()? {
        "client_to_agent" => Some("client"),
        "agent_to_client" => Some("agent"),
        _ => None,
    }
}

/// What stood in the line: a message, or whatever it was.
fn line(row: &Value) -> Option<String> {
    let as_text = ["msg", "raw", "line"].iter().find_map(|name| row[name].as_str());
    match as_text {
        Some(text) => Some(text.to_owned()),
        None => row.get("msg").map(Value::to_string),
    }
}
