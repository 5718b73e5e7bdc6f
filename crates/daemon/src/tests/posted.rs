//! What the hub says by itself on the task that an agent works on: each thing once.

use super::bench::{Bench, Client};
use super::prompts::{AS_API, answer, asked, question};
use serde_json::{Value, json};

const MINUTE: i64 = 60_000;

/// An agent at work on `APP-1`.
async fn at_work() -> Bench {
    let bench = Bench::new().await;
    let client = bench.client();
    client.report("api", "working").await;
    send(&client, "POST", "/api/v1/tasks", json!({"title": "t", "prefix": "APP"})).await;
    send(&client, "PUT", "/api/v1/agents/api/task", json!({"task_identifier": "APP-1"})).await;
    bench
}

async fn send(client: &Client, method: &str, path: &str, body: Value) {
    let reply = client.send(method, path, AS_API, body.to_string()).await;
    assert!(reply.status.is_success(), "{path}: {}", reply.text());
}

async fn stage(client: &Client, body: Value) {
    send(client, "POST", "/api/v1/agents/api/stage", body).await;
}

/// What stands on the task, with the first line of each.
async fn comments(client: &Client) -> Vec<String> {
    let doc = client.get("/api/v1/tasks/APP-1").await.json();
    let comments = doc["comments"].as_array().unwrap().iter();
    comments
        .map(|comment| {
            assert_eq!(comment["author"], "api");
            let body = comment["body"].as_str().unwrap();
            assert_eq!(body.matches("<!-- headsup:").count(), 1, "{body}");
            body.lines().next().unwrap().to_owned()
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_people_wait_for_stands_on_the_task_once() {
    let mut bench = at_work().await;
    let client = bench.client();
    let id = asked(&client, question()).await;
    // The same question again, an answer, and what goes on behind it are no news.
    assert_eq!(answer(&client, &id, json!({"option": 1})).await.status, 200);
    stage(&client, json!({"stage": "working", "message": "on it", "progress": 0.5})).await;
    stage(&client, json!({"stage": "blocked", "message": "no key", "blockers": ["ask @ada"]}))
        .await;
    stage(&client, json!({"stage": "blocked", "message": "no key", "blockers": ["ask @ada"]}))
        .await;
    bench.restart().await;
    let client = bench.client();
    stage(&client, json!({"stage": "working"})).await;
    stage(&client, json!({"stage": "awaiting_review", "message": "look"})).await;
    stage(&client, json!({"stage": "completed", "message": "done"})).await;
    let expected = [
        format!("**api waits for an answer** (`{id}`)"),
        "**api is blocked**".to_owned(),
        "**api waits for a review**".to_owned(),
        "**api has completed its work**".to_owned(),
    ];
    assert_eq!(comments(&client).await, expected);
    let bench = bench.killed_now().await;
    assert_eq!(comments(&bench.client()).await, expected);
    let task = bench.client().get("/api/v1/tasks/APP-1").await.json();
    let blocked = task["comments"][1]["body"].as_str().unwrap();
    assert!(blocked.contains("> ask @\u{200b}ada"), "nobody is called: {blocked}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deadline_is_told_once_with_what_is_done_now() {
    let mut bench = at_work().await;
    let client = bench.client();
    for on_timeout in ["default", "fail", "block"] {
        let mut body = question();
        body["timeout_minutes"] = json!(1);
        body["on_timeout"] = json!(on_timeout);
        asked(&client, body).await;
        bench.pass(MINUTE + 60).await;
        bench.restart().await;
        bench.pass(MINUTE).await;
        if on_timeout == "block" {
            break;
        }
    }
    let told = comments(&bench.client()).await;
    let of = |start: &str| told.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!(
        (of("**api waits for an answer**"), of("**Nobody has answered")),
        (3, 2),
        "{told:#?}"
    );
    assert_eq!(of("**api is blocked**"), 1, "{told:#?}");
    assert_eq!(told.len(), 6, "{told:#?}");
    let task = bench.client().get("/api/v1/tasks/APP-1").await.json();
    assert!(task["comments"][1]["body"].as_str().unwrap().contains("> use SQLite"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_tool_says_itself_is_not_said_twice_and_without_a_task_nothing_is() {
    let bench = at_work().await;
    let client = bench.client();
    let review = json!({"pr_url": "https://github.com/a/b/pull/7", "summary": "ready"});
    send(&client, "POST", "/api/v1/agents/api/review", review).await;
    send(&client, "POST", "/api/v1/agents/api/task/complete", json!({"summary": "done"})).await;
    let task = client.get("/api/v1/tasks/APP-1").await.json();
    assert_eq!(task["comments"].as_array().unwrap().len(), 2, "{task}");
    client.report("lone", "working").await;
    let head = client.head().await;
    let body = json!({"stage": "blocked", "message": "m"}).to_string();
    assert_eq!(client.send("POST", "/api/v1/agents/lone/stage", &[], body).await.status, 200);
    assert!(client.head().await > head);
    assert_eq!(client.get("/api/v1/tasks/APP-1").await.json(), task);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_move_says_nothing() {
    let bench = at_work().await;
    let client = bench.client();
    stage(&client, json!({"stage": "completed"})).await;
    let before = comments(&client).await;
    // The same again is no move.
    for (stage, status) in [("blocked", 409), ("awaiting_review", 409), ("completed", 200)] {
        let body = json!({"stage": stage}).to_string();
        let path = "/api/v1/agents/api/stage";
        assert_eq!(client.send("POST", path, AS_API, body).await.status, status, "{stage}");
    }
    assert_eq!(comments(&client).await, before);
}
