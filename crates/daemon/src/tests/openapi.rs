//! The description of the API against the hub as it answers.

use super::bench::{Bench, Client};
use serde_json::{Value, json};
use std::collections::HashSet;

async fn document(client: &Client) -> Value {
    client.get("/api/openapi.json").await.json()
}

/// The schemas made strict: what is not described is not said. Those that are combined with others
/// cannot know all of it.
fn strict(api: &Value) -> Value {
    fn combined(value: &Value, found: &mut HashSet<String>) {
        match value {
            Value::Object(map) => {
                for part in map.get("allOf").and_then(Value::as_array).into_iter().flatten() {
                    found.extend(part["$ref"].as_str().map(str::to_owned));
                }
                map.values().for_each(|value| combined(value, found));
            }
            Value::Array(list) => list.iter().for_each(|value| combined(value, found)),
            _ => {}
        }
    }
    let mut parts = HashSet::new();
    combined(api, &mut parts);
    let mut components = api["components"].clone();
    for (name, schema) in components["schemas"].as_object_mut().unwrap() {
        let is_part = parts.contains(&format!("#/components/schemas/{name}"));
        if !is_part && schema.get("properties").is_some() {
            schema["additionalProperties"] = json!(false);
        }
    }
    components
}

#[track_caller]
fn assert_fits(components: &Value, schema: &Value, value: &Value) {
    assert_is_valid(&validator(components, schema), value);
}

fn validator(components: &Value, schema: &Value) -> jsonschema::Validator {
    let mut whole = schema.clone();
    whole["components"] = components.clone();
    jsonschema::validator_for(&whole).unwrap()
}

#[track_caller]
fn assert_is_valid(validator: &jsonschema::Validator, value: &Value) {
    let errors: Vec<_> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{value:#}");
}

/// A hub with agents in many states.
async fn busy() -> Bench {
    let bench = Bench::new().await;
    let client = bench.client();
    for session in ["s1", "s2"] {
        for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest"] {
            client.hook(event, session, &[]).await;
        }
        bench.pass(1_000).await;
    }
    for event in ["PostToolUse", "Stop", "SessionEnd"] {
        client.hook(event, "s1", &[]).await;
        bench.pass(1_000).await;
    }
    for turn in ["working", "blocked", "failed", "done"] {
        client.report("script", turn).await;
    }
    let seat = r#"{"kind":"custom","name":"web","role":"r","labels":{"a":"b"},"cwd":"/x"}"#;
    client.send("PUT", "/api/v1/agents/taken", &[("content-type", "application/json")], seat).await;
    client.report("gone", "working").await;
    client.send("DELETE", "/api/v1/agents/gone?force=true", &[], "").await;
    bench
}

