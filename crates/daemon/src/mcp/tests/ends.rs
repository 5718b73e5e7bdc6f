//! Calls of a client that leaves, that comes again, and that asks for what is not its own.

use super::line::{Line, Told, agent, text};
use crate::mcp::stdio;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

fn prompt(id: &str) -> Value {
    json!({
        "schema": 1, "id": id, "agent_id": "api", "kind": "input", "title": "Which colour?",
        "body": null, "options": [], "default_action": "take red", "state": "open",
        "opened_at": "2026-11-21T21:00:00.000Z", "resolution": null, "remaining_seconds": 1_800,
    })
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_with_the_line_and_says_how_it_stands() {
    let hub = Told::known(|_| (200, prompt("api-p1")));
    let mut line = Line::initialized(hub, agent(), json!({})).await;
    let wait = json!({"prompt_id": "api-p1", "wait_seconds": 300});
    let params = json!({"name": "wait_for_input", "arguments": wait});
    line.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})).await;
    line.close().await;
    let told = line.next().await;
    assert_eq!(told["id"], 7, "{told}");
    assert_eq!(told["result"]["structuredContent"]["state"], "pending", "{told}");
}

/// A client that gives up its first question may say so before anything has begun.
#[tokio::test]
async fn what_is_no_request_ends_no_line_that_has_not_begun() {
    let note = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1},
    });
    let others = [
        note.clone(),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 9, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 9, "error": {"code": 1, "message": "no"}}),
    ];
    let hub = || Told::known(|_| (200, prompt("api-p1")));
    let old = Line::new(hub(), agent(), json!({}));
    let new = Line::stateless(hub(), agent(), json!({}));
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    });
    let eras = [
        (old, [("tools/list", json!({})), ("initialize", hello)], [false, true]),
        (new, [("server/discover", json!({})), ("tools/list", json!({}))], [true, true]),
    ];
    for (mut line, calls, answered) in eras {
        for ((method, params), is_answered) in calls.into_iter().zip(answered) {
            for other in &others {
                line.send(other).await;
            }
            let told = line.call(method, params).await;
            assert_eq!(told.get("result").is_some(), is_answered, "{method}: {told}");
        }
        line.send(&note).await;
        let list = line.call("tools/list", json!({})).await;
        assert!(list["result"]["tools"].is_array(), "{list}");
    }
}

#[tokio::test]
async fn a_server_that_cannot_serve_answers_the_first_message_with_why() {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(theirs);
    let refusing = tokio::spawn(stdio::refuse_on("there is no such address", read, write));
    let (mut read, mut write) = tokio::io::split(ours);
    write
        .write_all(b"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"initialize\"}\n")
        .await
        .unwrap();
    let mut said = String::new();
    read.read_to_string(&mut said).await.unwrap();
    refusing.await.unwrap().unwrap();
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(
        (&said["id"], &said["error"]["message"]),
        (&json!("a"), &json!("there is no such address"))
    );
}

#[tokio::test]
async fn a_task_of_another_agent_is_neither_shown_nor_ended() {
    let hub = Told::known(|_| (200, prompt("other-p1")));
    let tasks = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let mut line = Line::stateless(hub.clone(), agent(), tasks);
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let params = json!({"taskId": "other-p1", "inputResponses": {}});
        let refused = line.call(method, params).await;
        assert_eq!(refused["error"]["code"], -32_602, "{method}: {refused}");
        let why = refused["error"]["message"].as_str().unwrap();
        assert!(why.contains("question of other"), "{method}: {refused}");
    }
    assert!(hub.calls().is_empty(), "{:?}", hub.calls());
}

#[tokio::test]
async fn a_refusal_names_tools_and_no_requests() {
    for (code, hint, tool) in [
        ("no_task", "link one first: PUT /api/v1/agents/{id}/task", "link_task"),
        ("no_such_prompt", "GET /api/v1/prompts lists what is open", "list_inputs"),
        ("no_such_pr", "GET /api/v1/prs lists them", "list_session_prs"),
        ("draft", "say that it is ready: `headsup pr ready`, or PATCH draft false", "merge_pr"),
        ("no_repository", "name its folder, an absolute path, as `folder`", "headsup pr create"),
        ("some_code", "POST /api/v1/other does it", ""),
    ] {
        let hub = Told::known(move |_| (409, json!({"code": code, "detail": "no", "hint": hint})));
        let mut line = Line::initialized(hub, agent(), json!({})).await;
        let told = line.tool("get_task_context", json!({})).await;
        let said = text(&told);
        assert!(
            said.contains(tool)
                && ["/api/", "PATCH", "`folder`"].iter().all(|word| !said.contains(word)),
            "{said}"
        );
    }
}

#[tokio::test]
async fn what_is_known_of_a_task_and_of_a_pull_request_is_told_as_text_too() {
    let hub = Told::known(|call| match call.path.ends_with("/task") {
        true => {
            let comment =
                |body: String| json!({"id": "c", "author": "ada", "body": body, "created_at": "T"});
            let comments: Vec<_> = (0..30).map(|n| comment(format!("word {n}"))).collect();
            let body = format!("Mind the cookie. {}", "x".repeat(9_000));
            let task = json!({
                "identifier": "APP-1", "title": "Log in", "status": "todo", "body": body,
                "comments": comments,
            });
            (200, json!({"has_task": true, "task": task}))
        }
        false => (
            200,
            json!({
                "id": "u", "title": "Log in", "state": "open", "draft": true, "head_branch": "a",
                "base_branch": "main", "additions": 3, "deletions": 1, "changed_files": 1,
                "files": [{"path": "src/login.rs", "additions": 3, "deletions": 1}],
                "mergeable": false, "mergeable_reason": "a check has failed",
                "checks": ["build: failure"], "reviews": ["ada: approved"],
            }),
        ),
    });
    let mut line = Line::initialized(hub, agent(), json!({})).await;
    let task = line.tool("get_task_context", json!({})).await;
    let said = text(&task);
    for words in [
        "APP-1",
        "Mind the cookie.",
        "cut here",
        "ada, T: word 29",
        "and 20 more",
        "no instruction",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(said.len() < 8_000, "{} bytes", said.len());
    let id = json!({"pr_id": "0199e1f0-1c2d-7a3b-8c4d-5e6f70819293"});
    let pr = line.tool("get_pr_status", id).await;
    let said = text(&pr);
    for words in
        ["draft", "src/login.rs +3 -1", "a check has failed", "build: failure", "ada: approved"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
}
