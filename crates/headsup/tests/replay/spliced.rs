//! What nobody has recorded, put together from pieces that somebody has.
//!
//! Nothing is invented: each row is one that Claude Code 2.1.330 has written, and what follows what
//! is as its recordings show it elsewhere.

use crate::tape::Tape;
use serde_json::{Value, json};

pub(crate) fn tapes() -> Vec<(&'static str, Tape)> {
    vec![
        ("killed_at_a_dialog", killed_at_a_dialog()),
        ("ended_at_a_dialog", ended_at_a_dialog()),
        ("plan", plan()),
        ("queued", queued()),
        ("nested", nested()),
        ("resumed_within", resumed_within()),
        ("forked", forked()),
        ("other_dialog", other_dialog()),
        ("trust_dialog", trust_dialog()),
    ]
}

fn truth(t_ms: u64, status: &str) -> Value {
    json!({"t_ms": t_ms, "src": "truth", "status": status, "why": "spliced", "by": "action"})
}

/// The dialog of `permission_approved` is open from 2,564 on.
const DIALOG_IS_OPEN: u64 = 6_000;

fn killed_at_a_dialog() -> Tape {
    let kill = json!({"t_ms": DIALOG_IS_OPEN, "src": "action", "do": "kill", "signal": "SIGKILL"});
    let dialog = Tape::of("permission_approved").until(DIALOG_IS_OPEN);
    dialog.then(kill).then(truth(DIALOG_IS_OPEN, "crashed"))
}

/// A terminal that is closed: the goodbye is that of the recording's own end.
fn ended_at_a_dialog() -> Tape {
    let whole = Tape::of("permission_approved");
    let is_goodbye =
        |row: &&Value| row["removed"] == true || row["payload"]["hook_event_name"] == "SessionEnd";
    let goodbye: Vec<Value> = whole.rows.iter().filter(is_goodbye).cloned().collect();
    assert_eq!(goodbye.len(), 2);
    let close = json!({"t_ms": DIALOG_IS_OPEN, "src": "action", "do": "tmux kill-session"});
    let mut tape = whole.until(DIALOG_IS_OPEN).then(close).then(truth(DIALOG_IS_OPEN, "ended"));
    for (late, mut row) in (20..).step_by(15).zip(goodbye) {
        row["t_ms"] = (DIALOG_IS_OPEN + late).into();
        tape = tape.then(row);
    }
    tape
}

/// A plan is asked about in the same way as a question.
fn plan() -> Tape {
    Tape::of("question").replaced("AskUserQuestion", "ExitPlanMode")
}

/// A second prompt is typed in mid-turn: its event comes then, and nothing tells its start after
/// the first one's stop but the status file, 20 ms later.
fn queued() -> Tape {
    const LATER: u64 = 3_200;
    let whole = Tape::of("plain_turn");
    let hook = |event: &str| {
        let mut rows = whole.rows.iter();
        rows.find(|row| row["payload"]["hook_event_name"] == event).unwrap().clone()
    };
    let first = hook("Stop")["payload"]["prompt_id"].as_str().unwrap().to_owned();
    let of_second = |mut row: Value, t_ms: u64| -> Value {
        row["t_ms"] = t_ms.into();
        serde_json::from_str(&row.to_string().replace(&first, "second-prompt")).unwrap()
    };
    let stopped_at = hook("Stop")["t_ms"].as_u64().unwrap();
    let status = |word: &str, t_ms: u64| -> Value {
        let shown = |row: &&Value| row["record"]["status"] == word;
        let mut row = whole.rows.iter().find(shown).unwrap().clone();
        row["t_ms"] = t_ms.into();
        row
    };
    let idle_at = stopped_at + 60;
    let mut tape = whole.clone().until(idle_at);
    tape = tape
        .then(of_second(hook("UserPromptSubmit"), 3_500))
        .then(status("idle", idle_at))
        .then(status("busy", idle_at + 20))
        .then(of_second(hook("Stop"), stopped_at + LATER))
        .then(status("idle", idle_at + LATER))
        .then(truth(idle_at + LATER + 100, "idle"));
    tape.then(json!({"t_ms": idle_at + LATER + 1_600, "src": "model", "event": "none"}))
}

/// An agent that is run by another one's tool: its end is not the outer one's.
fn nested() -> Tape {
    let outer = Tape::of("interrupt").with_session();
    let of_outer = |row: &&Value| row["payload"]["hook_event_name"] == "PreToolUse";
    let chain = outer.rows.iter().find(of_outer).unwrap()["parents"].as_array().unwrap().clone();
    // The tool runs from 16,444 to 18,446; print mode's first run takes 443 ms.
    let mut inner = Tape::of("print_mode").until(443).at(|t_ms| t_ms + 17_000);
    inner.rows.retain(|row| row["src"] != "truth");
    for parents in inner.rows.iter_mut().filter_map(|row| row["parents"].as_array_mut()) {
        let own = parents.iter().position(|parent| parent["comm"] == "claude").unwrap();
        parents.truncate(own + 1);
        parents.extend(chain.iter().cloned());
    }
    outer.beside(inner)
}

/// `/resume` puts another conversation in this one's place as `/clear` does.
fn resumed_within() -> Tape {
    Tape::of("clear")
        .replaced("\"reason\":\"clear\"", "\"reason\":\"resume\"")
        .replaced("\"source\":\"clear\"", "\"source\":\"resume\"")
}

/// What is taken up again after a kill gets an id of its own: it is another conversation.
fn forked() -> Tape {
    let mut tape = Tape::of("resume_after_kill");
    let session = tape.session();
    for row in tape.all().filter(|row| row["t_ms"].as_u64().is_some_and(|at| at > 8_000)) {
        let text = row.to_string().replace(&session, "forked-session");
        *row = serde_json::from_str(&text.replace("\"source\":\"resume\"", "\"source\":\"fork\""))
            .unwrap();
    }
    tape
}

/// With the screen that the program showed then, and as `headsup run` starts it.
fn trust_dialog() -> Tape {
    let mut tape = Tape::of("trust_dialog");
    tape.rows[0]["by"] = "run".into();
    let screen = crate::recordings().join("../../screens/claude-code/2.1.330/trust.txt");
    let text = std::fs::read_to_string(screen).unwrap();
    tape.then(json!({"t_ms": 277, "src": "screen", "text": text}))
}

/// A dialog such as `/model` opens has no hook.
fn other_dialog() -> Tape {
    let whole = Tape::of("plain_turn");
    let idle = |row: &&Value| row["record"]["status"] == "idle";
    let idle = whole.rows.iter().rev().find(idle).unwrap().clone();
    let (mut open, mut closed) = (idle.clone(), idle);
    open["t_ms"] = 5_700.into();
    open["record"]["status"] = "waiting".into();
    open["record"]["waitingFor"] = "dialog open".into();
    closed["t_ms"] = 7_000.into();
    whole.then(open).then(truth(5_700, "blocked")).then(closed).then(truth(7_000, "idle"))
}