/// The schema of an answer, as the document has it.
fn answer<'a>(api: &'a Value, method: &str, path: &str, status: u16) -> &'a Value {
    let responses = &api["paths"][path][method]["responses"];
    let response = match &responses[status.to_string()] {
        Value::Null => &responses["default"],
        response => response,
    };
    let (_, content) = response["content"].as_object().unwrap().iter().next().unwrap();
    &content["schema"]
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_what_the_description_says() {
    let bench = busy().await;
    let client = bench.client();
    let api = document(&client).await;
    let components = strict(&api);
    let report = r#"{"turn":"working"}"#;
    let listen = r#"{"address":"127.0.0.1:0"}"#;
    let verdict = r#"{"task":"T","verdict":"passed"}"#;
    let heartbeat = r#"{"state":"active","tool":"Bash","summary":"make"}"#;
    let issue = r#"{"issueId":"P-1","status":"in-progress"}"#;
    let (coder, found) = ("/api/coder/agent-status", "/api/specialists/{name}/report-status");
    let id = "/api/v1/agents/{id}";
    let (hear, expiry) = ("/api/webhooks/kanbanger", "/api/cron/awaiting-input-expiry");
    let (task, comments) = ("/api/v1/tasks/{identifier}", "/api/v1/tasks/{identifier}/comments");
    let (work, done) = ("/api/v1/agents/{id}/task", "/api/v1/agents/{id}/task/complete");
    let calls = [
        ("get", "/api/v1/agents", "/api/v1/agents?all=true", "", 200),
        ("get", "/api/v1/agents", "/api/v1/agents?status=nonsense", "", 400),
        ("get", id, "/api/v1/agents/claude-code-s2", "", 200),
        ("get", id, "/api/v1/agents/claude-code-s1", "", 200),
        ("get", id, "/api/v1/agents/nobody", "", 404),
        ("put", id, "/api/v1/agents/new", "{}", 201),
        ("put", id, "/api/v1/agents/new", "{\"x\":1}", 400),
        ("patch", id, "/api/v1/agents/new", "{\"name\":\"n\"}", 200),
        ("delete", id, "/api/v1/agents/new?force=true", "", 200),
        ("post", "/api/v1/agents/{id}/reports", "/api/v1/agents/script/reports", report, 202),
        ("post", "/api/v1/agents/{id}/seen", "/api/v1/agents/script/seen", "", 200),
        ("get", "/api/v1/agents/{id}/activity", "/api/v1/agents/claude-code-s1/activity", "", 200),
        ("get", "/api/v1/agents/{id}/explain", "/api/v1/agents/claude-code-s2/explain", "", 200),
        ("get", "/api/v1/agents/{id}/explain", "/api/v1/agents/script/explain", "", 200),
        ("get", "/api/v1/agents/{id}/evidence", "/api/v1/agents/claude-code-s2/evidence", "", 200),
        ("get", "/api/v1/agents/{id}/evidence", "/api/v1/agents/nobody/evidence", "", 404),
        ("post", "/api/v1/hooks/{kind}", "/api/v1/hooks/claude-code", "{}", 202),
        ("post", "/api/v1/hooks/{kind}", "/api/v1/hooks/nobody", "{}", 404),
        ("get", "/healthz", "/healthz", "", 200),
        ("get", "/api/v1/caller", "/api/v1/caller", "", 200),
        ("get", "/api/v1/listener", "/api/v1/listener", "", 200),
        ("put", "/api/v1/listener", "/api/v1/listener", listen, 200),
        ("post", "/api/v1/listener/codes", "/api/v1/listener/codes", "", 201),
        ("delete", "/api/v1/listener", "/api/v1/listener", "", 200),
        ("post", "/api/v1/listener/codes", "/api/v1/listener/codes", "", 409),
        ("get", "/api/v1/ws", "/api/v1/ws", "", 426),
        ("get", "/api/v1/agents", "/api/v1/agents?vocabulary=jackin", "", 200),
        ("get", "/api/v1/agents", "/api/v1/agents?vocabulary=bob&view=rows", "", 200),
        ("get", "/api/v1/agents", "/api/v1/agents?vocabulary=moon", "", 400),
        ("post", "/api/v1/agents/{id}/verdicts", "/api/v1/agents/script/verdicts", verdict, 200),
        ("post", "/api/v1/agents/{id}/verdicts", "/api/v1/agents/nobody/verdicts", verdict, 404),
        ("get", id, "/api/v1/agents/script", "", 200),
        ("post", coder, coder, r#"{"agent":"a","chat_id":"c","eventType":"Stop"}"#, 202),
        ("post", coder, coder, r#"{"agent":"a","chat_id":"c","eventType":"x"}"#, 202),
        ("post", coder, coder, r#"{"agent":"a"}"#, 400),
        ("get", "/api/coder/ws", "/api/coder/ws", "", 426),
        ("post", "/api/agents/{id}/heartbeat", "/api/agents/h/heartbeat", heartbeat, 202),
        ("post", "/api/agents/{id}/suspend", "/api/agents/h/suspend", "", 409),
        ("post", "/api/agents/{id}/resume", "/api/agents/h/resume", r#"{"message":"m"}"#, 409),
        ("post", "/api/v1/agents/{id}/suspend", "/api/v1/agents/script/suspend", "", 409),
        ("post", "/api/v1/agents/{id}/resume", "/api/v1/agents/nobody/resume", "{}", 404),
        ("post", "/api/v1/agents/{id}/stop", "/api/v1/agents/script/stop", "", 409),
        ("get", "/api/agents/{id}/activity", "/api/agents/h/activity", "", 200),
        ("get", "/api/agents/{id}/activity", "/api/agents/nobody/activity?limit=3", "", 200),
        ("post", found, "/api/specialists/s/report-status", issue, 200),
        ("post", found, "/api/specialists/s/report-status", "{}", 400),
        ("post", "/api/v1/tasks", "/api/v1/tasks", r#"{"title":"t","prefix":"A"}"#, 201),
        ("post", "/api/v1/tasks", "/api/v1/tasks", r#"{"title":"t","status":"x"}"#, 400),
        ("get", "/api/v1/tasks", "/api/v1/tasks", "", 200),
        ("get", task, "/api/v1/tasks/A-1", "", 200),
        ("patch", task, "/api/v1/tasks/A-1", r#"{"status":"done"}"#, 200),
        ("post", comments, "/api/v1/tasks/A-1/comments", r#"{"comment":"c"}"#, 201),
        ("get", work, "/api/v1/agents/h/task", "", 200),
        ("put", work, "/api/v1/agents/h/task", r#"{"task_identifier":"A-1"}"#, 200),
        ("get", work, "/api/v1/agents/h/task", "", 200),
        ("post", done, "/api/v1/agents/h/task/complete", r#"{"summary":"s"}"#, 200),
        ("post", done, "/api/v1/agents/h/task/complete", r#"{"summary":"s"}"#, 200),
        ("get", "/api/v1/webhooks", "/api/v1/webhooks", "", 200),
        ("get", "/api/v1/webhooks", "/api/v1/webhooks?limit=0", "", 400),
        ("post", hear, hear, "{}", 404),
        ("get", expiry, expiry, "", 200),
    ];
    let json = [("content-type", "application/json")];
    let (open, prompt) = ("/api/v1/agents/{id}/prompts", "/api/v1/prompts/{pid}");
    let (given, back) = ("/api/v1/prompts/{pid}/answer", "/api/v1/prompts/{pid}/cancel");
    let (seen, stage) = ("/api/v1/prompts/{pid}/seen", "/api/v1/agents/{id}/stage");
    let (workflow, snooze) = ("/api/v1/agents/{id}/workflow", "/api/v1/agents/{id}/snooze");
    let question = r#"{"question":"?","default_action":"-","options":["a","b"]}"#;
    let more = [
        ("post", open, "/api/v1/agents/script/prompts", question, 201),
        ("post", open, "/api/v1/agents/script/prompts", "{}", 400),
        ("get", "/api/v1/prompts", "/api/v1/prompts", "", 200),
        ("get", prompt, "/api/v1/prompts/script-p3", "", 404),
        ("get", prompt, "/api/v1/prompts/script-p2", "", 200),
        ("post", seen, "/api/v1/prompts/script-p2/seen", r#"{"via":"web"}"#, 200),
        ("get", workflow, "/api/v1/agents/script/workflow", "", 200),
        ("post", given, "/api/v1/prompts/script-p2/answer", r#"{"option":9}"#, 422),
        ("post", given, "/api/v1/prompts/script-p2/answer", r#"{"option":1}"#, 200),
        ("post", given, "/api/v1/prompts/script-p2/answer", r#"{"option":2}"#, 409),
        ("post", back, "/api/v1/prompts/script-p2/cancel", "{}", 409),
        ("get", "/api/v1/prompts", "/api/v1/prompts?state=resolved", "", 200),
        ("post", stage, "/api/v1/agents/script/stage", r#"{"stage":"blocked"}"#, 200),
        ("post", stage, "/api/v1/agents/script/stage", r#"{"stage":"completed"}"#, 409),
        ("post", snooze, "/api/v1/agents/script/snooze", r#"{"for_ms":1000}"#, 200),
        ("get", id, "/api/v1/agents/script", "", 200),
    ];
    for (method, path, target, body, status) in calls.into_iter().chain(more) {
        let headers = if body.is_empty() { &[][..] } else { &json };
        let reply = client.send(&method.to_uppercase(), target, headers, body).await;
        assert_eq!(reply.status, status, "{method} {target}: {}", reply.text());
        assert_fits(&components, answer(&api, method, path, status), &reply.json());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_message_of_the_stream_is_what_the_description_says() {
    let bench = busy().await;
    let client = bench.client();
    let api = document(&client).await;
    let components = strict(&api);
    let schema = answer(&api, "get", "/api/v1/events", 200);
    // As it is, too: what is strict about the other one tells messages apart that a client could not.
    let validators = [&components, &api["components"]].map(|known| validator(known, schema));
    let mut told = vec![
        json!({"schema": 1, "type": "lagged", "from": "1", "to": "2"}),
        json!({"schema": 1, "type": "cursor_expired", "cursor": "1", "oldest": "2"}),
    ];
    let mut kinds = HashSet::new();
    for query in ["?follow=false", "?since=0&follow=false"] {
        let mut stream = client.events(query).await;
        while let Some(message) = stream.next().await {
            told.push(message.data);
            kinds.insert(message.event);
        }
    }
    assert!(kinds.len() >= 9 && kinds.contains("agent.status_changed"), "{kinds:?}");
    for validator in &validators {
        for message in &told {
            assert_is_valid(validator, message);
        }
        assert!(!validator.is_valid(&json!({"schema": 1, "type": "moon.rose"})));
    }
}

/// The hub serves what is described, by those methods and no others, and each on its transport.
#[tokio::test(flavor = "multi_thread")]
async fn routes_and_description_are_the_same() {
    let bench = Bench::new().await;
    let (client, tcp) = (bench.client(), bench.on_tcp().await);
    let bearer = bench.bearer();
    let headers = [("content-type", "application/json")];
    let told = [headers[0], ("authorization", bearer.as_str())];
    let api = document(&client).await;
    for (path, item) in api["paths"].as_object().unwrap() {
        let target = ["{id}", "{pid}", "{kind}", "{name}", "{identifier}", "{pr}"]
            .iter()
            .fold(path.clone(), |target, part| target.replace(part, "nobody"));
        let only_tcp = path == "/open";
        let only_socket = path.starts_with("/api/v1/listener");
        for method in ["get", "put", "post", "patch", "delete"] {
            // What would act is sent where it can do nothing.
            let target = format!("{target}?no_such_parameter");
            let there = item.get(method).is_some();
            for (client, headers, is_here) in
                [(&client, &headers[..], !only_tcp), (&tcp, &told, !only_socket)]
            {
                let reply = client.open(&method.to_uppercase(), &target, headers, "{").await;
                let status = reply.status();
                let found = match (is_here, there) {
                    (false, _) => status == 404,
                    (true, false) => status == 405,
                    (true, true) => status != 405,
                };
                assert!(found, "{method} {path}: {status}");
            }
        }
    }
}

/// Where the description has no body, or one that may be left out, none is sent and no type of one.
#[tokio::test(flavor = "multi_thread")]
async fn where_no_body_is_needed_none_is_asked_for() {
    let bench = Bench::new().await;
    let (client, tcp) = (bench.client(), bench.on_tcp().await);
    client.report("a", "done").await;
    let api = document(&client).await;
    let bearer = bench.bearer();
    let mut asked = 0;
    for (path, item) in api["paths"].as_object().unwrap() {
        let body = &item["post"]["requestBody"];
        let only_socket = path.starts_with("/api/v1/listener");
        if item.get("post").is_none() || body["required"] == true {
            continue;
        }
        asked += 1;
        let target = ["{id}", "{pid}", "{key}", "{pr}"]
            .iter()
            .fold(path.clone(), |target, part| target.replace(part, "nobody"));
        for client in [&client, &tcp] {
            if only_socket && client.tcp.is_some() {
                continue;
            }
            let head = format!(
                "POST {target} HTTP/1.1\r\nHost: {}\r\nAuthorization: {bearer}\r\n\
                 Connection: close\r\n\r\n",
                client.host()
            );
            let answer = super::bad_input::said(client, head.as_bytes()).await;
            assert!(!answer.starts_with("HTTP/1.1 415"), "{path}: {answer}");
        }
    }
    assert!(asked >= 6, "{asked}");
    let head = "POST /api/v1/agents/a/seen HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\
                Connection: close\r\n\r\n";
    let answer = super::bad_input::said(&client, head.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    for optional in ["/api/v1/prompts/{pid}/cancel", "/api/v1/prompts/{pid}/seen"] {
        let body = &api["paths"][optional]["post"]["requestBody"];
        assert!(body.is_object() && body["required"] != true, "{optional}: {body}");
    }
}
