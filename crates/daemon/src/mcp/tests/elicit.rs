//! A question through the client itself, in both eras.

use super::line::{Line, Told, agent, text};
use crate::mcp::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn prompt(resolution: Value) -> Value {
    let state = if resolution.is_null() { "open" } else { "resolved" };
    json!({
        "schema": 1, "id": "api-p1", "agent_id": "api", "kind": "input", "title": "Which colour?",
        "body": null, "options": [{"label": "Red", "value": "r"}, {"label": "Blue", "value": "b"}],
        "multi_select": false, "default_action": "take Red", "opened_at": "2026-11-21T21:00:00.000Z",
        "state": state, "resolution": resolution, "remaining_seconds": 1_800,
    })
}

fn resolution(of: Value) -> Value {
    let mut resolution = json!({
        "by": "human", "value": null, "via": "agent_client", "actor": null,
        "at": "2026-11-21T21:01:00.000Z", "verified": false,
    });
    for (name, value) in of.as_object().unwrap() {
        resolution[name] = value.clone();
    }
    resolution
}

fn by_ada() -> Value {
    resolution(json!({"value": "r", "via": "web", "actor": "ada", "verified": true}))
}

/// A hub that lets the client be asked, and answers each of its words as the real one does.
fn letting() -> Told {
    Told::known(|call| match (call.method, call.path.rsplit('/').next().unwrap_or_default()) {
        (Method::Post, "elicited") => {
            let said = call.body.clone().unwrap();
            let of = match said["action"].as_str().unwrap() {
                "accept" => json!({"value": said["value"]}),
                "decline" => json!({"declined": true}),
                _ => json!({"by": "cancelled"}),
            };
            (200, prompt(resolution(of)))
        }
        _ => (200, prompt(Value::Null)),
    })
}

fn forms() -> Value {
    json!({"elicitation": {}})
}

fn ask() -> Value {
    json!({"name": "request_input", "arguments": {
        "question": "Which colour?", "default_action": "take Red", "options": ["Red", "Blue"],
        "wait_seconds": 60,
    }})
}

/// Calls the tool, and comes back with what the client is to show.
async fn shown(line: &mut Line) -> Value {
    let call = json!({"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": ask()});
    line.send(&call).await;
    let form = line.next().await;
    assert_eq!(form["method"], "elicitation/create", "{form}");
    form
}

fn elicited(hub: &Told) -> Vec<Value> {
    let calls = hub.calls().into_iter().filter(|call| call.path.ends_with("/elicited"));
    calls.filter_map(|call| call.body).collect()
}

#[tokio::test]
async fn in_the_older_era_the_client_is_asked_while_the_call_waits() {
    for (said, told_to_hub, outcome) in [
        (json!({"action": "accept", "content": {"answer": "Blue"}}), "accept", "answered"),
        (json!({"action": "decline"}), "decline", "refused"),
        (json!({"action": "cancel"}), "cancel", "cancelled"),
        (json!({"action": "accept", "content": {}}), "cancel", "cancelled"),
    ] {
        let hub = letting();
        let mut line = Line::initialized(hub.clone(), agent(), forms()).await;
        let form = shown(&mut line).await;
        let params = &form["params"];
        assert_eq!(
            params["requestedSchema"]["properties"]["answer"]["enum"],
            json!(["Red", "Blue"])
        );
        let message = params["message"].as_str().unwrap();
        assert_eq!(message, "Which colour?\n\nIf nobody answers: take Red");
        line.send(&json!({"jsonrpc": "2.0", "id": form["id"], "result": said})).await;
        let result = line.next().await["result"].clone();
        assert_eq!(result["structuredContent"]["outcome"], outcome, "{result}");
        assert_eq!(elicited(&hub)[0]["action"], told_to_hub);
        assert!(!text(&result).contains("in time"), "no time-out: {result}");
        if outcome == "answered" {
            assert_eq!(elicited(&hub)[0]["value"], "Blue");
            assert_eq!(
                text(&result),
                "A person answered through agent_client (unverified) at 2026-11-21T21:01:00.000Z: Blue"
            );
            assert_eq!(result["structuredContent"]["resolution"]["verified"], false);
        }
    }
}

#[tokio::test]
async fn an_answer_elsewhere_wins_and_takes_the_form_back() {
    let is_answered = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&is_answered);
    let hub = Told::known(move |_| match seen.load(Ordering::Relaxed) {
        true => (200, prompt(by_ada())),
        false => (200, prompt(Value::Null)),
    });
    let mut line = Line::initialized(hub.clone(), agent(), forms()).await;
    let form = shown(&mut line).await;
    is_answered.store(true, Ordering::Relaxed);
    let taken_back = line.next().await;
    assert_eq!(taken_back["method"], "notifications/cancelled", "{taken_back}");
    assert_eq!(taken_back["params"]["requestId"], form["id"]);
    let result = line.next().await["result"].clone();
    assert_eq!(text(&result), "ada answered through web at 2026-11-21T21:01:00.000Z: r");
    assert_eq!(elicited(&hub), Vec::<Value>::new());
}

