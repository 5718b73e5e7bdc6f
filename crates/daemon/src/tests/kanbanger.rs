//! Kanbanger as a tracker: its cards are tasks, and what is done to them is done once.

use super::bench::{Bench, Client};
use super::prompts::{AS_API, asked, question};
use crate::outgoing::Secret;
use crate::tracker::contract;
use crate::{
    KanbangerSettings, Provider, ProviderSettings, SharedSecret, WebhookSettings, WrittenKanbanger,
};
use headsup_testkit::kanbanger::{Fault, Kanbanger};
use headsup_testkit::webhook;
use serde_json::{Value, json};
use std::time::Duration;

pub(super) const KEY: &str = "k-123";

fn providers(there: &Kanbanger, key: Option<&str>) -> ProviderSettings {
    let written = WrittenKanbanger { url: Some(there.url()), ..WrittenKanbanger::default() };
    let kanbanger = KanbangerSettings::new(written, key.and_then(Secret::new)).unwrap();
    let kanbanger = Some(kanbanger);
    ProviderSettings { tracker: Provider::Kanbanger, kanbanger, ..ProviderSettings::default() }
}

pub(super) async fn with(there: &Kanbanger, key: Option<&str>) -> Bench {
    let mut limits = crate::limits::Limits::default();
    limits.effects.first = Duration::from_millis(2);
    limits.answer = Duration::from_secs(30);
    let mut bench = Bench::with(limits).await;
    bench.providers = providers(there, key);
    let secret = SharedSecret::new("s".to_owned());
    bench.webhooks = WebhookSettings { secret, ..WebhookSettings::default() };
    bench.restart().await;
    bench
}

pub(super) async fn ok(client: &Client, method: &str, path: &str, body: &Value) -> Value {
    let reply = client.send(method, path, AS_API, body.to_string()).await;
    assert!(reply.status.is_success(), "{method} {path}: {}", reply.text());
    reply.json()
}

/// An agent at work on `KAN-1`.
pub(super) async fn at_work(client: &Client) {
    client.report("api", "working").await;
    ok(client, "POST", "/api/v1/tasks", &json!({"title": "Log in"})).await;
    let link = json!({"task_identifier": "KAN-1"});
    let linked = ok(client, "PUT", "/api/v1/agents/api/task", &link).await;
    assert_eq!(linked["task"]["identifier"], "kanbanger:KAN-1");
}

