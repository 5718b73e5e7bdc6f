//! Refusals lead somewhere: what they name is what really works then.

use super::bench::{Bench, Client, Reply};
use super::prompts::{AS_API, asked, question};
use crate::forge::plain::Plain;
use serde_json::{Value, json};

const STAGE: &str = "/api/v1/agents/api/stage";

async fn post(client: &Client, path: &str, body: &Value) -> Reply {
    client.send("POST", path, AS_API, body.to_string()).await
}

async fn tool(client: &Client, name: &str, arguments: Value) -> Value {
    let params = json!({ "name": name, "arguments": arguments });
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let accept = ("accept", "application/json, text/event-stream");
    let headers = [AS_API[0], accept, ("mcp-protocol-version", "2025-11-25")];
    let reply = client.send("POST", "/mcp", &headers, call.to_string()).await;
    reply.json()["result"]["structuredContent"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn with_an_open_question_no_move_is_named_that_would_be_refused() {
    let bench = Bench::new().await;
    let client = bench.client();
    let id = asked(&client, question()).await;
    let complete = json!({"summary": "s"});
    for (path, body) in [
        (STAGE, json!({"stage": "working"})),
        (STAGE, json!({"stage": "blocked"})),
        (STAGE, json!({"stage": "completed"})),
        (STAGE, json!({"stage": "paused"})),
        ("/api/v1/agents/api/task/complete", complete),
        (
            "/api/v1/agents/api/review",
            json!({"pr_url": "https://github.com/a/b/pull/1", "summary": "s"}),
        ),
    ] {
        let told = post(&client, path, &body).await.json();
        assert_eq!(told["status"], 409, "{path} {body}: {told}");
        assert_eq!(told["legal"], json!([]), "{path} {body}: {told}");
        assert!(told.get("allowed").is_none(), "{path} {body}: {told}");
        assert_eq!((&told["prompt_id"], &told["from"]), (&json!(id), &json!("awaiting_input")));
        let hint = told["hint"].as_str().unwrap();
        assert!(hint.contains("cancel_input") && hint.contains("wait_for_input"), "{hint}");
    }
    let error = tool(&client, "mark_blocked", json!({"reason": "r"})).await["error"].clone();
    assert_eq!((&error["code"], &error["prompt_id"]), (&json!("illegal_stage"), &json!(id)));
    assert!(error.get("allowed").is_none() && error["hint"].is_string(), "{error}");
    // And what it says does work.
    assert_eq!(tool(&client, "cancel_input", json!({"prompt_id": id})).await["state"], "resolved");
    assert_eq!(post(&client, STAGE, &json!({"stage": "blocked"})).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_paused_or_not_begun_says_who_may_move_it_and_where() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.report("api", "working").await;
    let told = post(&client, STAGE, &json!({"stage": "paused"})).await.json();
    assert_eq!(told["from"], "none");
    let legal = ["started", "working", "awaiting_input", "blocked", "awaiting_review", "completed"];
    assert_eq!((&told["legal"], &told["allowed"]), (&json!(legal), &json!(legal)));
    let paused = client.send("POST", STAGE, &[], r#"{"stage":"paused"}"#).await;
    assert_eq!(paused.status, 200, "{}", paused.text());
    let told = post(&client, STAGE, &json!({"stage": "working"})).await.json();
    assert_eq!((&told["code"], &told["legal"]), (&json!("illegal_stage"), &json!([])));
    assert!(told["hint"].as_str().unwrap().contains("a person"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_share_of_the_work_is_a_number_that_can_be_one() {
    let bench = Bench::new().await;
    let client = bench.client();
    for bad in ["-1", "-0.1", "1.1", "2", "40", "1e300", "\"half\"", "true"] {
        let body = format!(r#"{{"stage":"working","progress":{bad}}}"#);
        let told = client.send("POST", STAGE, AS_API, body).await;
        assert_eq!(told.status, 400, "{bad}: {}", told.text());
        let detail = told.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains("progress") && detail.contains("number"), "{bad}: {detail}");
    }
    for good in ["0", "0.4", "1", "1.0"] {
        let body = format!(r#"{{"stage":"working","progress":{good}}}"#);
        assert_eq!(client.send("POST", STAGE, AS_API, body).await.status, 200, "{good}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_becomes_ready_and_an_id_in_capitals_is_the_same() {
    let (bench, plain) = (Bench::new().await, Plain::new());
    let client = bench.client();
    plain.branch("work", "new", "a\n");
    let new = json!({
        "title": "Work", "head_branch": "work", "draft": true,
        "folder": plain.path().display().to_string(),
    });
    let json_type = [("content-type", "application/json")];
    let made = client.send("POST", "/api/v1/prs", &[], new.to_string()).await.json();
    let id = made["id"].as_str().unwrap().to_ascii_uppercase();
    let path = format!("/api/v1/prs/{id}");
    let merge = format!("{path}/merge");
    let refused = client.send("POST", &merge, &[], "{}").await;
    assert_eq!(refused.code(), "draft", "{}", refused.text());
    assert!(refused.json()["hint"].as_str().unwrap().contains("headsup pr ready"));
    for draft in [false, true, false] {
        let body = json!({ "draft": draft }).to_string();
        let told = client.send("PATCH", &path, &json_type, body).await;
        assert_eq!((told.status.as_u16(), &told.json()["draft"]), (200, &json!(draft)));
    }
    client.report("api", "working").await;
    let seen = tool(&client, "get_pr_status", json!({"pr_id": id})).await;
    assert_eq!((&seen["id"], &seen["draft"]), (&made["id"], &json!(false)), "{seen}");
    assert_eq!(client.send("POST", &merge, &[], "{}").await.status, 200);
    let body = r#"{"draft":true}"#;
    assert_eq!(client.send("PATCH", &path, &json_type, body).await.code(), "pr_final");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_questions_says_how_long_each_has() {
    let bench = Bench::new().await;
    let client = bench.client();
    let mut brief = question();
    brief["timeout_minutes"] = json!(2);
    asked(&client, brief).await;
    bench.pass(500).await;
    let list = tool(&client, "list_inputs", json!({})).await;
    assert_eq!(list["inputs"][0]["remaining_seconds"], 120, "{list}");
    let prompts = client.get("/api/v1/prompts").await.json();
    assert_eq!(prompts["prompts"][0]["remaining_seconds"], 120, "{prompts}");
    let one = client.get("/api/v1/prompts/api-p1").await.json();
    assert_eq!(one["remaining_seconds"], 120);
    for event in client.log().await {
        assert!(event.to_string().find("remaining_seconds").is_none(), "{event}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_word_of_the_parsers_comes_out() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.report("api", "working").await;
    for (method, path) in [
        ("POST", STAGE),
        ("POST", "/api/v1/agents/api/prompts"),
        ("POST", "/api/v1/agents/api/reports"),
        ("POST", "/api/v1/agents/api/verdicts"),
        ("POST", "/api/v1/agents/api/snooze"),
        ("PUT", "/api/v1/agents/api"),
        ("PATCH", "/api/v1/agents/api"),
        ("PUT", "/api/v1/agents/api/process"),
        ("PUT", "/api/v1/agents/api/task"),
        ("POST", "/api/v1/agents/api/prs"),
        ("POST", "/api/v1/agents/api/review"),
        ("POST", "/api/v1/tasks"),
        ("POST", "/api/v1/prs"),
        ("PUT", "/api/v1/listener"),
        ("POST", "/api/coder/agent-status"),
        ("POST", "/api/agents/api/heartbeat"),
    ] {
        for body in [r#"{"\u0061bc":1}"#, "{", "{}}", "[]", "7", "{\"a\":[]}"] {
            let json_type = [("content-type", "application/json")];
            let told = client.send(method, path, &json_type, body).await;
            let text = told.text();
            assert!(told.status.is_client_error() || told.status == 200, "{method} {path}: {text}");
            for word in
                ["serde", "struct", "expected", "variant", "field `", "at line", "missing field"]
            {
                assert!(!text.contains(word), "{method} {path} {body}: {text}");
            }
        }
    }
}