#[tokio::test]
async fn a_client_that_cannot_show_it_after_all_waits_for_the_others() {
    let is_answered = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&is_answered);
    let hub = Told::known(move |_| match seen.load(Ordering::Relaxed) {
        true => (200, prompt(by_ada())),
        false => (200, prompt(Value::Null)),
    });
    let mut line = Line::initialized(hub, agent(), forms()).await;
    let form = shown(&mut line).await;
    let error = json!({"code": -32_601, "message": "no"});
    line.send(&json!({"jsonrpc": "2.0", "id": form["id"], "error": error})).await;
    is_answered.store(true, Ordering::Relaxed);
    let result = line.next().await["result"].clone();
    assert_eq!(result["structuredContent"]["value"], "r", "{result}");
}

#[tokio::test]
async fn where_the_hub_says_no_or_the_client_has_no_forms_nobody_is_asked_there() {
    let refusing = || {
        Told::known(|call| match call.path.ends_with("/elicit") {
            true => (409, json!({"code": "person_in_reach", "detail": "somebody is there"})),
            false => {
                (200, prompt(if call.path.contains("wait_") { by_ada() } else { Value::Null }))
            }
        })
    };
    for (capabilities, asks) in [
        (forms(), true),
        (json!({"elicitation": {"form": {}}}), true),
        (json!({"elicitation": {"url": {}}}), false),
        (json!({}), false),
    ] {
        let hub = refusing();
        let mut line = Line::initialized(hub.clone(), agent(), capabilities.clone()).await;
        let result = line.call("tools/call", ask()).await["result"].clone();
        assert_eq!(result["structuredContent"]["value"], "r", "{result}");
        assert!(line.notes.is_empty(), "{:?}", line.notes);
        let has_asked = hub.calls().iter().any(|call| call.path.ends_with("/elicit"));
        assert_eq!(has_asked, asks, "{capabilities}");
    }
}

#[tokio::test]
async fn in_the_newer_era_the_call_comes_again_with_what_was_said() {
    for tool in ["request_input", "wait_for_input"] {
        let hub = letting();
        let mut line = Line::stateless(hub.clone(), agent(), forms());
        let mut call = ask();
        if tool == "wait_for_input" {
            call = json!({"name": tool, "arguments": {"prompt_id": "api-p1"}});
        }
        let asked = line.call("tools/call", call.clone()).await["result"].clone();
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        let form = &asked["inputRequests"]["answer"];
        assert_eq!(form["method"], "elicitation/create", "{asked}");
        assert_eq!(form["params"]["requestedSchema"]["required"], json!(["answer"]));
        call["requestState"] = asked["requestState"].clone();
        let said = json!({"action": "accept", "content": {"answer": "Blue"}});
        call["inputResponses"] = json!({ "answer": said });
        let result = line.call("tools/call", call).await["result"].clone();
        assert_eq!(result["structuredContent"]["outcome"], "answered", "{result}");
        assert_eq!(elicited(&hub), [json!({"action": "accept", "value": "Blue"})]);
    }
}

#[tokio::test]
async fn in_the_newer_era_too_whoever_was_first_has_answered() {
    let hub = Told::known(|call| match call.path.ends_with("/elicited") {
        true => (409, json!({"code": "already_resolved", "detail": "ada was first"})),
        false => (200, prompt(by_ada())),
    });
    let mut line = Line::stateless(hub, agent(), forms());
    let mut call = ask();
    call["requestState"] = json!("api-p1");
    call["inputResponses"] = json!({"answer": {"action": "decline"}});
    let result = line.call("tools/call", call).await["result"].clone();
    assert_eq!(text(&result), "ada answered through web at 2026-11-21T21:01:00.000Z: r");
}

#[tokio::test]
async fn a_form_that_comes_back_without_an_answer_is_shown_again() {
    for said in [json!({"other": {"action": "accept"}}), json!({"answer": 7}), json!({})] {
        let hub = letting();
        let mut line = Line::stateless(hub.clone(), agent(), forms());
        let mut call = ask();
        let asked = line.call("tools/call", call.clone()).await["result"].clone();
        call["requestState"] = asked["requestState"].clone();
        call["inputResponses"] = said.clone();
        let again = line.call("tools/call", call).await["result"].clone();
        assert_eq!(again["inputRequests"], asked["inputRequests"], "{said}: {again}");
        assert_eq!(again["requestState"], asked["requestState"]);
        assert_eq!(elicited(&hub), Vec::<Value>::new());
    }
}

#[tokio::test]
async fn a_state_that_was_not_given_out_is_refused() {
    let hub = Told::known(|call| match call.path.as_str() {
        "/api/v1/prompts/api-p1" => (200, prompt(Value::Null)),
        _ => (404, json!({"code": "no_such_prompt", "detail": "no prompt is called that"})),
    });
    let mut line = Line::stateless(hub.clone(), agent(), forms());
    for state in ["api-p1-TAMPERED", "other-p1", "x"] {
        let mut call = ask();
        call["requestState"] = json!(state);
        call["inputResponses"] = json!({"answer": {"action": "decline"}});
        let refused = line.call("tools/call", call).await;
        assert_eq!(refused["error"]["code"], -32_602, "{state}: {refused}");
    }
    assert_eq!(elicited(&hub), Vec::<Value>::new());
}
