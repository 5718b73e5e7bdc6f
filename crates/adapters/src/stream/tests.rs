mod claude;
mod codex;
mod long;
mod strange;

use super::{EVENT, Stream, is_asked_for};
use crate::{HookContext, Sighting};
use headsup_core::observation::{Fact, Level};
use headsup_core::source::Source;
use headsup_core::status::BlockedReason;
use serde_json::{Value, json};
use std::ffi::OsString;

fn seen(kind: &str, body: &[u8]) -> Sighting {
    crate::hook(kind, Some(EVENT), body, &HookContext::default()).unwrap()
}

fn told(kind: &str, lines: &[u8]) -> Vec<Sighting> {
    let (mut stream, mut told) = (Stream::new(kind), Vec::new());
    stream.feed(lines, |body| told.push(seen(kind, &body)));
    stream.finish(|body| told.push(seen(kind, &body)));
    told
}

/// The levels that a recorded stream shows, one after the other, and its session.
fn recorded(kind: &str, lines: &str) -> (Vec<&'static str>, Option<String>) {
    let told = told(kind, lines.as_bytes());
    assert!(told.iter().all(|seen| seen.source == Source::EventStream));
    let levels = told.iter().filter_map(|seen| match &seen.fact {
        Fact::Level(level) => Some(level.word()),
        Fact::Nothing => None,
        other => panic!("{other:?}"),
    });
    (levels.collect(), told.last().and_then(|seen| seen.session.clone()))
}

#[test]
fn every_recorded_stream_shows_how_its_run_went() {
    for (kind, lines, end) in [
        (
            "claude-code",
            include_str!("../../fixtures/claude-code/2.1.330/print_mode/stream-plain.jsonl"),
            "done",
        ),
        (
            "claude-code",
            include_str!("../../fixtures/claude-code/2.1.330/print_mode/stream-tool.jsonl"),
            "done",
        ),
        (
            "claude-code",
            include_str!("../../fixtures/claude-code/2.1.330/print_mode/stream-auto-denied.jsonl"),
            "done",
        ),
        (
            "claude-code",
            include_str!("../../fixtures/claude-code/2.1.330/print_mode/stream-subagent.jsonl"),
            "done",
        ),
        (
            "claude-code",
            include_str!("../../fixtures/claude-code/2.1.330/print_mode/stream-api-error.jsonl"),
            "failed",
        ),
        (
            "codex",
            include_str!("../../fixtures/codex/0.169.0/exec_mode/stream-plain.jsonl"),
            "done",
        ),
        ("codex", include_str!("../../fixtures/codex/0.169.0/exec_mode/stream-tool.jsonl"), "done"),
        (
            "codex",
            include_str!("../../fixtures/codex/0.169.0/exec_mode/stream-patch.jsonl"),
            "done",
        ),
        (
            "codex",
            include_str!("../../fixtures/codex/0.169.0/exec_mode/stream-subagent.jsonl"),
            "done",
        ),
        (
            "codex",
            include_str!("../../fixtures/codex/0.169.0/exec_mode/stream-auto-denied.jsonl"),
            "done",
        ),
        (
            "codex",
            include_str!("../../fixtures/codex/0.169.0/exec_mode/stream-resume.jsonl"),
            "done",
        ),
        (
            "codex",
            include_str!("../../fixtures/codex/0.169.0/exec_mode/stream-api-error.jsonl"),
            "failed",
        ),
        (
            "gemini-cli",
            include_str!("../../fixtures/gemini-cli/0.61.0/headless_text/stream.jsonl"),
            "done",
        ),
        (
            "gemini-cli",
            include_str!("../../fixtures/gemini-cli/0.61.0/headless_multi/stream.jsonl"),
            "done",
        ),
        (
            "gemini-cli",
            include_str!("../../fixtures/gemini-cli/0.61.0/headless_task/stream.jsonl"),
            "done",
        ),
        (
            "gemini-cli",
            include_str!("../../fixtures/gemini-cli/0.61.0/headless_error_400/stream.jsonl"),
            "failed",
        ),
        (
            "qwen-code",
            include_str!("../../fixtures/qwen-code/0.24.4/headless_tool/stream.jsonl"),
            "done",
        ),
        ("opencode", include_str!("../../fixtures/opencode/1.18.33/run_json/text.jsonl"), "done"),
        ("opencode", include_str!("../../fixtures/opencode/1.18.33/run_json/tool.jsonl"), "done"),
        (
            "opencode",
            include_str!("../../fixtures/opencode/1.18.33/run_json/question.jsonl"),
            "done",
        ),
    ] {
        let (levels, session) = recorded(kind, lines);
        assert_eq!(levels.last(), Some(&end), "{kind}: {levels:?}");
        assert_eq!(levels.iter().filter(|level| **level == "working").count(), 1, "{levels:?}");
        assert!(session.is_some(), "{lines}");
    }
    let error = include_str!("../../fixtures/opencode/1.18.33/run_json/error-400.jsonl");
    assert_eq!(recorded("opencode", error).0, ["failed"]);
    // It was denied, and the program says no more.
    let denied = include_str!("../../fixtures/opencode/1.18.33/run_json/perm.jsonl");
    assert_eq!(recorded("opencode", denied).0, ["working"]);
}

