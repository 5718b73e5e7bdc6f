use super::line::{Line, Told, agent, text};
use crate::mcp::{Method, Reply, Scope, Unreachable};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

fn seat() -> Value {
    json!({
        "schema": 1, "id": "api", "name": "api", "kind": "custom", "role": null, "repo": "app",
        "branch": "main", "worktree": null, "cwd": "/home/ada/app", "host": "box",
        "headline": "working", "started_at": null, "labels": {},
    })
}

fn prompt(id: &str, resolution: Value) -> Value {
    let state = if resolution.is_null() { "open" } else { "resolved" };
    json!({
        "schema": 1, "id": id, "agent_id": "api", "kind": "input", "title": "Which colour?",
        "body": null, "options": [], "multi_select": false, "default_action": "take red",
        "expires_at": "2026-11-21T21:30:00.000Z", "opened_at": "2026-11-21T21:00:00.000Z",
        "answerable": ["api"], "state": state, "resolution": resolution, "remaining_seconds": 1_800,
    })
}

fn by_ada() -> Value {
    json!({
        "by": "human", "value": "blue", "via": "web", "actor": "ada",
        "at": "2026-11-21T21:01:00.000Z",
    })
}

#[tokio::test]
async fn both_eras_get_the_same_list_and_the_same_answers() {
    let hub = || Told::new(|_| (200, seat()));
    let mut old = Line::initialized(hub(), agent(), json!({})).await;
    let mut new = Line::stateless(hub(), agent(), json!({}));
    let discovered = new.call("server/discover", json!({})).await;
    let versions = discovered["result"]["supportedVersions"].to_string();
    assert!(versions.contains("2025-11-25") && versions.contains("2026-07-28"), "{discovered}");
    let list = old.call("tools/list", json!({})).await["result"]["tools"].clone();
    let again = new.call("tools/list", json!({})).await;
    assert_eq!(list.as_array().unwrap().len(), 20);
    assert_eq!(list, again["result"]["tools"]);
    assert_eq!(again["result"]["resultType"], "complete");
    for line in [&mut old, &mut new] {
        let told = line.tool("get_session", json!({})).await;
        assert_eq!(told["isError"], false, "{told}");
        assert_eq!(told["structuredContent"]["branch"], "main");
        assert_eq!(told["structuredContent"]["worktree"], Value::Null);
        assert_eq!(told["structuredContent"].get("labels"), None, "what is not promised");
        assert_eq!(
            text(&told),
            "You are api (custom), in app, on branch main, working in /home/ada/app."
        );
    }
}

/// A client that is told of a version it does not speak hangs up.
#[tokio::test]
async fn whoever_speaks_an_older_version_is_answered_in_it() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18"] {
        let mut line = Line::new(Told::new(|_| (200, seat())), agent(), json!({}));
        let hello = json!({
            "protocolVersion": version, "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        let welcome = line.call("initialize", hello).await;
        assert_eq!(welcome["result"]["protocolVersion"], version, "{welcome}");
        line.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        let told = line.tool("get_session", json!({})).await;
        assert_eq!(told["isError"], false, "{version}: {told}");
    }
}

#[tokio::test]
async fn without_a_scope_each_call_says_which_variable_is_missing() {
    let hub = Told::new(|_| (200, seat()));
    let scope = Scope::from_env(|_| None);
    let mut line = Line::initialized(hub.clone(), scope, json!({})).await;
    for tool in crate::mcp::table::ALL {
        let told = line.tool(tool.name, json!({})).await;
        assert_eq!(told["isError"], true);
        assert_eq!(told["structuredContent"]["error"]["code"], "no_scope", "{told}");
        assert!(text(&told).contains("HEADSUP_AGENT_ID"), "{told}");
    }
    assert!(hub.calls().is_empty(), "the hub was not asked");
}

