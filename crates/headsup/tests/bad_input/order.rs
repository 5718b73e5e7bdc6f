//! H: reports that come twice, changed, late, from another time, and all at once.

use crate::hooks::prompt;
use crate::rig::Rig;
use headsup_testkit::http;
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

pub(crate) const SORTS: &[&str] = &[
    "16 again at once",
    "16 again after a restart",
    "17 same id, other body",
    "18 out of order",
    "19 years away",
    "19 leap second",
    "19 no zone",
    "19 no time",
    "21 a thousand at once",
];

/// 16, 17, 18, 19: reports that come twice, changed, late and with a time of their own.
#[test]
fn a_report_that_comes_again_late_or_from_another_time_has_one_effect() {
    let rig = Rig::new();
    let post = |headers: &[(&str, &str)], body: &[u8]| {
        let target = "/api/v1/hooks/claude-code";
        http::request(&rig.home.socket(), "POST", target, headers, body).unwrap()
    };
    let id = [("x-headsup-id", "r16")];
    let first = prompt("r16", "");
    assert_eq!(post(&id, &first).0, 202);
    let head = rig.get("/healthz")["cursor"].clone();
    let (status, body) = post(&id, &first);
    assert_eq!((status, body.as_slice()), (200, &br#"{"schema":1,"duplicate":true}"#[..]));
    assert_eq!(rig.counter("headsup_reports_total{result=\"duplicate\"}"), 1);
    let (status, body) = post(&id, &prompt("other", ""));
    assert_eq!(status, 409, "{}", String::from_utf8_lossy(&body));
    assert_eq!(rig.counter("headsup_refusals_total{code=\"id_conflict\"}"), 1);
    assert_eq!(rig.get("/healthz")["cursor"], head);
    // Years away: what counts is when the hub took it.
    for at in ["2036-11-21T20:00:00.000Z", "2016-11-21T20:00:00.000Z"] {
        let stop = br#"{"hook_event_name":"Stop","session_id":"r16"}"#;
        assert_eq!(post(&[("x-headsup-spooled-at", at)], stop).0, 202);
        assert_eq!(post(&[], &first).0, 202);
    }
    let done = rig.home.run(["watch", "--since", "0", "--no-follow", "--json"]);
    let at = |line: &str| {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        event["at"].as_str().unwrap().to_owned()
    };
    let times: Vec<String> = done.ok().stdout.lines().map(at).collect();
    assert!(times.is_sorted(), "{times:?}");
    // A second that not every clock has is one all the same.
    let leap = [("x-headsup-spooled-at", "2016-12-31T23:59:60Z")];
    assert_eq!(post(&leap, br#"{"hook_event_name":"Stop","session_id":"r16"}"#).0, 202);
    // As is one that a report names: it is data, and no order.
    let ahead = br#"{"turn":"working","at":"2036-11-21T20:00:00Z"}"#;
    let target = "/api/v1/agents/r19/reports";
    assert_eq!(http::post(&rig.home.socket(), target, ahead).unwrap().0, 202);
    assert_eq!(rig.flaws("skew"), 4, "each of them is noted");
    for agent in ["claude-code-r16", "r19"] {
        assert_eq!(rig.noted(agent), ["skew"], "{agent}");
    }
    let doctor = rig.home.run(["doctor"]).stdout;
    assert!(doctor.contains("4 of another time by their own word (skew)"), "{doctor}");
    for bad in ["yesterday", "2026-11-21", "2026-11-21T20:00:00", "1795296597"] {
        assert_eq!(post(&[("x-headsup-spooled-at", bad)], &first).0, 400, "{bad}");
    }
    rig.stands("19");
}

/// 16: the same report before and after a restart.
#[test]
fn a_report_that_comes_again_after_a_restart_has_no_second_effect() {
    let mut rig = Rig::new();
    let id = [("x-headsup-id", "r16-again")];
    let target = "/api/v1/hooks/claude-code";
    let body = prompt("r16", "");
    let post = |rig: &Rig| http::request(&rig.home.socket(), "POST", target, &id, &body).unwrap();
    assert_eq!(post(&rig).0, 202);
    let head = rig.get("/healthz")["cursor"].clone();
    for _ in 0..2 {
        rig.restart();
        let (status, answer) = post(&rig);
        assert_eq!((status, answer.as_slice()), (200, &br#"{"schema":1,"duplicate":true}"#[..]));
        assert_eq!(rig.get("/healthz")["cursor"], head);
    }
}

/// 18: the end of a turn, and behind it what came before it. There is no number in what agents
/// say: what comes is taken as it comes, and a call that its own end has overtaken is history.
#[test]
fn what_comes_behind_its_own_end_is_history() {
    let rig = Rig::new();
    let post = |event: &str, more: serde_json::Value| {
        let mut body = json!({
            "hook_event_name": event, "session_id": "r18", "cwd": "/home/dev/r18",
            "prompt_id": "p1", "background_tasks": [],
        });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let target = "/api/v1/hooks/claude-code";
        let body = body.to_string();
        assert_eq!(http::post(&rig.home.socket(), target, body.as_bytes()).unwrap().0, 202);
    };
    let call = json!({"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "ls"}});
    post("UserPromptSubmit", json!({"prompt": "go"}));
    post("PostToolUse", call.clone());
    post("Stop", json!({}));
    assert_eq!(rig.roster()["claude-code-r18"], "done");
    post("PreToolUse", call);
    rig.stands("18");
    assert_eq!(rig.roster()["claude-code-r18"], "done", "the call was over before");
    let explained = rig.get("/api/v1/agents/claude-code-r18/explain");
    assert_eq!(explained["rejected"][0]["rule"], "G10", "{explained}");
}

/// 21: a thousand hooks of a thousand agents, all connected before the first is answered.
#[test]
fn a_thousand_hooks_at_once_are_all_answered_and_none_is_lost() {
    let rig = Rig::new();
    let socket = rig.home.socket();
    let mut open = Vec::new();
    for number in 0..1_000 {
        let body = String::from_utf8(prompt(&format!("r21-{number}"), "")).unwrap();
        // A queue that is full lets nobody in until somebody was taken.
        let mut stream = headsup_testkit::wait::until("a place in the queue", || {
            UnixStream::connect(&socket).ok()
        });
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let request = format!(
            "POST /api/v1/hooks/claude-code HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        open.push(stream);
    }
    for mut stream in open {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 202"), "{answer}");
    }
    let roster = rig.roster();
    assert_eq!(roster.len(), 1_000);
    assert!(roster.values().all(|headline| headline == "working"));
    rig.stands("21");
}
