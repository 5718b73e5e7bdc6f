//! Lines that say what no version has said that is known.

use super::{assistant, levels, seen, told};
use crate::stream::{Stream, lost};
use headsup_core::observation::{Fact, Level};
use headsup_core::source::Source;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// What is counted of some lines: the name of each, and its member.
fn counted(kind: &str, lines: &[Value]) -> Vec<String> {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    let told = told(kind, lines.join("\n").as_bytes());
    let strange = told.iter().filter_map(|seen| Some(format!("{}.{}", seen.event, seen.strange?)));
    strange.collect()
}

#[test]
fn what_a_line_says_anew_changes_nothing_and_is_counted() {
    let request = json!({"subtype": "dreamt"});
    for (kind, line, name) in [
        ("claude-code", json!({"type": "dreamt"}), "dreamt.type"),
        ("claude-code", json!({"kind": "assistant"}), "line.type"),
        ("claude-code", json!({"type": "system", "subtype": "dreamt"}), "system/dreamt.subtype"),
        ("claude-code", json!({"type": "system"}), "system.subtype"),
        (
            "claude-code",
            json!({"type": "system", "subtype": "session_state_changed", "state": "dreamt"}),
            "system/session_state_changed.state",
        ),
        (
            "claude-code",
            json!({"type": "system", "subtype": "background_tasks_changed", "items": []}),
            "system/background_tasks_changed.tasks",
        ),
        (
            "claude-code",
            json!({"type": "system", "subtype": "status", "status": "dreamt"}),
            "system/status.status",
        ),
        (
            "claude-code",
            json!({"type": "system", "subtype": "status", "status": {"type": "requesting"}}),
            "system/status.status",
        ),
        (
            "claude-code",
            json!({"type": "system", "subtype": "background_tasks_changed",
                "tasks": [{"task_type": "dreamt"}]}),
            "system/background_tasks_changed.tasks",
        ),
        (
            "claude-code",
            json!({"type": "control_request", "request_id": "1", "request": request}),
            "control_request.subtype",
        ),
        ("qwen-code", json!({"type": "dreamt"}), "dreamt.type"),
        ("codex", json!({"type": "item.dreamt"}), "item.dreamt.type"),
        ("codex", json!({"kind": "turn.completed"}), "line.type"),
        ("codex", json!({"method": "thread/dreamt"}), "thread/dreamt.method"),
        (
            "codex",
            json!({"method": "thread/status/changed", "params":
                {"threadId": "a", "status": {"type": "dreamt"}}}),
            "thread/status/changed.status",
        ),
        (
            "codex",
            json!({"method": "thread/status/changed", "params":
                {"threadId": "a", "status": {"type": "active", "flags": ["waitingOnApproval"]}}}),
            "thread/status/changed.status",
        ),
        (
            "codex",
            json!({"method": "turn/completed", "params":
                {"threadId": "a", "turn": {"status": "dreamt"}}}),
            "turn/completed.status",
        ),
        ("gemini-cli", json!({"type": "dreamt"}), "dreamt.type"),
        ("opencode", json!({"type": "dreamt"}), "dreamt.type"),
        ("kilo", json!({"type": ["step_start"]}), "line.type"),
    ] {
        let told = told(kind, line.to_string().as_bytes());
        let facts: Vec<&Fact> = told.iter().map(|seen| &seen.fact).collect();
        assert_eq!(facts, [&Fact::Nothing], "{line}");
        // Said again it is no news.
        assert_eq!(counted(kind, &[line.clone(), line.clone()]), [name], "{line}");
    }
}

#[test]
fn an_end_that_nobody_can_read_is_neither_success_nor_rest_and_is_counted() {
    let worked = |kind: &str| {
        if kind == "gemini-cli" { json!({"type": "message"}) } else { assistant() }
    };
    let result = |member: &str| json!({"type": "result", member: "dreamt", "is_error": false});
    let success = |truth: Value| json!({"type": "result", "subtype": "success", "is_error": truth});
    let renamed = json!({"type": "result", "subtype": "success", "isError": true});
    for (kind, line, name) in [
        ("claude-code", result("subtype"), "result/dreamt.subtype"),
        ("claude-code", result("sub_type"), "result.subtype"),
        ("claude-code", success(json!("true")), "result/success.is_error"),
        ("claude-code", success(Value::Null), "result/success.is_error"),
        ("claude-code", renamed.clone(), "result/success.is_error"),
        ("qwen-code", renamed, "result/success.is_error"),
        ("gemini-cli", result("status"), "result.status"),
        ("gemini-cli", result("state"), "result.status"),
    ] {
        let lines = [worked(kind), line.clone(), line.clone()];
        let text = lines.each_ref().map(Value::to_string).join("\n");
        let facts: Vec<Fact> = told(kind, text.as_bytes())
            .into_iter()
            .map(|seen| seen.fact)
            .filter(|fact| *fact != Fact::Nothing)
            .collect();
        let works = Fact::Level(Level::Working { reason: None });
        assert_eq!(facts, [works, Fact::TurnUnanswered], "{line}");
        assert_eq!(counted(kind, &lines), [name]);
        // What goes on behind it is read as ever, and before any work it ends nothing.
        let anew = [worked(kind), line.clone(), worked(kind)];
        assert_eq!(levels(kind, &anew.each_ref().map(Value::to_string)), ["working", "working"]);
        let alone = told(kind, line.to_string().as_bytes());
        assert!(alone.iter().all(|seen| seen.fact == Fact::Nothing), "{line}");
    }
    let failed = json!({"type": "result", "is_error": true});
    let told = told("claude-code", failed.to_string().as_bytes());
    assert_eq!(told[0].fact, Fact::Level(Level::Failed { code: "error".to_owned() }));
}

