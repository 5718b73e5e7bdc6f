//! A question in the agent's own program: only where nothing else reaches a person, once, and told as what it is.

use super::bench::{Bench, Client, Reply};
use super::prompts::{AS_API, answer, asked, question};
use crate::attendance::LATELY_MS;
use serde_json::{Value, json};

async fn may(client: &Client, id: &str) -> Reply {
    client.send("POST", &format!("/api/v1/prompts/{id}/elicit"), AS_API, String::new()).await
}

async fn said(client: &Client, id: &str, body: Value) -> Reply {
    let path = format!("/api/v1/prompts/{id}/elicited");
    client.send("POST", &path, AS_API, body.to_string()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_there_is_one_that_nobody_has_verified() {
    let mut bench = Bench::new().await;
    let client = bench.client();
    let id = asked(&client, question()).await;
    let early = said(&client, &id, json!({"action": "accept", "value": "lite"})).await;
    assert_eq!((early.status.as_u16(), early.code().as_str()), (403, "not_elicited"));
    let allowed = may(&client, &id).await;
    assert_eq!(allowed.status, 200, "{}", allowed.text());
    assert_eq!(allowed.json()["delivered"][0]["via"], "agent_client");
    // It is known after a restart, too.
    bench.restart().await;
    let client = bench.client();
    let bad = said(&client, &id, json!({"action": "accept", "value": "purple"})).await;
    assert_eq!((bad.status.as_u16(), bad.code().as_str()), (422, "invalid_option"));
    for body in [json!({"action": "accept"}), json!({"action": "decline", "value": "lite"})] {
        assert_eq!(said(&client, &id, body).await.code(), "bad_answer");
    }
    let won = said(&client, &id, json!({"action": "accept", "value": "SQLite"})).await;
    assert_eq!(won.status, 200, "{}", won.text());
    let resolution = won.json()["resolution"].clone();
    assert_eq!((&resolution["by"], &resolution["value"]), (&json!("human"), &json!("lite")));
    assert_eq!((&resolution["via"], &resolution["actor"]), (&json!("agent_client"), &Value::Null));
    assert_eq!(resolution["verified"], false, "{resolution}");
    let late = answer(&client, &id, json!({"option": 1})).await;
    assert_eq!(late.code(), "already_resolved");
    let detail = late.json()["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("in the agent's own program, unverified: lite"), "{detail}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_does_not_want_to_answer_there_has_neither_answered_nor_let_the_time_pass() {
    for (action, by) in [("decline", "human"), ("cancel", "cancelled")] {
        let bench = Bench::new().await;
        let client = bench.client();
        let id = asked(&client, question()).await;
        assert_eq!(may(&client, &id).await.status, 200);
        let over = said(&client, &id, json!({ "action": action })).await.json();
        let resolution = &over["resolution"];
        assert_eq!((&resolution["by"], &resolution["value"]), (&json!(by), &Value::Null));
        assert_eq!(resolution["verified"], false);
        assert_eq!(resolution.get("declined").is_some(), action == "decline", "{resolution}");
        assert_eq!(resolution.get("default_used"), None, "{resolution}");
        let agent = client.get("/api/v1/agents/api").await.json();
        assert_eq!(agent["stage"]["state"], "working", "it goes on");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn where_a_person_is_within_reach_it_is_not_asked_there() {
    let bench = Bench::new().await;
    let client = bench.client();
    // Somebody has answered just now.
    let first = asked(&client, json!({"question": "First?", "default_action": "none"})).await;
    assert_eq!(answer(&client, &first, json!({"value": "yes"})).await.status, 200);
    let id = asked(&client, question()).await;
    let refused = may(&client, &id).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "person_in_reach"));
    bench.pass(LATELY_MS + 1).await;
    assert_eq!(may(&client, &id).await.status, 200, "they have gone");
    // A channel has brought the next one to somebody.
    let next = asked(&client, json!({"question": "Next?", "default_action": "none"})).await;
    let mark = json!({"via": "notification", "only_delivered": true}).to_string();
    client.send("POST", &format!("/api/v1/prompts/{next}/seen"), &[], mark).await;
    bench.pass(LATELY_MS + 1).await;
    assert_eq!(may(&client, &next).await.code(), "person_in_reach");
    // What was asked there already can still be answered there: the first answer wins.
    assert_eq!(said(&client, &id, json!({"action": "accept", "value": "pg"})).await.status, 422);
    let won = said(&client, &id, json!({"action": "accept", "value": "Postgres"})).await;
    assert_eq!(won.status, 200, "{}", won.text());
    assert_eq!(may(&client, &id).await.code(), "already_resolved");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_much_depends_on_and_what_is_of_others_is_not_asked_there() {
    let bench = Bench::new().await;
    let client = bench.client();
    let mut body = question();
    body["risk"] = json!("high");
    body["on_timeout"] = json!("block");
    let id = asked(&client, body).await;
    assert_eq!(may(&client, &id).await.code(), "high_risk");
    assert_eq!(said(&client, &id, json!({"action": "cancel"})).await.code(), "not_elicited");
    client.report("web", "working").await;
    let as_web = [("x-headsup-agent", "web")];
    for way in ["elicit", "elicited"] {
        let path = format!("/api/v1/prompts/{id}/{way}");
        let reply = client.send("POST", &path, &as_web, r#"{"action":"cancel"}"#).await;
        assert_eq!(reply.code(), "not_your_agent", "{way}");
    }
    assert_eq!(may(&client, "api-p9").await.code(), "no_such_prompt");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_only_the_agent_had_and_nobody_answered_has_been_seen_by_nobody() {
    let bench = Bench::new().await;
    let client = bench.client();
    let id = asked(&client, question()).await;
    assert_eq!(may(&client, &id).await.status, 200);
    bench.pass(31 * 60_000).await;
    let over = client.get(&format!("/api/v1/prompts/{id}")).await.json();
    assert_eq!(over["resolution"]["by"], "timeout");
    assert_eq!(over["resolution"]["nobody_saw_it"], true, "{over}");
    let late = said(&client, &id, json!({"action": "accept", "value": "lite"})).await;
    assert_eq!(late.code(), "already_resolved");
}