/// Waits until everything that is to be done there is done, skipped or failed.
async fn settled(client: &Client) -> Vec<Value> {
    super::bench::soon("the end of all effects", async {
        loop {
            let doc = client.get("/api/v1/effects").await.json();
            let effects = doc["effects"].as_array().unwrap().clone();
            if effects.iter().all(|effect| effect["state"] != "queued") {
                return effects;
            }
            tokio::task::yield_now().await;
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn cards_keep_what_every_tracker_keeps() {
    let there = Kanbanger::start(KEY).await.unwrap();
    let bench = with(&there, Some(KEY)).await;
    let app = bench.hub().app();
    contract::keeps(&*app.tracker.at(None).unwrap()).await;
    let marked = |card: &Value| card["description"].as_str().unwrap().contains("<!-- headsup:");
    assert!(there.cards().iter().all(marked));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_cut_behind_the_act_is_done_once() {
    let there = Kanbanger::start(KEY).await.unwrap();
    let bench = with(&there, Some(KEY)).await;
    let client = bench.client();
    at_work(&client).await;
    let comments = "/api/v1/agents/api/task/comments";
    for number in 0..10 {
        there.faults([Fault::CutBehindTheAct]);
        let said = ok(&client, "POST", comments, &json!({"comment": number.to_string()})).await;
        assert_eq!(said["effect"]["state"], "done", "{said}");
    }
    there.faults([Fault::Status(503), Fault::Limited(0), Fault::CutBehindTheAct]);
    ok(&client, "POST", comments, &json!({"comment": "at last"})).await;
    there.faults([Fault::CutBehindTheAct]);
    let made = ok(&client, "POST", "/api/v1/tasks", &json!({"title": "Second"})).await;
    assert_eq!((&made["identifier"], there.cards().len()), (&json!("kanbanger:KAN-2"), 2));
    there.faults([Fault::CutBehindTheAct]);
    let status = json!({"status": "in_review"});
    let moved = ok(&client, "POST", "/api/v1/agents/api/task/status", &status).await;
    assert_eq!(moved["status"], "in_review");
    let said: Vec<String> = there.comments("KAN-1");
    assert_eq!(said.len(), 11, "{said:#?}");
    assert!(said.iter().all(|said| said.matches("<!-- headsup:").count() == 1), "{said:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_people_wait_for_is_posted_there_once() {
    let there = Kanbanger::start(KEY).await.unwrap();
    let mut bench = with(&there, Some(KEY)).await;
    let client = bench.client();
    at_work(&client).await;
    there.faults([Fault::CutBehindTheAct]);
    let id = asked(&client, question()).await;
    let blocked = json!({"stage": "blocked", "message": "ask @ada"});
    // A question is open: that comes first.
    assert_eq!(
        client.send("POST", "/api/v1/agents/api/stage", AS_API, blocked.to_string()).await.status,
        409
    );
    bench.restart().await;
    let client = bench.client();
    settled(&client).await;
    let said = there.comments("KAN-1");
    assert_eq!(said.len(), 1, "{said:#?}");
    assert!(said[0].starts_with("**api waits for an answer**"), "{said:#?}");
    assert!(said[0].contains(&format!("<!-- headsup:{id}-opened -->")), "{said:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_key_nobody_is_called_and_it_says_so() {
    let there = Kanbanger::start(KEY).await.unwrap();
    let bench = with(&there, None).await;
    let client = bench.client();
    client.report("api", "working").await;
    let unknown = client.get("/api/v1/tasks/kanbanger:KAN-1").await;
    assert_eq!(unknown.code(), "no_key", "{}", unknown.text());
    assert!(unknown.text().contains("KANBANGER_API_KEY"), "{}", unknown.text());
    let link = json!({"task_identifier": "KAN-1"});
    let linked = ok(&client, "PUT", "/api/v1/agents/api/task", &link).await;
    assert_eq!((&linked["has_task"], linked.get("task")), (&json!(true), None));
    assert!(linked["unreachable"].as_str().unwrap().contains("no token"), "{linked}");
    // It is linked all the same, and what it is called a web hook tells.
    let told = json!({"action": "updated",
        "issue": {"id": "c-1", "identifier": "KAN-1", "title": "Log in", "status": "doing"}});
    let body = told.to_string();
    let signature = webhook::sign("s", body.as_bytes());
    let headers = [("x-kanbanger-event", "task"), ("x-kanbanger-signature", signature.as_str())];
    let heard = client.send("POST", "/api/webhooks/kanbanger", &headers, body).await.json();
    assert_eq!(heard["result"], "refreshed", "{heard}");
    let task = client.get("/api/v1/agents/api/task").await.json();
    assert_eq!(
        (&task["task"]["title"], &task["task"]["status"]),
        (&json!("Log in"), &json!("in_progress"))
    );
    let comments = "/api/v1/agents/api/task/comments";
    let said = ok(&client, "POST", comments, &json!({"comment": "hello"})).await;
    assert_eq!(
        (&said["effect"]["state"], &said["effect"]["reason"]),
        (&json!("skipped"), &json!("no_key"))
    );
    asked(&client, question()).await;
    let effects = settled(&client).await;
    assert_eq!(effects.len(), 2);
    assert!(effects.iter().all(|effect| effect["reason"] == "no_key"), "{effects:#?}");
    // The tools that end a stretch of work say so as well.
    client.report("web", "working").await;
    super::mcp::tool_as(&client, "web", "link_task", json!({"task_identifier": "KAN-1"})).await;
    let review = json!({"pr_url": "https://github.com/a/b/pull/1", "summary": "ready"});
    for (tool, arguments) in
        [("submit_for_review", review), ("complete_task", json!({"summary": "s"}))]
    {
        let told = super::mcp::tool_as(&client, "web", tool, arguments).await;
        let of = |effect: &Value| {
            (effect["kind"].clone(), effect["state"].clone(), effect["reason"].clone())
        };
        let effects = told["structuredContent"]["effects"].as_array().unwrap();
        let skipped = |kind: &str| (json!(kind), json!("skipped"), json!("no_key"));
        let effects: Vec<_> = effects.iter().map(of).collect();
        assert_eq!(effects, [skipped("comment"), skipped("task_status")], "{told}");
        let text = told["content"][0]["text"].as_str().unwrap();
        assert!(
            text.contains(
                "The summary is skipped: no_key. The task's new status is skipped: no_key."
            ),
            "{text}"
        );
    }
    assert_eq!(there.requests(), [""; 0], "nobody was called");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_server_says_is_told_in_words() {
    let there = Kanbanger::start(KEY).await.unwrap();
    let bench = with(&there, Some("another")).await;
    let client = bench.client();
    let reply = client.get("/api/v1/tasks/kanbanger:KAN-1").await;
    assert_eq!(reply.code(), "remote_unauthorized", "{}", reply.text());
    assert!(reply.text().contains("this key is of nobody"), "{}", reply.text());
    assert!(!reply.text().contains("another"), "{}", reply.text());
    let bench = with(&there, Some(KEY)).await;
    let client = bench.client();
    at_work(&client).await;
    assert_eq!(client.get("/api/v1/tasks/kanbanger:KAN-9").await.code(), "no_such_task");
    there.faults([Fault::Status(422)]);
    let body = json!({"comment": "x"}).to_string();
    let refused = client.send("POST", "/api/v1/agents/api/task/comments", AS_API, body).await;
    assert_eq!(refused.code(), "remote_failed", "{}", refused.text());
    assert!(refused.text().contains("it does not want to"), "{}", refused.text());
    there.faults([Fault::Status(404)]);
    let refused = client.send("POST", "/api/v1/tasks", &[], r#"{"title": "x"}"#).await;
    assert!(refused.text().contains("knows no list of cards"), "{}", refused.text());
}
