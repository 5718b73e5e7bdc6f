//! BooCode's endpoint and socket, by a client that knows the contract alone.

mod meant;
mod since;

use super::bench::{Bench, Client, Headers, Reply};
use super::ws;
use crate::limits::Limits;
use serde_json::{Value, json};

const REPORT: &str = "/api/coder/agent-status";

async fn say(client: &Client, chat: &str, agent: &str, event: &str, kind: Option<&str>) -> Reply {
    let mut body = json!({"agent": agent, "chat_id": chat, "eventType": event});
    if let Some(kind) = kind {
        body["notificationType"] = json!(kind);
    }
    client.send("POST", REPORT, &[], body.to_string()).await
}

/// What the answer says of the status.
async fn told(client: &Client, event: &str, kind: Option<&str>) -> Value {
    let reply = say(client, "c-1", "coder", event, kind).await;
    assert_eq!(reply.status, 202, "{event}: {}", reply.text());
    let answer = reply.json();
    assert_eq!(answer.as_object().unwrap().len(), 1, "{answer}");
    answer["status"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_says_what_it_means_and_not_what_the_old_map_said() {
    let bench = Bench::new().await;
    let client = bench.client();
    let turns = [
        ("SessionStart", None, "idle"),
        ("UserPromptSubmit", None, "working"),
        ("PreToolUse", None, "working"),
        ("exec_approval_request", None, "blocked"),
        // Another tool starts meanwhile, a session's start is told late: nothing is answered.
        ("PreToolUse", None, "blocked"),
        ("SessionStart", None, "blocked"),
        ("Notification", Some("permission_prompt"), "blocked"),
        ("PostToolUse", None, "working"),
        ("SessionStart", None, "working"),
        ("task_complete", None, "idle"),
        ("Stop", None, "idle"),
        ("task_started", None, "working"),
        ("Notification", Some("permission_prompt"), "blocked"),
        ("PermissionResult", None, "working"),
        ("request_user_input", None, "blocked"),
        ("UserPromptSubmit", None, "working"),
        ("Interrupt", None, "idle"),
        ("Start", None, "working"),
        ("StopFailure", None, "error"),
        ("BeforeAgent", None, "working"),
        ("BeforeTool", None, "working"),
        ("Notification", Some("ToolPermission"), "blocked"),
        ("AfterTool", None, "working"),
        ("AfterAgent", None, "idle"),
        // A request asks the rules of the program first.
        ("userPromptSubmitted", None, "working"),
        ("preToolUse", None, "working"),
        ("permissionRequest", None, "working"),
        ("notification", Some("permission_prompt"), "blocked"),
        ("permissionRequest", None, "blocked"),
        ("postToolUse", None, "working"),
        ("agentStop", None, "idle"),
        ("session_end", None, "idle"),
    ];
    for (index, (event, kind, status)) in turns.into_iter().enumerate() {
        assert_eq!(told(&client, event, kind).await, status, "{index}: {event}");
        bench.pass(1_000).await;
    }
    let doc = client.get("/api/v1/agents/coder.c-1").await.json();
    assert_eq!((&doc["headline"], &doc["process"]["state"]), (&json!("ended"), &json!("exited")));
    assert_eq!(doc["labels"], json!({"chat_id": "c-1", "agent": "coder"}));
    assert_eq!(doc["kind"], "custom");
    let outcomes: Vec<Value> =
        client.log().await.into_iter().filter(|e| e["type"] == "turn.completed").collect();
    let kinds: Vec<&str> =
        outcomes.iter().map(|e| e["outcome"]["kind"].as_str().unwrap()).collect();
    let expected = ["completed", "interrupted", "interrupted", "failed", "completed", "completed"];
    assert_eq!(kinds, expected);
}

/// A chat names no process and no session: a turn or a session that begins after an end is life. What else comes
/// just behind it may have been on its way.
#[tokio::test(flavor = "multi_thread")]
async fn a_turn_after_the_end_brings_the_agent_back_and_a_late_question_does_not() {
    let bench = Bench::new().await;
    let client = bench.client();
    let seat = "/api/v1/agents/coder.c-1";
    told(&client, "UserPromptSubmit", None).await;
    let late = [
        ("PostToolUse", None),
        ("exec_approval_request", None),
        ("request_user_input", None),
        ("PermissionResult", None),
        ("Notification", Some("permission_prompt")),
        ("Notification", Some("elicitation_dialog")),
        ("Notification", Some("agent_needs_input")),
        ("Notification", Some("idle_prompt")),
        ("Stop", None),
        ("Interrupt", None),
    ];
    let begins =
        [("UserPromptSubmit", "working"), ("task_started", "working"), ("SessionStart", "idle")];
    for (index, (event, status)) in begins.into_iter().enumerate() {
        told(&client, "session_end", None).await;
        for (event, kind) in late {
            told(&client, event, kind).await;
            let explained = client.get(&format!("{seat}/explain")).await.json();
            assert_eq!(explained["headline"], "ended", "{event}");
            let rejected = &explained["rejected"][0];
            assert_eq!((&rejected["rule"], &rejected["event"]), (&json!("G1"), &json!(event)));
        }
        assert_eq!(told(&client, event, None).await, status, "{event}");
        let doc = client.get(seat).await.json();
        assert_eq!(doc["incarnation"], json!(index + 2), "{event}");
    }
    // Nothing is on its way for so long.
    for (index, (event, kind)) in late.into_iter().take(5).enumerate() {
        told(&client, "session_end", None).await;
        bench.pass(31_000).await;
        let status = match event {
            "PostToolUse" | "PermissionResult" => "working",
            _ => "blocked",
        };
        assert_eq!(told(&client, event, kind).await, status, "{event}");
        assert_eq!(client.get(seat).await.json()["incarnation"], json!(index + 5), "{event}");
    }
}

/// How the session before ended says nothing of one that begins; whoever has only begun again without an end keeps it.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_begins_after_an_end_is_idle_and_no_error_of_the_one_before() {
    let bench = Bench::new().await;
    let client = bench.client();
    for (event, status) in [("StopFailure", "error"), ("Stop", "idle")] {
        told(&client, "UserPromptSubmit", None).await;
        assert_eq!(told(&client, event, None).await, status);
        assert_eq!(told(&client, "SessionStart", None).await, status, "{event}");
        assert_eq!(told(&client, "SessionEnd", None).await, status, "{event}");
        assert_eq!(told(&client, "SessionStart", None).await, "idle", "{event}");
        let doc = client.get("/api/v1/agents/coder.c-1").await.json();
        assert_eq!((&doc["headline"], &doc["outcome"]), (&json!("idle"), &Value::Null), "{event}");
    }
}

/// Nobody has told of the turn's beginning. Its end says more than that it is unknown all the same.
#[tokio::test(flavor = "multi_thread")]
async fn an_end_of_a_turn_may_be_the_first_that_is_heard_of_an_agent() {
    let bench = Bench::new().await;
    let client = bench.client();
    for (agent, event, status, headline, outcome) in [
        ("a", "Stop", "idle", "done", "completed"),
        ("b", "Failed", "error", "failed", "failed"),
        ("c", "Interrupt", "idle", "idle", "interrupted"),
    ] {
        let answer = say(&client, "c-1", agent, event, None).await;
        assert_eq!(answer.json()["status"], status, "{event}");
        let doc = client.get(&format!("/api/v1/agents/{agent}.c-1")).await.json();
        assert_eq!(
            (&doc["headline"], &doc["outcome"]["kind"]),
            (&json!(headline), &json!(outcome))
        );
        // The same again is no news.
        let head = client.head().await;
        assert_eq!(say(&client, "c-1", agent, event, None).await.json()["status"], status);
        assert_eq!(client.head().await, head, "{event}");
        // Nor is an end behind a failure.
        let left = say(&client, "c-1", agent, "session_end", None).await;
        assert_eq!(left.json()["status"], status, "{event}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn members_that_are_not_known_are_not_looked_at() {
    let bench = Bench::new().await;
    let client = bench.client();
    let body = json!({"agent": "a", "chat_id": "c", "eventType": "Start", "cwd": "/x", "n": 1});
    let reply = client.send("POST", REPORT, &[], body.to_string()).await;
    assert_eq!(reply.status, 202, "{}", reply.text());
    assert_eq!(reply.json()["status"], "working");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_says_nothing_changes_nothing() {
    let bench = Bench::new().await;
    let client = bench.client();
    let long = "x".repeat(101);
    let unknown = [
        ("moon.rose", None),
        ("", None),
        ("Notification", Some("moon")),
        ("blocked", None),
        (long.as_str(), None),
        ("Notification", Some(long.as_str())),
    ];
    for (event, kind) in unknown {
        assert_eq!(told(&client, event, kind).await, Value::Null, "{event}");
    }
    let counted = client.metric("headsup_reports_total{result=\"not_understood\"}").await;
    assert_eq!(counted, unknown.len() as u64);
    // These are known, and say nothing of the status.
    assert_eq!(told(&client, "errorOccurred", None).await, Value::Null);
    assert_eq!(told(&client, "Notification", None).await, Value::Null);
    assert_eq!(told(&client, "Notification", Some("auth_success")).await, Value::Null);
    assert_eq!(client.metric("headsup_reports_total{result=\"not_understood\"}").await, counted);
    assert_eq!(client.head().await, 0);
    assert_eq!(client.get("/api/v1/agents?all=true").await.json()["agents"], json!([]));
    // Of what is no notification the type says nothing, whatever it is.
    assert_eq!(told(&client, "Start", Some(long.as_str())).await, "working");
    let head = client.head().await;
    assert_eq!(told(&client, "Notification", None).await, Value::Null);
    assert_eq!(told(&client, "no-such-event", None).await, Value::Null);
    assert_eq!((client.headline("coder.c-1").await, client.head().await), ("working".into(), head));
}

#[tokio::test(flavor = "multi_thread")]
async fn chat_and_agent_name_a_seat() {
    let bench = Bench::new().await;
    let client = bench.client();
    let pairs =
        [("c-1", "coder"), ("c-2", "coder"), ("c-1", "reviewer"), ("a.b", "c"), ("b", "c.a")];
    for (chat, agent) in pairs {
        assert_eq!(say(&client, chat, agent, "Start", None).await.status, 202);
    }
    assert_eq!(say(&client, "c-1", "coder", "Stop", None).await.json()["status"], "idle");
    let agents = client.get("/api/v1/agents").await.json()["agents"].as_array().unwrap().clone();
    assert_eq!(agents.len(), pairs.len());
    for (chat, agent) in pairs {
        let same = |doc: &&Value| doc["labels"] == json!({"chat_id": chat, "agent": agent});
        let doc = agents.iter().find(same).unwrap();
        let is_done = (chat, agent) == ("c-1", "coder");
        assert_eq!(doc["headline"], if is_done { "done" } else { "working" }, "{doc}");
    }
    let path = "/api/v1/agents?label=chat_id%3Dc-1&vocabulary=boocode";
    let labelled = client.get(path).await.json();
    let words: Vec<&Value> =
        labelled["agents"].as_array().unwrap().iter().map(|a| &a["vocabulary"]["word"]).collect();
    assert_eq!(words, ["idle", "working"]);
}

/// `api.1` is the name of an agent's child as well.
#[tokio::test(flavor = "multi_thread")]
async fn the_seat_of_another_agent_is_left_alone() {
    let mut bench = Bench::new().await;
    let client = bench.client();
    client.report("api.1", "working").await;
    let labels = json!({"chat_id": "1", "agent": "api"});
    for (event, status) in
        [("PermissionRequest", "blocked"), ("PostToolUse", "working"), ("Stop", "idle")]
    {
        let answer = say(&client, "1", "api", event, None).await;
        assert_eq!(answer.status, 202, "{}", answer.text());
        assert_eq!(answer.json()["status"], status, "{event}");
    }
    let other = client.get("/api/v1/agents/api.1").await.json();
    assert_eq!((&other["headline"], &other["labels"]), (&json!("working"), &json!({})));
    let in_chat = "/api/v1/agents?label=chat_id%3D1";
    let own = client.get(in_chat).await.json()["agents"].clone();
    assert_eq!(own.as_array().unwrap().len(), 1, "{own}");
    assert_eq!((&own[0]["headline"], &own[0]["labels"]), (&json!("done"), &labels));
    // It stays the same one, over a restart and when the other one has gone.
    client.send("DELETE", "/api/v1/agents/api.1?force=true", &[], "").await;
    bench.restart().await;
    let client = bench.client();
    say(&client, "1", "api", "Start", None).await;
    let again = client.get(in_chat).await.json()["agents"].clone();
    assert_eq!(again.as_array().unwrap().len(), 1, "{again}");
    assert_eq!((&again[0]["id"], &again[0]["headline"]), (&own[0]["id"], &json!("working")));
}

/// What is asked about one of several calls is not answered by the end of another one.
#[tokio::test(flavor = "multi_thread")]
async fn another_tool_that_ends_answers_no_question() {
    let bench = Bench::new().await;
    let client = bench.client();
    for (event, status) in [
        ("UserPromptSubmit", "working"),
        ("PreToolUse", "working"),
        ("PreToolUse", "working"),
        ("PermissionRequest", "blocked"),
        ("PostToolUse", "blocked"),
        ("PostToolUse", "working"),
        ("Stop", "idle"),
    ] {
        assert_eq!(told(&client, event, None).await, status, "{event}");
    }
}

/// The next turn may begin at once, and ask first: that was not answered in the one before.
#[tokio::test(flavor = "multi_thread")]
async fn a_request_just_behind_the_end_of_a_turn_is_a_question_of_the_next_one() {
    let bench = Bench::new().await;
    let client = bench.client();
    for (event, kind, status) in [
        ("UserPromptSubmit", None, "working"),
        ("PreToolUse", None, "working"),
        ("PermissionRequest", None, "blocked"),
        ("PostToolUse", None, "working"),
        ("Stop", None, "idle"),
        // A notice may be late.
        ("Notification", Some("permission_prompt"), "idle"),
        ("exec_approval_request", None, "blocked"),
        ("PostToolUse", None, "working"),
        ("Stop", None, "idle"),
    ] {
        assert_eq!(told(&client, event, kind).await, status, "{event}");
    }
}

fn updated(chat: &str, agent: &str, status: &str, reason: Option<&str>) -> Value {
    let mut frame =
        json!({"type": "agent_status_updated", "chat_id": chat, "agent": agent, "status": status});
    if let Some(reason) = reason {
        frame["reason"] = json!(reason);
    }
    frame
}

/// A frame, without its time, which is checked.
fn timeless(mut frame: Value) -> Value {
    let at = frame.as_object_mut().unwrap().remove("at").unwrap();
    assert!(at.as_str().unwrap().ends_with('Z'), "{at}");
    frame
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socket_tells_how_each_agent_is_and_then_each_change() {
    let bench = Bench::new().await;
    let client = bench.client();
    say(&client, "c-1", "coder", "Start", None).await;
    bench.pass(10).await;
    say(&client, "c-2", "other", "PermissionRequest", None).await;
    bench.pass(10).await;
    client.report("in-no-chat", "working").await;
    let mut one = ws::open_at(&client, "/api/coder/ws?chat_id=c-1", &[]).await.unwrap();
    let mut all = ws::open_at(&client, "/api/coder/ws", &[]).await.unwrap();
    let working = updated("c-1", "coder", "working", None);
    let blocked = updated("c-2", "other", "blocked", Some("permission"));
    assert_eq!(timeless(one.next().await.unwrap()), working);
    assert_eq!(timeless(all.next().await.unwrap()), working);
    assert_eq!(timeless(all.next().await.unwrap()), blocked);
    // Tools come and go: still working. Then all that follows, in order, at once or not.
    for event in ["PreToolUse", "PostToolUse", "PermissionRequest", "PostToolUse", "Stop"] {
        say(&client, "c-1", "coder", event, None).await;
    }
    say(&client, "c-2", "other", "StopFailure", None).await;
    let process = r#"{"turn":"working"}"#;
    client.send("POST", "/api/v1/agents/in-no-chat/reports", &[], process).await;
    say(&client, "c-1", "coder", "session_end", None).await;
    say(&client, "c-1", "late", "SessionStart", None).await;
    let changes = [
        updated("c-1", "coder", "blocked", Some("permission")),
        updated("c-1", "coder", "working", None),
        updated("c-1", "coder", "idle", Some("completed")),
        updated("c-2", "other", "error", Some("failed")),
        updated("c-1", "coder", "idle", Some("ended")),
        updated("c-1", "late", "idle", None),
    ];
    for change in changes {
        assert_eq!(timeless(all.next().await.unwrap()), change);
        if change["chat_id"] == "c-1" {
            assert_eq!(timeless(one.next().await.unwrap()), change);
        }
    }
    // Whoever was started with the label is in the chat, by its kind.
    let seat = r#"{"kind":"custom","labels":{"chat_id":"c-1"}}"#;
    client.send("PUT", "/api/v1/agents/launched", &[], seat).await;
    let starting = updated("c-1", "custom", "working", Some("starting"));
    assert_eq!(timeless(one.next().await.unwrap()), starting);
    // It goes by another label: who watches the old one hears of it.
    let moved = r#"{"labels":{"chat_id":"c-2"}}"#;
    client.send("PATCH", "/api/v1/agents/launched", &[], moved).await;
    assert_eq!(timeless(all.next().await.unwrap()), starting);
    let left = updated("c-1", "custom", "idle", Some("left"));
    let there = updated("c-2", "custom", "working", Some("starting"));
    assert_eq!(timeless(all.next().await.unwrap()), left);
    assert_eq!(timeless(one.next().await.unwrap()), left);
    assert_eq!(timeless(all.next().await.unwrap()), there);
    let asked = ws::open_at(&client, "/api/coder/ws?chat=c-1", &[]).await;
    assert!(asked.is_err());
    let plain = client.get("/api/coder/ws").await;
    assert_eq!((plain.status.as_u16(), plain.code().as_str()), (426, "upgrade_required"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_falls_behind_hears_how_things_are() {
    let bench = Bench::with(Limits { bus: 16, ..Limits::default() }).await;
    let client = bench.client();
    let mut slow = ws::open_at(&client, "/api/coder/ws", &[]).await.unwrap();
    for _ in 0..200 {
        for event in ["PermissionRequest", "PostToolUse"] {
            say(&client, "c-1", "coder", event, None).await;
        }
    }
    say(&client, "c-1", "coder", "Stop", None).await;
    let last = updated("c-1", "coder", "idle", Some("completed"));
    loop {
        if timeless(slow.next().await.unwrap()) == last {
            break;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_request_again_has_one_effect() {
    let bench = Bench::new().await;
    let client = bench.client();
    let body = r#"{"agent":"coder","chat_id":"c-1","eventType":"UserPromptSubmit"}"#;
    let key = [("x-headsup-id", "r-1")];
    let first = client.send("POST", REPORT, &key, body).await;
    let head = client.head().await;
    let again = client.send("POST", REPORT, &key, body).await;
    assert_eq!((first.status.as_u16(), again.status.as_u16()), (202, 200));
    assert_eq!(again.json(), json!({"status": "working", "duplicate": true}));
    assert_eq!(client.head().await, head);
    let other = body.replace("UserPromptSubmit", "Stop");
    let conflict = client.send("POST", REPORT, &key, other).await;
    assert_eq!((conflict.status.as_u16(), conflict.code().as_str()), (409, "id_conflict"));
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_reports_are_refused_by_name_and_change_nothing() {
    let bench = Bench::new().await;
    let client = bench.client();
    let body = |agent: &str, chat: &str, event: &str| {
        json!({"agent": agent, "chat_id": chat, "eventType": event}).to_string()
    };
    let good = body("a", "c", "Stop");
    let long = "x".repeat(101);
    let cases: [(Headers<'_>, String, u16, &str, &str); 14] = [
        (&[], String::new(), 400, "bad_json", ""),
        (&[], r#"["a","c","Stop"]"#.into(), 400, "bad_json", "object"),
        (&[], r#"{"agent":"a","eventType":"Stop"}"#.into(), 400, "bad_json", "chat_id"),
        (&[], r#"{"agent":"a","chat_id":"c"}"#.into(), 400, "bad_json", "eventType"),
        (&[], r#"{"agent":"a","chat_id":7,"eventType":"Stop"}"#.into(), 400, "bad_json", "string"),
        (&[], good.replace('}', r#","notificationType":[]}"#), 400, "bad_json", "string"),
        (&[], body("", "c", "Stop"), 400, "bad_parameter", "agent"),
        (&[], body("a", "c\u{1b}[2J", "Stop"), 400, "bad_parameter", "chat_id"),
        (&[], body("a", &long, "Stop"), 400, "too_long", "chat_id"),
        (&[], body(&long, "c", "Stop"), 400, "too_long", "agent"),
        (&[], "x".repeat(300 << 10), 413, "body_too_large", ""),
        (&[("content-type", "text/plain")], good.clone(), 415, "unsupported_media_type", ""),
        (&[("origin", "http://evil.example")], good.clone(), 403, "browser_refused", ""),
        (&[("x-headsup-id", "")], good.clone(), 400, "bad_header", ""),
    ];
    for (headers, body, status, code, word) in cases {
        let reply = client.send("POST", REPORT, headers, body.clone()).await;
        let found = (reply.status.as_u16(), reply.code());
        assert_eq!(found, (status, code.to_owned()), "{body}");
        assert_eq!(reply.headers["content-type"], "application/problem+json");
        assert!(reply.text().contains(word), "{}", reply.text());
        let counted = client.metric(&format!("headsup_refusals_total{{code=\"{code}\"}}")).await;
        assert!(counted >= 1, "{code}");
    }
    assert_eq!(client.head().await, 0);
    // Over TCP it needs the token.
    let tcp = bench.on_tcp().await;
    let refused = tcp.send("POST", REPORT, &[], good.clone()).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (401, "token_missing"));
    assert!(ws::open_at(&tcp, "/api/coder/ws", &[]).await.is_err());
    let bearer = bench.bearer();
    let told = [("authorization", bearer.as_str())];
    assert_eq!(tcp.send("POST", REPORT, &told, good).await.json(), json!({"status": "idle"}));
    let foreign = [told[0], ("origin", "http://evil.example")];
    assert!(ws::open_at(&tcp, "/api/coder/ws", &foreign).await.is_err());
    let mut socket = ws::open_at(&tcp, "/api/coder/ws", &told).await.unwrap();
    assert_eq!(socket.next().await.unwrap()["status"], "idle");
}