#[test]
fn an_end_that_nobody_can_read_waits_for_helpers_and_is_no_rest() {
    let behind = |tasks: Value| json!({"type": "system", "subtype": "background_tasks_changed", "tasks": tasks});
    let state = json!({"type": "system", "subtype": "session_state_changed", "state": "idle"});
    let end = json!({"type": "result", "subtype": "success"});
    let facts = |lines: &[Value]| {
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        let told = told("claude-code", lines.join("\n").as_bytes());
        told.iter().filter(|seen| seen.fact == Fact::TurnUnanswered).count()
    };
    assert_eq!(facts(&[assistant(), end.clone(), state]), 1);
    let helper = behind(json!([{"task_type": "local_agent"}]));
    let lines = [assistant(), helper, end];
    assert_eq!(facts(&lines), 0);
    assert_eq!(facts(&[&lines[..], &[behind(json!([]))]].concat()), 1);
}

/// Another step may follow.
#[test]
fn the_end_of_a_step_with_a_reason_that_nobody_knows_is_no_rest() {
    let step = |reason: &str| json!({"type": "step_finish", "part": {"reason": reason}});
    let lines = [json!({"type": "step_start"}), json!({"type": "tool_use"}), step("tool_calls")];
    assert_eq!(levels("opencode", &lines.each_ref().map(Value::to_string)), ["working"]);
    assert_eq!(counted("opencode", &lines), ["step_finish.reason"]);
    let rests = [json!({"type": "step_start"}), step("length")];
    assert_eq!(levels("opencode", &rests.each_ref().map(Value::to_string)), ["working", "idle"]);
}

#[test]
fn a_status_that_nobody_knows_brings_no_ended_run_back_to_work() {
    let status = |word: &str| json!({"type": "system", "subtype": "status", "status": word});
    let end = json!({"type": "result", "subtype": "success", "is_error": false});
    let lines = [assistant(), end, status("cooldown")];
    let shown = |lines: &[Value]| {
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        levels("claude-code", &lines)
    };
    assert_eq!(shown(&lines), ["working", "done"]);
    assert_eq!(counted("claude-code", &lines), ["system/status.status"]);
    for known in ["compacting", "requesting"] {
        let works = [&lines[..], &[status(known)]].concat();
        assert_eq!(shown(&works), ["working", "done", "working"], "{known}");
    }
}

/// It may be a helper, or a shell.
#[test]
fn a_result_before_something_that_nobody_knows_is_no_end_and_is_counted() {
    let behind = |tasks: Value| json!({"type": "system", "subtype": "background_tasks_changed", "tasks": tasks});
    let end = json!({"type": "result", "subtype": "success", "is_error": false});
    let shown = |lines: &[Value]| {
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        levels("claude-code", &lines)
    };
    for task in [json!({"task_type": "local_shell"}), json!({"type": "local_bash"}), json!("b1")] {
        let lines = [assistant(), behind(json!([task])), end.clone()];
        assert_eq!(shown(&lines), ["working"], "{task}");
        let names = ["system/background_tasks_changed.tasks", "result/success.tasks"];
        assert_eq!(counted("claude-code", &lines), names, "{task}");
        let over = [&lines[..], &[behind(json!([]))]].concat();
        assert_eq!(shown(&over), ["working", "done"], "{task}");
    }
    // What is known beside it counts as ever.
    let helpers = json!([{"task_type": "local_agent"}]);
    let unread = behind(json!([{"type": "local_agent"}]));
    let state = json!({"type": "system", "subtype": "session_state_changed", "state": "idle"});
    let lines = [assistant(), behind(helpers), unread, end, state, behind(json!([]))];
    assert_eq!(shown(&lines), ["working", "done"]);
    for kind in ["remote_agent", "local_workflow", "monitor_mcp", "dream"] {
        let known = [behind(json!([{"task_type": kind}]))];
        assert_eq!(counted("claude-code", &known), [""; 0], "{kind}");
    }
}

#[test]
fn a_flag_that_nobody_knows_hides_none_that_is_known() {
    let status = json!({"type": "active", "activeFlags": ["dreamt", "waitingOnApproval"]});
    let params = json!({"threadId": "a", "status": status});
    let lines = [json!({"method": "thread/status/changed", "params": params})];
    assert_eq!(levels("codex", &lines.each_ref().map(Value::to_string)), ["blocked"]);
    assert_eq!(counted("codex", &lines), ["thread/status/changed.activeFlags"]);
}

