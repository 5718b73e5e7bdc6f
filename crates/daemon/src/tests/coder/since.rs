//! Since when an agent is as it is: whoever comes later hears the time that was told live.

use super::{say, ws};
use crate::tests::bench::{Bench, Client};
use serde_json::Value;

const CHAT: &str = "/api/coder/ws?chat_id=c-1";

/// What a client hears of the chat's one agent that comes now.
async fn heard_now(client: &Client) -> Value {
    let mut socket = ws::open_at(client, CHAT, &[]).await.unwrap();
    socket.next().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_comes_later_hears_the_time_that_was_told_live() {
    let bench = Bench::new().await;
    let client = bench.client();
    say(&client, "c-1", "coder", "SessionStart", None).await;
    let mut live = ws::open_at(&client, CHAT, &[]).await.unwrap();
    let mut told = live.next().await.unwrap();
    // What the four words do not tell is no news, however much changes of the seat.
    for (event, status) in [
        ("UserPromptSubmit", Some("working")),
        ("PreToolUse", None),
        ("exec_approval_request", Some("blocked")),
        ("PostToolUse", Some("working")),
        ("PreToolUse", None),
        ("PostToolUse", None),
        ("request_user_input", Some("blocked")),
        ("PermissionResult", Some("working")),
        ("Stop", Some("idle")),
        ("seen", None),
        ("UserPromptSubmit", Some("working")),
        ("StopFailure", Some("error")),
        ("session_end", None),
    ] {
        bench.pass(1_000).await;
        match event {
            "seen" => {
                let path = "/api/v1/agents/coder.c-1/seen";
                assert_eq!(client.send("POST", path, &[], "").await.status, 200);
                assert_eq!(client.headline("coder.c-1").await, "idle");
            }
            event => assert_eq!(say(&client, "c-1", "coder", event, None).await.status, 202),
        }
        if let Some(status) = status {
            told = live.next().await.unwrap();
            assert_eq!(told["status"], status, "{event}: {told}");
        }
        assert_eq!(heard_now(&client).await, told, "{event}");
    }
    // A failure that was seen is another word, and so is the end behind it.
    for (act, status) in [
        ("UserPromptSubmit", "working"),
        ("StopFailure", "error"),
        ("seen", "idle"),
        ("session_end", "error"),
    ] {
        bench.pass(1_000).await;
        match act {
            "seen" => drop(client.send("POST", "/api/v1/agents/coder.c-1/seen", &[], "").await),
            event => drop(say(&client, "c-1", "coder", event, None).await),
        }
        told = live.next().await.unwrap();
        assert_eq!(told["status"], status, "{act}: {told}");
        assert_eq!(heard_now(&client).await, told, "{act}");
    }
}

/// A turn fails behind a workflow that a person has called failed: status and reason are what they were.
#[tokio::test(flavor = "multi_thread")]
async fn a_second_failure_that_says_no_more_than_the_first_is_no_news_for_whoever_comes_later() {
    let bench = Bench::new().await;
    let client = bench.client();
    say(&client, "c-1", "coder", "SessionStart", None).await;
    let mut live = ws::open_at(&client, CHAT, &[]).await.unwrap();
    assert_eq!(live.next().await.unwrap()["status"], "idle");
    bench.pass(1_000).await;
    let stage = "/api/v1/agents/coder.c-1/stage";
    assert_eq!(client.send("POST", stage, &[], r#"{"stage": "failed"}"#).await.status, 200);
    let told = live.next().await.unwrap();
    assert_eq!((&told["status"], &told["reason"]), (&"error".into(), &"failed".into()));
    bench.pass(1_000).await;
    let reports = "/api/v1/agents/coder.c-1/reports";
    assert_eq!(client.send("POST", reports, &[], r#"{"turn": "failed"}"#).await.status, 202);
    let doc = client.get("/api/v1/agents/coder.c-1").await.json();
    assert_eq!((&doc["headline"], &doc["outcome"]["kind"]), (&"failed".into(), &"failed".into()));
    assert_eq!(heard_now(&client).await, told);
}
