//! Messages of the app-server.

use crate::{
    ThreadFact, server_evidence, server_greeting, server_message, server_next, server_of_log,
    server_strange,
};
use headsup_core::observation::{Background, Fact, Level, SessionEnd};
use headsup_core::status::BlockedReason;
use serde_json::{Value, json};
use std::path::Path;

fn fact(method: &str, params: &str) -> Option<Fact> {
    let message = format!(r#"{{"method":"{method}","params":{{"threadId":"t-1",{params}}}}}"#);
    let read = server_message("codex", &message).pop()?;
    assert_eq!((read.thread.as_str(), read.name.as_str()), ("t-1", method));
    Some(read.fact)
}

fn level(status: &str) -> Option<Level> {
    match fact("thread/status/changed", &format!(r#""status":{status}"#))? {
        Fact::Level(level) => Some(level),
        other => panic!("{other:?}"),
    }
}

fn blocked(reason: BlockedReason) -> Level {
    Level::Blocked { reason, detail: None }
}

#[test]
fn a_threads_status_is_a_level() {
    let active = |flags: &str| level(&format!(r#"{{"type":"active","activeFlags":[{flags}]}}"#));
    assert_eq!(active(""), Some(Level::Working { reason: None }));
    assert_eq!(active(r#""waitingOnApproval""#), Some(blocked(BlockedReason::Permission)));
    assert_eq!(active(r#""waitingOnUserInput""#), Some(blocked(BlockedReason::Question)));
    assert_eq!(active(r#""waitingOnTheMoon""#), Some(blocked(BlockedReason::Other)));
    let beside = active(r#""burning",7,"waitingOnApproval""#);
    assert_eq!(beside, Some(blocked(BlockedReason::Permission)));
    assert_eq!(level(r#"{"type":"idle"}"#), Some(Level::Idle { shells: 0 }));
    let failed = Level::Failed { code: "system_error".to_owned() };
    assert_eq!(level(r#"{"type":"systemError"}"#), Some(failed));
    let unknown = Some(Fact::NotUnderstood { why: "unknown status".to_owned() });
    for status in [r#""status":{"type":"tomorrow"}"#, r#""state":{"type":"idle"}"#] {
        assert_eq!(fact("thread/status/changed", status), unknown, "{status}");
    }
}

#[test]
fn a_thread_at_work_without_a_flag_that_is_known_may_wait_for_anything() {
    let unknown = Some(Fact::NotUnderstood { why: "unknown activeFlags".to_owned() });
    for flags in [
        r#""flags":["waitingOnApproval"]"#,
        r#""activeFlags":null"#,
        r#""activeFlags":"waitingOnApproval""#,
        r#""activeFlags":["approvalPending"]"#,
        r#""activeFlags":[7]"#,
    ] {
        let status = format!(r#""status":{{"type":"active",{flags}}}"#);
        assert_eq!(fact("thread/status/changed", &status), unknown, "{flags}");
    }
}

#[test]
fn a_thread_that_is_no_longer_loaded_has_ended() {
    let ended = Some(Fact::SessionEnded { how: SessionEnd::Exit });
    assert_eq!(fact("thread/status/changed", r#""status":{"type":"notLoaded"}"#), ended);
    assert_eq!(fact("thread/closed", r#""a":1"#), ended);
}

#[test]
fn a_turns_end_says_how() {
    let turn = |rest: &str| fact("turn/completed", &format!(r#""turn":{{"id":"u-1",{rest}}}"#));
    let turn_ref = Some("u-1".to_owned());
    let background = Background::unlisted();
    let ended = Fact::TurnEnded { background, turn_ref: turn_ref.clone() };
    assert_eq!(turn(r#""status":"completed","error":null"#), Some(ended));
    let interrupted = Fact::TurnInterrupted { turn_ref: turn_ref.clone() };
    assert_eq!(turn(r#""status":"interrupted""#), Some(interrupted));
    let (code, detail) = ("internalServerError".to_owned(), Some("busy".to_owned()));
    let failed = r#""status":"failed","error":{"message":"busy",
        "codexErrorInfo":"internalServerError"}"#;
    assert_eq!(turn(failed), Some(Fact::TurnFailed { code, detail, turn_ref }));
    assert_eq!(turn(r#""status":"inProgress""#), None);
}

#[test]
fn all_else_says_nothing() {
    for message in [
        "",
        "[]",
        r#"{"id":2,"result":{"data":["t-1"]}}"#,
        r#"{"method":"thread/closed"}"#,
        r#"{"method":"thread/closed","params":{"threadId":7}}"#,
        r#"{"method":"item/started","params":{"threadId":"t-1"}}"#,
    ] {
        assert_eq!(server_message("codex", message), [], "{message}");
    }
    assert_eq!(server_message("claude-code", r#"{"method":"thread/closed"}"#), []);
}

#[test]
fn what_a_message_says_anew_is_named() {
    let strange = |message: &str| server_strange("codex", message);
    let dreamt = r#"{"method":"thread/dreamt","params":{"threadId":"t-1"}}"#;
    assert_eq!(strange(dreamt).as_deref(), Some("thread/dreamt.method"));
    let turn = |turn: &str| {
        let params = format!(r#"{{"threadId":"t-1","turn":{turn}}}"#);
        strange(&format!(r#"{{"method":"turn/completed","params":{params}}}"#))
    };
    assert_eq!(turn(r#"{"status":"failed"}"#), None);
    for unknown in [r#"{"status":"dreamt"}"#, r#"{"state":"failed"}"#] {
        assert_eq!(turn(unknown).as_deref(), Some("turn/completed.status"), "{unknown}");
    }
    let list = r#"{"id":2,"result":{"data":[{"id":"t-1","status":{"type":"dreamt"}}]}}"#;
    assert_eq!(strange(list).as_deref(), Some("thread/list.status"));
    let flags = |flags: &str| {
        let status = format!(r#"{{"type":"active","activeFlags":[{flags}]}}"#);
        let params = format!(r#"{{"threadId":"t-1","status":{status}}}"#);
        strange(&format!(r#"{{"method":"thread/status/changed","params":{params}}}"#))
    };
    for unknown in [r#""waitingOnTheMoon""#, r#""burning","waitingOnApproval""#] {
        let named = flags(unknown);
        assert_eq!(named.as_deref(), Some("thread/status/changed.activeFlags"), "{unknown}");
    }
    // The last one is counted as a fact that is not understood.
    for known in ["", r#""waitingOnApproval","waitingOnUserInput""#, r#""burning""#] {
        assert_eq!(flags(known), None, "{known}");
    }
    for method in ["thread/status/changed", "thread/closed", "turn/completed"] {
        let turn = r#""turn":{"status":"completed"},"status":{"type":"idle"}"#;
        let said = format!(r#"{{"method":"{method}","params":{{"thread_id":"t-1",{turn}}}}}"#);
        assert_eq!(strange(&said), Some(format!("{method}.threadId")));
    }
    for known in ["", "[]", r#"{"id":2,"result":{}}"#, r#"{"method":"warning"}"#] {
        assert_eq!(strange(known), None, "{known}");
    }
    assert_eq!(server_strange("claude-code", dreamt), None);
}

#[test]
fn a_list_tells_of_those_that_run_and_of_nobodys_end() {
    let answer = serde_json::json!({"id": 2, "result": {"data": [
        {"id": "t-1", "status": {"type": "active", "activeFlags": ["waitingOnApproval"]}},
        {"id": "t-2", "status": {"type": "notLoaded"}},
        {"id": "", "status": {"type": "idle"}},
        {"id": "t-3", "status": {"type": "idle"}},
        {"id": "t-4"},
        7,
    ], "nextCursor": null}});
    let facts = server_message("codex", &answer.to_string());
    let told: Vec<_> = facts.iter().map(|read| (&*read.thread, &read.fact)).collect();
    let blocked = Fact::Level(blocked(BlockedReason::Permission));
    assert_eq!(told, [("t-1", &blocked), ("t-3", &Fact::Level(Level::Idle { shells: 0 }))]);
    let error = serde_json::json!({"id": 2, "error": {"code": -32600, "message": "no"}});
    assert_eq!(server_message("codex", &error.to_string()), []);
}

#[test]
fn the_pages_of_a_list_are_asked_for_one_after_the_other_and_not_for_ever() {
    let next = |id: u32, cursor: Value| {
        let answer = json!({"id": id, "result": {"data": [], "nextCursor": cursor}}).to_string();
        assert_eq!(server_next("claude-code", &answer), None);
        server_next("codex", &answer).map(|said| serde_json::from_str::<Value>(&said).unwrap())
    };
    let greeting = server_greeting("codex");
    let first: Value = serde_json::from_str(greeting.last().unwrap()).unwrap();
    assert_eq!(first, json!({"id": 2, "method": "thread/list", "params": {"limit": 25}}));
    for (id, behind) in [(2, 3), (40, 41)] {
        let params = json!({"limit": 25, "cursor": "c"});
        let asked = json!({"id": behind, "method": "thread/list", "params": params});
        assert_eq!(next(id, json!("c")), Some(asked));
    }
    for (id, cursor) in [(2, Value::Null), (2, json!(7)), (1, json!("c")), (41, json!("c"))] {
        assert_eq!(next(id, cursor.clone()), None, "{id} {cursor}");
    }
    for other in [
        "",
        "[]",
        r#"{"result":{"nextCursor":"c"}}"#,
        r#"{"id":"2","result":{"nextCursor":"c"}}"#,
        r#"{"id":2,"method":"thread/started","result":{"nextCursor":"c"}}"#,
    ] {
        assert_eq!(server_next("codex", other), None, "{other}");
    }
}

#[test]
fn the_evidence_of_one_conversation_holds_nothing_of_another_and_says_the_same() {
    let status = r#"{"type":"active","activeFlags":["waitingOnApproval"]}"#;
    let list = format!(
        r#"{{"id":2,"result":{{"data":[
            {{"id":"t-1","status":{status},"cwd":"/mine","preview":"p"}},
            {{"id":"t-2","status":{{"type":"idle"}},"cwd":"/other"}}]}}}}"#
    );
    let change = format!(
        r#"{{"method":"thread/status/changed","emittedAtMs":1,
            "params":{{"threadId":"t-1","status":{status},"x":"y"}}}}"#
    );
    for message in [&list, &change] {
        let kept = server_evidence("codex", message, "t-1").unwrap().to_string();
        let own = server_message("codex", message).into_iter().filter(|fact| fact.thread == "t-1");
        assert_eq!(server_message("codex", &kept), own.collect::<Vec<_>>());
        assert!(
            !["other", "mine", "preview", "emitted", "\"x\""]
                .iter()
                .any(|word| kept.contains(word)),
            "{kept}"
        );
    }
    assert_eq!(server_evidence("codex", &list, "t-3"), None);
    assert_eq!(server_evidence("claude-code", &list, "t-1"), None);
}

#[test]
fn the_socket_of_a_conversation_lies_beside_its_log() {
    let socket = |log: &str| server_of_log("codex", Path::new(log)).map(|served| served.path);
    let own = socket("/h/.codex/sessions/2026/11/21/rollout-a.jsonl");
    assert_eq!(
        own.as_deref(),
        Some(Path::new("/h/.codex/app-server-control/app-server-control.sock"))
    );
    for elsewhere in ["/h/.codex/sessions/rollout-a.jsonl", "sessions/2026/11/21/a.jsonl", "", "/"]
    {
        assert_eq!(socket(elsewhere), None, "{elsewhere}");
    }
    assert_eq!(server_of_log("claude-code", Path::new("/h/sessions/1/2/3/a.jsonl")), None);
    assert_eq!(server_greeting("claude-code"), [""; 0]);
}

/// A second client on the daemon's socket hears of every terminal's threads.
#[test]
fn what_was_recorded_on_the_socket_is_understood() {
    let text =
        include_str!("../../../fixtures/codex/0.169.0/samples/daemon-socket-subscription.jsonl");
    let messages = text.lines().map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        row["msg"].to_string()
    });
    let facts: Vec<ThreadFact> = messages
        .inspect(|message| assert_eq!(server_strange("codex", message), None, "{message}"))
        .flat_map(|message| server_message("codex", &message))
        .collect();
    let listed = (facts[0].name.as_str(), &facts[0].fact);
    assert_eq!(listed, ("thread/list", &Fact::Level(Level::Idle { shells: 0 })));
    let first = &facts[1].thread;
    let own = facts.iter().filter(|read| read.thread == *first);
    let told: Vec<&str> = own
        .map(|read| match &read.fact {
            Fact::Level(level) => level.word(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(told, ["working", "blocked", "working", "idle", "working", "idle"]);
    let gone = facts.iter().filter(|read| matches!(read.fact, Fact::SessionEnded { .. }));
    assert_eq!(gone.count(), 4);
}