#[test]
fn a_line_that_nobody_knows_names_no_session() {
    let lines = [
        json!({"type": "assistant", "session_id": "s-1"}),
        json!({"type": "dreamt", "session_id": "s-2"}),
        json!({"type": "result", "subtype": "success", "is_error": false, "session_id": "s-1"}),
    ];
    let lines = lines.map(|line| line.to_string()).join("\n");
    let told = told("claude-code", lines.as_bytes());
    let sessions: Vec<&str> = told.iter().filter_map(|seen| seen.session.as_deref()).collect();
    assert_eq!(sessions, ["s-1"; 3]);
}

/// Nothing of a run that has ended brings it back to work.
#[test]
fn an_unknown_item_is_no_work() {
    let lines = ["turn.started", "turn.completed", "item.dreamt"];
    let lines = lines.map(|kind| json!({"type": kind}).to_string());
    assert_eq!(levels("codex", &lines), ["working", "done"]);
}

#[test]
fn a_stream_tells_of_few_kinds_each_once_and_says_whose_it_is() {
    let mut stream = Stream::new("codex");
    let mut told = Vec::new();
    let mut feed = |line: Value| {
        let line = format!("{line}\n");
        stream.feed(line.as_bytes(), |body| told.push(seen("codex", &body)));
    };
    feed(json!({"type": "thread.started", "thread_id": "t-1"}));
    for number in 0..500 {
        feed(json!({"type": format!("dreamt {number}")}));
    }
    feed(json!({"type": "turn.started"}));
    let (strange, rest): (Vec<_>, Vec<_>) =
        told.into_iter().partition(|seen| seen.strange.is_some());
    assert_eq!((strange.len(), rest.len()), (64, 2));
    assert!(strange.iter().all(|seen| seen.session.as_deref() == Some("t-1")));
    let told = seen("codex", br#"{"event":"x","strange":"of tomorrow"}"#);
    assert_eq!((told.event.as_str(), told.strange), ("x", None));
}

/// It may have been its end.
#[test]
fn what_could_not_be_read_lets_a_run_grow_old_until_something_can_be() {
    for (kind, works, unread, says_nothing) in [
        (
            "claude-code",
            assistant(),
            json!({"type": "turn_result", "subtype": "success"}),
            json!({"type": "system", "subtype": "hook_response"}),
        ),
        (
            "claude-code",
            assistant(),
            json!({"type": "system", "subtype": "session_state_changed", "state": "dreamt"}),
            json!({"type": "rate_limit_event"}),
        ),
        (
            "codex",
            json!({"type": "turn.started"}),
            json!({"type": "turn.over"}),
            json!({"type": "thread.started"}),
        ),
        (
            "opencode",
            json!({"type": "step_start"}),
            json!({"type": "step_finish", "part": {"why": "stop"}}),
            json!({"type": "dreamt"}),
        ),
    ] {
        let mut stream = Stream::new(kind);
        let mut stands = |line: &Value| {
            stream.feed(format!("{line}\n").as_bytes(), |_| ());
            (stream.stands().is_some(), stream.rests().is_some())
        };
        assert_eq!(stands(&works), (true, false), "{kind}");
        assert_eq!(stands(&unread), (false, false), "{kind}: it is not known to rest");
        assert_eq!(stands(&says_nothing), (false, false), "{kind}");
        assert_eq!(stands(&works), (true, false), "{kind}");
    }
}

/// Files of a program's recordings.
fn recordings(kind: &str, wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(kind)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true => folders.push(path),
                false if wanted(&path) => files.push(path),
                false => {}
            }
        }
    }
    files
}

fn rows(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn no_recorded_line_is_news() {
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    for (kind, least) in [
        ("claude-code", 80),
        ("codex", 160),
        ("gemini-cli", 40),
        ("opencode", 15),
        ("qwen-code", 5),
    ] {
        let mut lines = Vec::new();
        for file in recordings(kind, |path| {
            name(path).starts_with("stream") || path.parent().unwrap().ends_with("run_json")
        }) {
            if !file.parent().unwrap().ends_with("http-sse") {
                lines.extend(rows(&file));
            }
        }
        // What a program said to its client.
        for file in recordings(kind, |path| {
            let case = path.parent().unwrap();
            let is_said = ["app_server", "sdk_stream_json"].iter().any(|said| case.ends_with(said));
            is_said && name(path) == "timeline.jsonl"
        }) {
            let said = rows(&file).into_iter().filter(|row| row["dir"] == "out");
            lines.extend(said.map(|row| row["msg"].clone()));
        }
        assert!(lines.len() >= least, "{kind}: {}", lines.len());
        assert_eq!(counted(kind, &lines), [""; 0], "{kind}");
    }
}

#[test]
fn what_was_lost_of_a_stream_is_counted() {
    let told = seen("codex", &lost(7));
    let why = "7 messages could not be told".to_owned();
    assert_eq!((told.fact, told.source), (Fact::NotUnderstood { why }, Source::EventStream));
}
