//! Stages: strict, with the legal moves named; and what is put off.

use super::bench::{Bench, Client, Reply};
use super::prompts::{AS_API, asked, question};
use serde_json::{Value, json};

const STAGE: &str = "/api/v1/agents/api/stage";
const WORKFLOW: &str = "/api/v1/agents/api/workflow";

async fn as_agent(client: &Client, stage: &str) -> Reply {
    client.send("POST", STAGE, AS_API, json!({ "stage": stage }).to_string()).await
}

async fn as_person(client: &Client, body: Value) -> Reply {
    client.send("POST", STAGE, &[], body.to_string()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_illegal_move_names_the_legal_ones_and_makes_no_event() {
    let bench = Bench::new().await;
    let client = bench.client();
    let first = as_agent(&client, "working").await;
    assert_eq!((first.status.as_u16(), &first.json()["status"]), (200, &json!("working")));
    let head = client.head().await;
    let refused = as_agent(&client, "paused").await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "illegal_stage"));
    let told = refused.json();
    assert_eq!(told["from"], "working");
    assert_eq!(told["legal"], json!(["awaiting_input", "blocked", "awaiting_review", "completed"]));
    // The same again says nothing new.
    assert_eq!(as_agent(&client, "working").await.status, 200);
    assert_eq!(client.head().await, head);
    let unknown = as_person(&client, json!({"stage": "sleeping"})).await;
    assert_eq!((unknown.status.as_u16(), unknown.code().as_str()), (400, "bad_stage"));
    assert_eq!(client.head().await, head);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_is_told_with_all_that_belongs_to_it() {
    let mut bench = Bench::new().await;
    let client = bench.client();
    client.report("api", "working").await;
    let none = client.get(WORKFLOW).await.json();
    assert_eq!((&none["status"], &none["run"]), (&json!("none"), &json!(1)));
    let body = json!({"stage": "blocked", "message": "no access", "phase": "deploy",
        "progress": 0.4, "blockers": ["a token", "a person"]});
    assert_eq!(as_person(&client, body).await.status, 200);
    bench.restart().await;
    let client = bench.client();
    let doc = client.send("GET", WORKFLOW, AS_API, "").await.json();
    assert_eq!((&doc["status"], &doc["message"]), (&json!("blocked"), &json!("no access")));
    assert_eq!((&doc["phase"], &doc["progress"]), (&json!("deploy"), &json!(0.4)));
    assert_eq!(doc["blockers"], json!(["a token", "a person"]));
    assert_eq!(doc["allowed"], json!(["working"]));
    assert_eq!(client.headline("api").await, "blocked");
    let person = client.get(WORKFLOW).await.json();
    assert_eq!(person["allowed"], json!(["working", "paused", "failed", "cancelled"]));
    for body in [json!({"stage": "working", "progress": -1}), json!({"stage": "working", "x": 1})] {
        assert_eq!(as_person(&client, body).await.status, 400);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_cannot_pass_its_own_question_by() {
    let bench = Bench::new().await;
    let client = bench.client();
    let id = asked(&client, question()).await;
    let refused = as_agent(&client, "working").await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "open_question"));
    assert_eq!(refused.json()["prompt_id"], id.as_str());
    assert_eq!(as_agent(&client, "completed").await.code(), "illegal_stage");
    let doc = client.send("GET", WORKFLOW, AS_API, "").await.json();
    assert_eq!((&doc["allowed"], &doc["prompt"]["id"]), (&json!([]), &json!(id)));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_completed_begins_anew_with_the_next_prompt() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.hook("SessionStart", "s1", AS_API).await;
    client.hook("UserPromptSubmit", "s1", AS_API).await;
    assert_eq!(as_agent(&client, "completed").await.status, 200);
    let refused = as_agent(&client, "working").await;
    assert_eq!((refused.code().as_str(), &refused.json()["legal"]), ("illegal_stage", &json!([])));
    let question = client.send("POST", super::prompts::OPEN, AS_API, question().to_string()).await;
    assert_eq!(question.code(), "illegal_stage");
    client.hook("Stop", "s1", AS_API).await;
    client.hook("UserPromptSubmit", "s1", AS_API).await;
    let doc = client.get(WORKFLOW).await.json();
    assert_eq!((&doc["status"], &doc["run"]), (&json!("none"), &json!(2)));
    assert_eq!(as_agent(&client, "working").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_whose_prompts_nobody_sees_begins_anew_with_its_next_task() {
    let bench = Bench::new().await;
    let client = bench.client();
    let made =
        client.send("POST", "/api/v1/tasks", &[], r#"{"title":"Next","prefix":"APP"}"#).await;
    assert!(made.status.is_success(), "{}", made.text());
    assert_eq!(as_agent(&client, "completed").await.status, 200);
    let refused = as_agent(&client, "working").await.json();
    let hint = refused["hint"].as_str().unwrap();
    assert!(hint.contains("link_task") && hint.contains("`headsup task link`"), "{refused}");
    let link = async || {
        let task = r#"{"task_identifier":"APP-1"}"#;
        let linked = client.send("PUT", "/api/v1/agents/api/task", AS_API, task).await;
        assert_eq!(linked.status, 200, "{}", linked.text());
        client.get(WORKFLOW).await.json()
    };
    let doc = link().await;
    assert_eq!((&doc["status"], &doc["run"]), (&json!("none"), &json!(2)));
    assert_eq!(as_agent(&client, "working").await.status, 200);
    let doc = link().await;
    assert_eq!((&doc["status"], &doc["run"]), (&json!("working"), &json!(2)), "it is not over");
    assert_eq!(as_agent(&client, "completed").await.status, 200);
    assert_eq!(link().await["run"], 3, "the same task may be taken up again");
    // What a person has ended is not begun again by a task.
    let ended = client.send("POST", STAGE, &[], r#"{"stage":"cancelled"}"#).await;
    assert_eq!(ended.status, 200, "{}", ended.text());
    assert_eq!(link().await["status"], "cancelled");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_put_off_is_told_with_its_agent() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.report("api", "blocked").await;
    let snooze = async |body: &str| {
        client.send("POST", "/api/v1/agents/api/snooze", &[], body.to_owned()).await
    };
    assert_eq!(snooze(r#"{"for_ms": 60000}"#).await.status, 200);
    let agent = client.get("/api/v1/agents/api").await.json();
    assert_eq!(agent["snoozed_until"], "2026-11-21T21:30:57.200Z");
    assert_eq!(agent["headline"], "blocked");
    bench.pass(60_050).await;
    let agent = client.get("/api/v1/agents/api").await.json();
    assert!(agent.get("snoozed_until").is_none(), "its time is over");
    assert_eq!(snooze(r#"{"for_ms": 60000}"#).await.status, 200);
    assert_eq!(snooze(r#"{"for_ms": 0}"#).await.status, 200);
    let agent = client.get("/api/v1/agents/api").await.json();
    assert!(agent.get("snoozed_until").is_none());
    assert_eq!(snooze(r#"{"for_ms": -1}"#).await.code(), "bad_duration");
}

/// Of its turns nobody knows: what it says of its work is shown beside that, and no more is claimed.
#[tokio::test(flavor = "multi_thread")]
async fn what_an_agent_tells_by_its_tools_alone_is_shown() {
    let bench = Bench::new().await;
    let client = bench.client();
    let arguments = json!({"status": "working", "message": "Writing the migration"});
    let params = json!({"name": "update_status", "arguments": arguments});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let headers = [
        ("x-headsup-agent", "mz"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    let told = client.send("POST", "/mcp", &headers, call.to_string()).await.json();
    let said = "Your reported status is now working: Writing the migration";
    assert_eq!(told["result"]["content"][0]["text"], said, "{told}");
    let row = client.get("/api/v1/agents?view=rows").await.json()["rows"][0].clone();
    let shown = (&row["headline"], &row["brief"]);
    assert_eq!(shown, (&json!("unknown"), &json!("working: Writing the migration")));
    // Nobody has looked at a process of it.
    let explained = client.get("/api/v1/agents/mz/explain").await.json();
    for dimension in ["turn", "process"] {
        let winner = &explained["dimensions"][dimension]["winner"];
        assert_eq!(winner["source"], "report", "{dimension}: {explained}");
    }
}