/// `sdk_stream_json`: what the host was told.
#[test]
fn a_host_that_is_asked_for_permission_blocks_it() {
    let text = include_str!("../../fixtures/claude-code/2.1.330/sdk_stream_json/timeline.jsonl");
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let out = rows.filter(|row| row["src"] == "sdk" && row["dir"] == "out");
    let lines: Vec<String> = out.map(|row| row["msg"].to_string()).collect();
    let lines = lines.join("\n");
    let levels: Vec<&str> = told("claude-code", lines.as_bytes())
        .iter()
        .filter_map(|seen| match &seen.fact {
            Fact::Level(level) => Some(level.word()),
            _ => None,
        })
        .collect();
    let turn = ["working", "done", "idle"];
    let asked = ["working", "blocked", "blocked", "working", "done", "idle"];
    let rest = ["working", "idle", "working", "failed", "idle"];
    assert_eq!(levels, [&turn[..], &asked, &asked, &rest].concat());
}

fn levels(kind: &str, lines: &[String]) -> Vec<&'static str> {
    let told = told(kind, lines.join("\n").as_bytes());
    let level = |seen: &Sighting| match &seen.fact {
        Fact::Level(level) => Some(level.word()),
        _ => None,
    };
    told.iter().filter_map(level).collect()
}

/// `app_server`: what the client was told.
#[test]
fn what_a_client_is_told_of_its_threads_is_one_agents() {
    let text = include_str!("../../fixtures/codex/0.169.0/app_server/timeline.jsonl");
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let out = rows.filter(|row| row["src"] == "rpc" && row["dir"] == "out");
    let lines: Vec<String> = out.map(|row| row["msg"].to_string()).collect();
    let asked = ["working", "blocked", "working", "done"];
    let start = ["idle", "working", "done", "working", "done"];
    let rest = ["working", "idle", "working", "failed"];
    assert_eq!(levels("codex", &lines), [&start[..], &asked, &asked, &rest].concat());

    // Two at once: what waits and what works comes before what rests.
    let status = |thread: &str, kind: &str| {
        let params = json!({"threadId": thread, "status": {"type": kind, "activeFlags": []}});
        json!({"method": "thread/status/changed", "params": params}).to_string()
    };
    let over = |thread: &str| {
        let turn = json!({"id": "t", "status": "completed"});
        let params = json!({"threadId": thread, "turn": turn});
        json!({"method": "turn/completed", "params": params}).to_string()
    };
    let ask = json!({"id": 7, "method": "item/fileChange/requestApproval",
        "params": {"threadId": "b"}});
    let lines = [status("a", "active"), status("b", "active"), ask.to_string(), over("a")];
    assert_eq!(levels("codex", &lines), ["working", "blocked"]);
    let closed = json!({"method": "thread/closed", "params": {"threadId": "b"}}).to_string();
    let lines = [&lines[..], &[closed, over("a")]].concat();
    assert_eq!(levels("codex", &lines), ["working", "blocked", "idle", "done"]);
}

#[test]
fn an_app_server_on_a_socket_writes_nothing_to_its_output() {
    let asked = |words: &str| {
        let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        is_asked_for("codex", &words)
    };
    assert!(asked("app-server") && asked("app-server --listen stdio://"));
    assert!(!asked("app-server --listen unix://") && !asked("fix the app-server"));
    assert!(asked("app-server --listen=stdio://") && !asked("app-server --listen=unix://"));
}