#[tokio::test]
async fn wrong_arguments_never_reach_the_hub() {
    let hub = Told::new(|_| (200, seat()));
    let mut line = Line::initialized(hub.clone(), agent(), json!({})).await;
    let told = line.tool("update_status", json!({"status": "finished", "message": "m"})).await;
    let error = &told["structuredContent"]["error"];
    assert_eq!(error["code"], "invalid_argument");
    assert_eq!(error["allowed"], json!(["working", "completed"]));
    assert_eq!(error["rpc_code"], -32_602);
    assert_eq!(error["retryable"], false);
    let told = line.tool("get_session", json!({"id": "x"})).await;
    assert_eq!(told["structuredContent"]["error"]["code"], "unknown_argument");
    let unknown = line.call("tools/call", json!({"name": "answer_input"})).await;
    assert_eq!(unknown["error"]["code"], -32_602);
    assert!(unknown["error"]["message"].as_str().unwrap().contains("request_input"), "{unknown}");
    for params in [json!({"name": "get_session", "arguments": "x"}), json!({"arguments": {}})] {
        let bad = line.call("tools/call", params).await;
        assert_eq!(bad["error"]["code"], -32_602, "{bad}");
    }
    assert!(hub.calls().is_empty(), "the hub was not asked");
}

#[tokio::test]
async fn what_is_no_message_is_answered_and_the_line_goes_on() {
    let mut line = Line::initialized(Told::new(|_| (200, seat())), agent(), json!({})).await;
    let long = format!(r#"{{"jsonrpc":"2.0","id":9,"method":"{}"}}"#, "x".repeat(1 << 20));
    for (message, code) in [
        ("nonsense", -32_700),
        (long.as_str(), -32_600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32_600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#, -32_600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#, -32_600),
        (r#"{"id":1,"method":"tools/list"}"#, -32_600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#, -32_602),
    ] {
        line.send_text(message).await;
        let answer = line.next().await;
        assert_eq!(answer["error"]["code"], code, "{answer}");
    }
    line.send_text(r#"{"jsonrpc":"2.0","id":1,"method":"tools/nothing"}"#).await;
    let unknown = line.next().await["error"].take();
    let says = "there is no method \"tools/nothing\" here";
    assert_eq!((&unknown["code"], &unknown["message"]), (&json!(-32_601), &json!(says)));
    let told = line.tool("get_session", json!({})).await;
    assert_eq!(told["isError"], false);
}

#[tokio::test(start_paused = true)]
async fn of_two_calls_with_one_id_each_is_answered() {
    let hub = Told::known(|_| (200, prompt("api-p1", Value::Null)));
    let mut line = Line::initialized(hub, agent(), json!({})).await;
    let wait = |id: Value, seconds: u64| {
        let arguments = json!({"prompt_id": "api-p1", "wait_seconds": seconds});
        let params = json!({"name": "wait_for_input", "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    line.send(&wait(json!(7), 10)).await;
    line.send(&wait(json!(7), 0)).await;
    let refused = line.next().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(7), &json!(-32_600)));
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("the request with id 7 has no answer yet"), "{message}");
    // A text is another id than a number.
    line.send(&wait(json!("7"), 0)).await;
    let other = line.next().await;
    assert_eq!((&other["id"], &other["result"]["isError"]), (&json!("7"), &json!(false)));
    let first = line.next().await;
    assert_eq!(first["id"], 7, "{first}");
    assert_eq!(first["result"]["structuredContent"]["state"], "pending");
    line.send(&wait(json!(7), 0)).await;
    assert_eq!(line.next().await["result"]["isError"], false, "answered, it is free again");
}

#[tokio::test]
async fn the_id_of_a_call_that_was_cancelled_is_not_taken_for_another() {
    let hub = Told::known(|_| (200, prompt("api-p1", Value::Null)));
    let mut line = Line::initialized(hub, agent(), json!({})).await;
    let arguments = json!({"prompt_id": "api-p1", "wait_seconds": 300});
    let params = json!({"name": "wait_for_input", "arguments": arguments});
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
    line.send(&call).await;
    let cancel = json!({"requestId": 7, "reason": "too long"});
    let cancelled = "notifications/cancelled";
    line.send(&json!({"jsonrpc": "2.0", "method": cancelled, "params": cancel})).await;
    line.send(&call).await;
    let refused = line.next().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(7), &json!(-32_600)));
    assert_eq!(line.tool("get_session", json!({})).await["isError"], false, "the line goes on");
}

#[tokio::test]
async fn a_refusal_of_the_hub_is_told_with_what_is_allowed() {
    let hub = Told::known(|_| {
        let problem = json!({
            "code": "illegal_stage", "status": 409, "retryable": false, "legal": ["working"],
            "detail": "a workflow at blocked cannot go to completed",
        });
        (409, problem)
    });
    let mut line = Line::initialized(hub.clone(), agent(), json!({})).await;
    let told = line.tool("update_status", json!({"status": "completed", "message": "done"})).await;
    assert_eq!(told["isError"], true);
    assert_eq!(told["structuredContent"]["error"]["allowed"], json!(["working"]));
    let calls = hub.acts();
    assert_eq!(calls[0].path, "/api/v1/agents/api/stage");
    assert_eq!(calls[0].body, Some(json!({"stage": "completed", "message": "done"})));
    assert!(calls[0].key.is_some());
}

#[tokio::test]
async fn calls_that_come_at_once_act_in_their_order() {
    let hub = Told::known(|_| (200, seat()));
    let mut line = Line::initialized(hub.clone(), agent(), json!({})).await;
    hub.slow_once.store(200, Ordering::Relaxed);
    let messages = ["one", "two", "three"];
    for message in messages {
        let arguments = json!({"status": "working", "message": message});
        let params = json!({"name": "update_status", "arguments": arguments});
        let call =
            json!({"jsonrpc": "2.0", "id": message, "method": "tools/call", "params": params});
        line.send(&call).await;
    }
    for _ in messages {
        line.next().await;
    }
    let bodies: Vec<Value> = hub.acts().into_iter().filter_map(|call| call.body).collect();
    let said: Vec<&Value> = bodies.iter().map(|body| &body["message"]).collect();
    assert_eq!(said, messages);
}

#[tokio::test]
async fn a_hub_that_cannot_be_reached_is_told_as_that() {
    let gone = || Unreachable { message: "no hub listens there".to_owned(), hint: None };
    let hub = Told::or_gone(move |_| Err(gone()));
    let mut line = Line::initialized(hub, agent(), json!({})).await;
    let told = line.tool("get_session", json!({})).await;
    let error = &told["structuredContent"]["error"];
    assert_eq!(error["code"], "hub_unreachable");
    assert_eq!(error["retryable"], true);
}

#[tokio::test]
async fn a_question_that_is_answered_in_time_comes_back_with_who_said_what() {
    let hub = Told::new(|call| match call.method {
        Method::Post => (201, prompt("api-p1", Value::Null)),
        _ => (200, prompt("api-p1", by_ada())),
    });
    let mut line = Line::initialized(hub.clone(), agent(), json!({})).await;
    let ask =
        json!({"question": "Which colour?", "default_action": "take red", "wait_seconds": 30});
    let told = line.tool("request_input", ask).await;
    let structured = &told["structuredContent"];
    assert_eq!(structured["state"], "resolved");
    assert_eq!(structured["outcome"], "answered");
    assert_eq!(structured["value"], "blue");
    assert_eq!(structured["resolution"]["actor"], "ada");
    assert_eq!(text(&told), "ada answered through web at 2026-11-21T21:01:00.000Z: blue");
    let calls = hub.acts();
    assert_eq!(calls[0].path, "/api/v1/agents/api/prompts");
    assert_eq!(calls[0].body.as_ref().unwrap().get("wait_seconds"), None, "the wait is ours");
    assert_eq!(calls[1].path, "/api/v1/prompts/api-p1?wait_seconds=30");
}

#[tokio::test]
async fn a_question_that_stays_open_is_pending_with_the_word_what_to_call() {
    let hub = Told::new(|call| match call.method {
        Method::Post => (201, prompt("api-p1", Value::Null)),
        _ => (200, prompt("api-p1", Value::Null)),
    });
    let mut line = Line::initialized(hub.clone(), agent(), json!({})).await;
    let ask = json!({"question": "q", "default_action": "d", "wait_seconds": 0});
    let told = line.tool("request_input", ask).await;
    let structured = &told["structuredContent"];
    assert_eq!(
        (&structured["state"], &structured["prompt_id"]),
        (&json!("pending"), &json!("api-p1"))
    );
    assert_eq!(structured["remaining_seconds"], 1_800);
    assert!(text(&told).contains("call wait_for_input with prompt_id \"api-p1\""), "{told}");
    assert_eq!(told["isError"], false);
    assert_eq!(hub.acts().len(), 1, "nothing was waited for");
    let told = line.tool("wait_for_input", json!({"prompt_id": "api-p1", "wait_seconds": 0})).await;
    assert_eq!(told["structuredContent"]["state"], "pending");
}

#[tokio::test]
async fn a_time_out_is_told_as_that_and_never_as_a_refusal() {
    let resolution = json!({
        "by": "timeout", "value": "take red", "via": null, "actor": null,
        "at": "2026-11-21T21:30:00.000Z", "default_used": true, "nobody_saw_it": true,
    });
    let hub = Told::new(move |_| (200, prompt("api-p1", resolution.clone())));
    let mut line = Line::initialized(hub, agent(), json!({})).await;
    let told = line.tool("wait_for_input", json!({"prompt_id": "api-p1"})).await;
    let structured = &told["structuredContent"];
    assert_eq!(structured["outcome"], "timed_out");
    assert_eq!(structured["default_used"], true);
    assert_eq!(structured["nobody_saw_it"], true);
    assert_eq!(
        text(&told),
        "Nobody answered in time, and nobody refused. Nobody has even seen the question. You said you \
         would then: take red"
    );
}

/// Clients that cut a call off after a minute take the request back, and tell their model of a time-out.
#[tokio::test(start_paused = true)]
async fn a_client_that_cuts_the_call_of_half_an_hour_off_gets_the_answer_by_its_next_one() {
    let is_answered = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let seen = std::sync::Arc::clone(&is_answered);
    let hub = Told::known(move |_| match seen.load(Ordering::Relaxed) {
        true => (200, prompt("api-p1", by_ada())),
        false => (200, prompt("api-p1", Value::Null)),
    });
    let mut line = Line::initialized(hub.clone(), agent(), json!({})).await;
    let ask = json!({
        "question": "Which colour?", "default_action": "take red", "timeout_minutes": 30,
        "wait_seconds": 300,
    });
    let params =
        json!({"name": "request_input", "arguments": ask, "_meta": {"progressToken": "t"}});
    let began = tokio::time::Instant::now();
    line.send(&json!({"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": params})).await;
    // It hears that the wait goes on, and does not care.
    while began.elapsed().as_secs() < 60 {
        assert_eq!(line.next().await["method"], "notifications/progress");
    }
    let cancel = json!({"requestId": 77, "reason": "MCP error -32001: Request timed out"});
    let cancelled = "notifications/cancelled";
    line.send(&json!({"jsonrpc": "2.0", "method": cancelled, "params": cancel})).await;
    let told = line.tool("wait_for_input", json!({"prompt_id": "api-p1", "wait_seconds": 0})).await;
    assert_eq!(told["structuredContent"]["state"], "pending", "{told}");
    let paths = || hub.acts().into_iter().map(|call| call.path).collect::<Vec<_>>();
    assert!(paths().iter().all(|path| !path.ends_with("/cancel")), "it stays open: {:?}", paths());
    is_answered.store(true, Ordering::Relaxed);
    let told = line.tool("wait_for_input", json!({"prompt_id": "api-p1"})).await;
    assert_eq!(told["structuredContent"]["value"], "blue", "{told}");
    assert!(line.notes.iter().all(|note| note["id"] != 77), "nobody waits for that any more");
}

#[tokio::test(start_paused = true)]
async fn a_wait_tells_that_it_goes_on_where_that_is_wanted_and_outlives_a_hub() {
    let asked = AtomicUsize::new(0);
    let hub = Told::or_gone(move |call| match asked.fetch_add(1, Ordering::Relaxed) {
        0 => {
            assert_eq!(call.path, "/api/v1/agents/api");
            Ok(Reply { status: 200, body: seat() })
        }
        // A hub that stops answers what waits there at once, and is gone for a while.
        1 => Ok(Reply { status: 200, body: prompt("api-p1", Value::Null) }),
        2..40 => Err(Unreachable { message: "gone".to_owned(), hint: None }),
        _ => Ok(Reply { status: 200, body: prompt("api-p1", by_ada()) }),
    });
    let mut line = Line::initialized(hub, agent(), json!({})).await;
    let params = json!({
        "name": "wait_for_input", "arguments": {"prompt_id": "api-p1", "wait_seconds": 60},
        "_meta": {"progressToken": "t"},
    });
    let told = line.call("tools/call", params).await;
    assert_eq!(told["result"]["structuredContent"]["value"], "blue", "{told}");
    let notes: Vec<_> = line.notes.iter().map(|note| &note["params"]).collect();
    assert!(!notes.is_empty(), "ten seconds are long enough for a sign of life");
    assert!(notes.iter().all(|note| note["progressToken"] == "t" && note["total"] == 60.0));
    let progress = notes.iter().map(|note| note["progress"].as_f64().unwrap());
    assert!(progress.is_sorted_by(|a, b| a < b), "it only rises");
}

#[tokio::test]
async fn a_client_with_tasks_gets_one_instead_of_a_wait() {
    let answered = std::sync::Arc::new(AtomicUsize::new(0));
    let seen = std::sync::Arc::clone(&answered);
    let hub = Told::new(move |call| {
        let is_cancel = call.path.ends_with("/cancel");
        match (call.path.contains("/none"), is_cancel, seen.load(Ordering::Relaxed)) {
            (true, ..) => {
                (404, json!({"code": "no_such_prompt", "detail": "no prompt is called that"}))
            }
            (_, _, 0) => (200, prompt("api-p1", Value::Null)),
            _ => (200, prompt("api-p1", by_ada())),
        }
    });
    let tasks = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let mut line = Line::stateless(hub.clone(), agent(), tasks);
    let ask = json!({"question": "q", "default_action": "d"});
    let told = line.tool("request_input", ask).await;
    assert_eq!(told["resultType"], "task", "{told}");
    assert_eq!((&told["taskId"], &told["status"]), (&json!("api-p1"), &json!("working")));
    assert_eq!(hub.acts().len(), 1, "nothing is waited for");
    let task = line.call("tasks/get", json!({"taskId": "api-p1"})).await["result"].clone();
    assert_eq!((&task["status"], &task["pollIntervalMs"]), (&json!("working"), &json!(5_000)));
    answered.store(1, Ordering::Relaxed);
    let task = line.call("tasks/get", json!({"taskId": "api-p1"})).await["result"].clone();
    assert_eq!(task["status"], "completed", "{task}");
    assert_eq!(task["result"]["structuredContent"]["value"], "blue");
    let none = line.call("tasks/get", json!({"taskId": "none"})).await;
    assert_eq!(none["error"]["code"], -32_602, "{none}");
    let cancelled = line.call("tasks/cancel", json!({"taskId": "api-p1"})).await;
    assert!(cancelled.get("result").is_some(), "{cancelled}");
}

#[tokio::test]
async fn an_agent_that_nobody_knows_appears_with_its_first_call_as_what_its_client_is() {
    let there = std::sync::Arc::new(AtomicUsize::new(0));
    let seen = std::sync::Arc::clone(&there);
    let hub = Told::new(move |call| match (call.method, seen.load(Ordering::Relaxed)) {
        (Method::Put, _) => {
            seen.store(1, Ordering::Relaxed);
            (201, json!({"schema": 1, "agent_id": "api", "cursor": "1"}))
        }
        (_, 0) => (404, json!({"code": "no_such_agent", "detail": "no agent is called that"})),
        _ => (200, seat()),
    });
    let mut line = Line::initialized(hub.clone(), agent(), json!({})).await;
    for _ in 0..2 {
        let told = line.tool("get_session", json!({})).await;
        assert_eq!(told["structuredContent"]["id"], "api", "{told}");
    }
    let puts: Vec<_> = hub.calls().into_iter().filter(|call| call.method == Method::Put).collect();
    assert_eq!(puts.len(), 1, "once");
    assert_eq!(puts[0].body, Some(json!({"kind": "custom", "adopted": true})));
}

#[tokio::test]
async fn the_same_question_is_not_asked_twice_and_that_of_another_agent_is_not_waited_for() {
    let hub = Told::new(|call| match call.path.as_str() {
        "/api/v1/prompts?state=open&agent=api" => {
            (200, json!({"schema": 1, "prompts": [prompt("api-p7", Value::Null)]}))
        }
        "/api/v1/agents/api" => (200, seat()),
        _ => (200, prompt("api-p7", Value::Null)),
    });
    let mut line = Line::initialized(hub.clone(), agent(), json!({})).await;
    let ask =
        json!({"question": " Which colour?", "default_action": "take red", "wait_seconds": 0});
    let told = line.tool("request_input", ask).await;
    assert_eq!(told["structuredContent"]["prompt_id"], "api-p7", "{told}");
    assert!(hub.calls().iter().all(|call| call.method == Method::Get), "{:?}", hub.calls());
    let told = line.tool("wait_for_input", json!({"prompt_id": "other-p1"})).await;
    assert_eq!(told["structuredContent"]["error"]["code"], "not_your_agent", "{told}");
}
