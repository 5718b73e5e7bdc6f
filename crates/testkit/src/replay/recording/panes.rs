//! Recordings of another recorder: it sat in tmux, and has the kind of a row under `kind`.
//!
//! One program is started in each, and whatever its hooks and its pane's title say is its own. It is
//! played as `headsup run` launches it, because then the title comes through a shim. What the person
//! typed is left out.

use super::super::program::Program;
use super::bus;
use serde_json::{Value, json};

/// The recorder did not tell it.
pub(super) const PID: u64 = 4_242;

/// The rows as all others are written; those that are so already stay.
pub(super) fn rewritten(timeline: Vec<Value>) -> Vec<Value> {
    if timeline.iter().any(|row| row["src"].is_string()) {
        return timeline;
    }
    let marked = timeline.iter().find_map(|row| Program::marked(&row["env"]));
    let Some(program) = marked.or_else(|| bus::program(&timeline)) else {
        return timeline;
    };
    let seats = timeline.iter().find_map(|row| row["env"]["HEADSUP_AGENT_ID"].as_str());
    let seat = seats.unwrap_or("run").to_owned();
    let mut title = String::new();
    let calls_a_plugin = bus::calls_a_plugin(&timeline);
    let of_bus = |row: &Value| {
        let known = bus::rewrite(row).filter(|row| calls_a_plugin || row["src"] != "plugin");
        known.or_else(|| bus::unknown_call(row).filter(|_| calls_a_plugin))
    };
    let row = |row: &Value| match of_bus(row) {
        Some(mut written) => {
            written["t_ms"] = row["t_ms"].clone();
            Some(written)
        }
        None => rewrite(row, program, &seat, &mut title),
    };
    let mut rows: Vec<Value> = timeline.iter().filter_map(row).collect();
    // A server is started before it is spoken to.
    let is_started = |row: &Value| row["src"] == "action" && row["do"] == "start";
    if marked.is_none() && !rows.iter().any(is_started) {
        let t_ms = timeline.iter().filter_map(super::t_ms).min();
        rows.insert(0, json!({
            "t_ms": t_ms, "src": "action", "do": "start", "by": "run", "id": seat, "cmd": "serve",
        }));
    }
    rows
}

fn rewrite(row: &Value, program: &Program, seat: &str, title: &mut String) -> Option<Value> {
    let t_ms = &row["t_ms"];
    let mut written = match row["kind"].as_str()? {
        "start" => json!({
            "src": "action", "do": "start", "by": "run", "id": seat, "cmd": row["cmd"],
        }),
        "truth" => json!({ "src": "truth", "status": row["status"], "why": row["why"] }),
        "screen" => json!({ "src": "screen", "text": row["text"] }),
        "hook" => json!({
            "src": "hook", "label": row["arg"], "env": row["env"], "payload": row["payload"],
            "parents": [{ "pid": PID, "comm": program.name }],
        }),
        // A title that the pane goes on to show has been set once.
        "tmux" if row["pane_title"] != *title => {
            row["pane_title"].as_str()?.clone_into(title);
            json!({ "src": "osc", "osc": 0, "body": row["pane_title"] })
        }
        _ => return None,
    };
    written["t_ms"] = t_ms.clone();
    Some(written)
}