#[test]
fn what_waits_and_what_failed_is_told_with_its_reason() {
    let request = json!({"type": "control_request",
        "request": {"subtype": "can_use_tool", "tool_name": "Bash"}});
    let told_of = told("claude-code", request.to_string().as_bytes());
    let detail = Some("Bash".to_owned());
    let blocked = Level::Blocked { reason: BlockedReason::Permission, detail };
    assert_eq!(told_of[0].fact, Fact::Level(blocked));
    let failed = json!({"type": "result", "status": "error", "error": {"type": "quota"}});
    let told_of = told("gemini-cli", failed.to_string().as_bytes());
    assert_eq!(told_of[0].fact, Fact::Level(Level::Failed { code: "quota".into() }));
}

#[test]
fn what_a_helper_says_and_what_is_no_line_of_it_shows_nothing() {
    for (kind, line) in [
        ("claude-code", r#"{"type":"assistant","parent_tool_use_id":"toolu_1"}"#),
        ("claude-code", r#"{"type":"system","subtype":"hook_started"}"#),
        ("codex", r#"{"type":"error","message":"Reconnecting... 1/5"}"#),
        ("gemini-cli", "plain words"),
        ("opencode", r#"["step_start"]"#),
        ("qwen-code", "{"),
        ("amp", r#"{"type":"result","subtype":"success"}"#),
    ] {
        assert!(told(kind, line.as_bytes()).is_empty(), "{line}");
    }
    let junk = seen("codex", b"\xff");
    assert!(matches!(junk.fact, Fact::NotUnderstood { .. }));
    let level = seen("codex", br#"{"level":"of tomorrow"}"#);
    assert!(matches!(level.fact, Fact::NotUnderstood { .. }));
}

#[test]
fn a_stream_is_read_where_it_is_asked_for() {
    for (kind, words, is) in [
        ("claude-code", "-p hi --output-format stream-json --verbose", true),
        ("claude-code", "--print --output-format=stream-json hi", true),
        ("claude-code", "-p hi --output-format json", false),
        ("claude-code", "--output-format stream-json", false),
        ("claude-code", "--output-format stream-json --verbose --input-format stream-json", true),
        ("claude-code", "--input-format=stream-json --output-format=stream-json", true),
        ("claude-code", "--input-format stream-json", false),
        ("claude-code", "--input-format text --output-format stream-json", false),
        ("codex", "exec --json hi", true),
        ("codex", "--json", false),
        ("opencode", "run --format json hi", true),
        ("kilo", "run hi --format=json", true),
        ("opencode", "run hi", false),
        ("gemini-cli", "-p hi -o stream-json", true),
        ("qwen-code", "-p hi --output-format stream-json", true),
        ("gemini-cli", "-p hi -o json", false),
        ("custom", "-o stream-json", false),
    ] {
        let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        assert_eq!(is_asked_for(kind, &words), is, "{kind} {words:?}");
    }
}

#[test]
fn what_stands_is_said_again_only_while_it_is_busy() {
    let mut stream = Stream::new("codex");
    assert_eq!(stream.stands(), None);
    stream.feed(b"{\"type\":\"turn.started\"}\n", |_| {});
    let stands = stream.stands().unwrap();
    assert_eq!(seen("codex", &stands).fact, Fact::Level(Level::Working { reason: None }));
    stream.feed(b"{\"type\":\"turn.completed\"}\n", |_| {});
    assert_eq!(stream.stands(), None);
    // Where something was lost, rest is said as well.
    let rests = stream.rests().unwrap();
    assert_eq!(seen("codex", &rests).fact, Fact::Level(Level::Done));
    stream.feed(b"{\"type\":\"turn.started\"}\n", |_| {});
    assert_eq!((stream.rests(), Stream::new("codex").rests()), (None, None));
}

#[test]
fn what_the_client_has_answered_is_no_longer_asked() {
    let ask = |id: &str| {
        let request = json!({"subtype": "can_use_tool", "tool_name": "Bash"});
        format!("{}\n", json!({"type": "control_request", "request_id": id, "request": request}))
    };
    let answer = |id: &str| {
        let response = json!({"subtype": "success", "request_id": id, "response": {}});
        format!("{}\n", json!({"type": "control_response", "response": response}))
    };
    let withdraw =
        |id: &str| format!("{}\n", json!({"type": "control_cancel_request", "request_id": id}));
    let mut stream = Stream::new("claude-code");
    let mut levels = Vec::new();
    for (of_client, line) in [
        (false, ask("1")),
        (true, answer("0")),
        (false, ask("2")),
        (true, answer("1")),
        (true, answer("2")),
        (true, answer("2")),
        (false, ask("3")),
        (false, withdraw("3")),
        (true, "not JSON\n".to_owned()),
    ] {
        let mut told = 0;
        let tell = |body: Vec<u8>| {
            if let Fact::Level(level) = seen("claude-code", &body).fact {
                levels.push(level.word());
            }
            told += 1;
        };
        match of_client {
            true => stream.feed_answers(line.as_bytes(), tell),
            false => stream.feed(line.as_bytes(), tell),
        }
        assert!(told <= 1, "{line}");
    }
    assert_eq!(levels, ["blocked", "working", "blocked", "working"]);
    let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
    assert!(super::is_answered("claude-code", &words("-p --input-format stream-json")));
    assert!(super::is_answered("qwen-code", &words("--input-format=stream-json")));
    assert!(!super::is_answered("claude-code", &words("-p --input-format text")));
    assert!(!super::is_answered("codex", &words("--input-format stream-json")));
}

#[test]
fn a_run_that_does_one_thing_and_leaves_is_known_by_its_words() {
    let is = |kind: &str, line: &str| {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        super::is_one_run(kind, &words)
    };
    for (kind, line) in [
        ("claude-code", "-p --output-format stream-json hello"),
        ("codex", "exec --json hello"),
        ("codex", "e --json hello"),
        ("codex", "-m x review --uncommitted"),
        ("opencode", "run --format json hello"),
        ("gemini-cli", "--prompt=hello -o stream-json"),
        ("qwen-code", "hello --output-format stream-json"),
        ("qwen-code", "-y -p hello"),
        ("qwen-code", "-y --model scripted hello"),
        ("copilot-cli", "--yolo -p hello"),
        ("copilot-cli", "-phello"),
        ("copilot-cli", "--prompt=hello"),
    ] {
        assert!(is(kind, line), "{kind} {line}");
    }
    for (kind, line) in [
        // Its client goes on talking to it.
        ("claude-code", "-p --output-format stream-json --input-format stream-json"),
        ("codex", "app-server"),
        ("codex", "hello"),
        ("codex", "-m x -- e"),
        ("opencode", "--continue"),
        ("gemini-cli", "-i hello"),
        ("gemini-cli", "hello"),
        ("qwen-code", "-i hello"),
        ("qwen-code", "-y --prompt-interactive=hello"),
        ("qwen-code", "serve --port 1"),
        // It may be one more tool.
        ("qwen-code", "--allowed-tools ls cat"),
        ("copilot-cli", "-i hello"),
        ("copilot-cli", "--plan --model hello"),
        ("custom", "exec -p run"),
    ] {
        assert!(!is(kind, line), "{kind} {line}");
    }
}

/// The levels that a run of Claude Code shows.
fn run(lines: &[Value]) -> Vec<&'static str> {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    levels("claude-code", &lines)
}

fn assistant() -> Value {
    json!({"type": "assistant"})
}

fn result() -> Value {
    json!({"type": "result", "subtype": "success", "is_error": false})
}

fn state(state: &str) -> Value {
    json!({"type": "system", "subtype": "session_state_changed", "state": state})
}

fn ask(id: &str) -> Value {
    let call = format!("toolu_{id}");
    let request = json!({"subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": call});
    json!({"type": "control_request", "request_id": id, "request": request})
}

fn result_of(call: &str, helper: Option<&str>) -> Value {
    let content = json!([{"type": "tool_result", "tool_use_id": call, "content": "no"}]);
    json!({"type": "user", "message": {"content": content}, "parent_tool_use_id": helper})
}

#[test]
fn what_is_asked_is_waited_for_whatever_else_goes_on() {
    let status = json!({"type": "system", "subtype": "status"});
    let others = [result_of("toolu_2", None), json!({"type": "stream_event"}), status, assistant()];
    for (end, shows) in [
        (result_of("toolu_1", None), "working"),
        (result_of("toolu_1", Some("toolu_0")), "working"),
        (json!({"type": "control_cancel_request", "request_id": "1"}), "working"),
        (json!({"type": "control_response", "response": {"request_id": "1"}}), "working"),
        (state("running"), "working"),
        (state("idle"), "idle"),
        (result(), "done"),
    ] {
        for waits in [vec![ask("1")], vec![state("requires_action"), ask("1")]] {
            let lines =
                [&[assistant()][..], &waits[..], &others, std::slice::from_ref(&end)].concat();
            let shown = run(&lines);
            // What it waits for is told as soon as it is known.
            assert!(shown.ends_with(&["blocked", shows]), "{end}: {shown:?}");
            assert_eq!(shown.len(), 2 + waits.len(), "{end}: {shown:?}");
        }
    }
    let lines = [assistant(), ask("1"), ask("3"), result_of("toolu_3", None), assistant()];
    assert_eq!(run(&lines), ["working", "blocked"], "the other one still waits");
}

#[test]
fn a_run_that_says_that_it_waits_does_so_until_it_says_otherwise() {
    let lines = [assistant(), state("requires_action"), result_of("toolu_2", None), assistant()];
    assert_eq!(run(&lines), ["working", "blocked"]);
    let ends = [(state("running"), "working"), (state("idle"), "idle"), (result(), "done")];
    for (end, shows) in ends {
        assert_eq!(run(&[&lines[..], &[end]].concat()), ["working", "blocked", shows]);
    }
}

/// The form of the list: `sdk.d.ts` of 2.1.203 and later (read).
fn behind(kinds: &[&str]) -> Value {
    let task = |kind: &&str| json!({"task_id": "b1", "task_type": kind, "description": "x"});
    let tasks: Vec<Value> = kinds.iter().map(task).collect();
    json!({"type": "system", "subtype": "background_tasks_changed", "tasks": tasks})
}

#[test]
fn a_result_is_no_end_while_helpers_go_on_behind_it() {
    let helper = || behind(&["local_bash", "local_agent"]);
    assert_eq!(run(&[assistant(), helper(), result(), state("idle")]), ["working"]);
    // The last one is over, and wakes the agent.
    let woken = [assistant(), helper(), result(), behind(&[]), assistant(), result()];
    assert_eq!(run(&woken), ["working", "done", "working", "done"]);
    let failed = json!({"type": "result", "subtype": "error_max_turns"});
    assert_eq!(run(&[assistant(), helper(), failed]), ["working", "failed"]);
}

#[test]
fn helpers_go_on_where_their_list_has_another_name_or_form() {
    let renamed = json!({"items": [{"task_type": "local_agent"}]});
    for form in [renamed, json!({"tasks": null}), json!({"tasks": {"b1": "local_agent"}})] {
        let mut line = form.clone();
        line["type"] = "system".into();
        line["subtype"] = "background_tasks_changed".into();
        let lines = [assistant(), behind(&["local_agent"]), line, result()];
        assert_eq!(run(&lines), ["working"], "{form}");
        assert_eq!(run(&[&lines[..], &[behind(&[])]].concat()), ["working", "done"], "{form}");
    }
}

#[test]
fn a_result_with_shells_behind_it_is_rest_and_says_how_many() {
    let shells = behind(&["local_bash", "local_bash"]);
    let said = [assistant(), shells, result()];
    let lines: Vec<String> = said.iter().map(Value::to_string).collect();
    let told = told("claude-code", lines.join("\n").as_bytes());
    assert_eq!(told.last().unwrap().fact, Fact::Level(Level::Idle { shells: 2 }));
    let mut watcher = behind(&["local_agent"]);
    watcher["tasks"][0]["ambient"] = true.into();
    assert_eq!(run(&[assistant(), watcher, result()]), ["working", "done"], "no activity");
}

#[test]
fn an_error_is_never_called_a_success() {
    for (more, code) in [
        (json!({}), "error"),
        (json!({"subtype": "error_max_turns"}), "error_max_turns"),
        (json!({"api_error_type": "overloaded_error"}), "overloaded_error"),
    ] {
        let mut end = json!({"type": "result", "subtype": "success", "is_error": true});
        end.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let told = told("claude-code", end.to_string().as_bytes());
        let failed = Fact::Level(Level::Failed { code: code.to_owned() });
        assert_eq!(told.last().unwrap().fact, failed, "{end}");
    }
}
