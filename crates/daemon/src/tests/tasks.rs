//! Tasks of the hub's own tracker, through its routes.

use super::bench::{Bench, Client, Reply};
use crate::tracker::contract;
use serde_json::{Value, json};

async fn send(client: &Client, method: &str, path: &str, body: &Value) -> Reply {
    client.send(method, path, &[("content-type", "application/json")], body.to_string()).await
}

async fn ok(client: &Client, method: &str, path: &str, body: &Value) -> Value {
    let reply = send(client, method, path, body).await;
    assert!(reply.status.is_success(), "{method} {path}: {}", reply.text());
    reply.json()
}

/// An agent with a task.
async fn at_work(client: &Client) -> String {
    client.report("api", "working").await;
    let made = json!({"title": "Log in", "prefix": "APP"});
    let task = ok(client, "POST", "/api/v1/tasks", &made).await;
    let identifier = task["identifier"].as_str().unwrap().to_owned();
    let link = json!({"task_identifier": identifier.to_lowercase()});
    let linked = ok(client, "PUT", "/api/v1/agents/api/task", &link).await;
    assert_eq!((&linked["has_task"], &linked["task"]["title"]), (&json!(true), &json!("Log in")));
    identifier
}

#[tokio::test(flavor = "multi_thread")]
async fn the_hubs_own_tracker_keeps_what_every_tracker_keeps() {
    let bench = Bench::new().await;
    contract::keeps(bench.hub().tracker()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_count_on_within_a_prefix_also_over_a_kill() {
    let bench = Bench::new().await;
    let client = bench.client();
    let made = |prefix: &str| json!({"title": "t", "prefix": prefix});
    for (prefix, identifier) in [("A", "A-1"), ("A", "A-2"), ("B", "B-1"), ("A", "A-3")] {
        let task = ok(&client, "POST", "/api/v1/tasks", &made(prefix)).await;
        assert_eq!(task["identifier"], identifier);
    }
    let bench = bench.killed_now().await;
    let client = bench.client();
    assert_eq!(ok(&client, "POST", "/api/v1/tasks", &made("A")).await["identifier"], "A-4");
    assert_eq!(client.get("/api/v1/tasks/A-1").await.json()["title"], "t");
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_that_are_made_side_by_side_have_numbers_of_their_own() {
    let bench = Bench::new().await;
    let client = bench.client();
    let make = |_| {
        let client = client.clone();
        tokio::spawn(async move {
            let body = json!({"title": "t", "prefix": "A"});
            ok(&client, "POST", "/api/v1/tasks", &body).await["identifier"].to_string()
        })
    };
    let made: Vec<_> = (0..40).map(make).collect();
    let mut names = std::collections::HashSet::new();
    for task in made {
        assert!(names.insert(task.await.unwrap()), "twice the same");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agents_task_is_in_its_document_and_outlives_a_restart() {
    let mut bench = Bench::new().await;
    let client = bench.client();
    assert_eq!(client.get("/api/v1/agents/api/task").await.code(), "no_such_agent");
    client.report("api", "working").await;
    assert_eq!(client.get("/api/v1/agents/api/task").await.json()["has_task"], false);
    let identifier = at_work(&client).await;
    let updated = client.log().await;
    assert_eq!(updated.last().unwrap()["agent"]["task"], identifier.as_str());
    bench.restart().await;
    let client = bench.client();
    let doc = client.get("/api/v1/agents/api").await.json();
    assert_eq!(doc["task"], identifier.as_str());
    let comment = json!({"comment": "half of it"});
    let comments = "/api/v1/agents/api/task/comments";
    let by = [("content-type", "application/json"), ("x-headsup-agent", "api")];
    let said = client.send("POST", comments, &by, comment.to_string()).await.json();
    assert_eq!(said["author"], "api");
    let said = ok(&client, "POST", comments, &json!({"comment": "go on"})).await;
    assert_eq!(said["author"], Value::Null, "a person has said it");
    let status = json!({"status": "in_progress"});
    let moved = ok(&client, "POST", "/api/v1/agents/api/task/status", &status).await;
    assert_eq!(
        (&moved["status"], &moved["comments"][0]["body"]),
        (&json!("in_progress"), &json!("half of it"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn completing_is_one_unit_and_happens_once() {
    let bench = Bench::new().await;
    let client = bench.client();
    let identifier = at_work(&client).await;
    let url = "https://github.com/a/b/pull/7";
    let review = json!({"pr_url": url, "summary": "ready", "notes_for_reviewer": "look at x"});
    ok(&client, "POST", "/api/v1/agents/api/review", &review).await;
    let task = client.get(&format!("/api/v1/tasks/{identifier}")).await.json();
    assert_eq!(task["status"], "in_review");
    assert!(task["comments"][0]["body"].as_str().unwrap().contains("look at x"));
    let agent = client.get("/api/v1/agents/api").await.json();
    assert_eq!(
        (&agent["stage"]["state"], &agent["prs"]),
        (&json!("awaiting_review"), &json!([url]))
    );

    let complete = json!({"summary": "passkeys work", "pr_url": url});
    let path = "/api/v1/agents/api/task/complete";
    let id = [("x-headsup-id", "done-1")];
    for duplicate in [false, true] {
        let reply = client.send("POST", path, &id, complete.to_string()).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        let receipt = reply.json();
        assert_eq!(receipt["duplicate"].as_bool().unwrap_or(false), duplicate);
        let of = |effect: &Value| (effect["kind"].clone(), effect["state"].clone());
        let effects: Vec<_> = receipt["effects"].as_array().unwrap().iter().map(of).collect();
        let done = |kind: &str| (json!(kind), json!("done"));
        assert_eq!(effects, [done("comment"), done("task_status")], "{receipt}");
    }
    let task = client.get(&format!("/api/v1/tasks/{identifier}")).await.json();
    assert_eq!((&task["status"], task["comments"].as_array().unwrap().len()), (&json!("done"), 2));
    let head = client.head().await;
    let again = send(&client, "POST", path, &complete).await;
    assert_eq!((again.status.as_u16(), &again.json()["duplicate"]), (200, &json!(true)));
    let first = client.send("POST", path, &id, complete.to_string()).await.json();
    let keys = |receipt: &Value| -> Vec<Value> {
        receipt["effects"].as_array().unwrap().iter().map(|effect| effect["key"].clone()).collect()
    };
    assert_eq!(keys(&again.json()), keys(&first), "it is what the first one made");
    assert_eq!(client.head().await, head, "what was done is no event");
    let task = client.get(&format!("/api/v1/tasks/{identifier}")).await.json();
    assert_eq!(task["comments"].as_array().unwrap().len(), 2, "nor a comment");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_completed_is_said_again_and_tells_the_task_of_it_once() {
    let bench = Bench::new().await;
    let client = bench.client();
    let identifier = at_work(&client).await;
    let stage = "/api/v1/agents/api/stage";
    let task = || async { client.get(&format!("/api/v1/tasks/{identifier}")).await.json() };
    for message in ["done", "really"] {
        let said = json!({"stage": "completed", "message": message});
        let workflow = ok(&client, "POST", stage, &said).await;
        assert_eq!((&workflow["status"], &workflow["run"]), (&json!("completed"), &json!(1)));
        assert_eq!(client.get("/api/v1/agents/api").await.json()["stage"]["message"], message);
    }
    let said = task().await["comments"].as_array().unwrap().len();
    // The stage alone has not handed in what was done.
    for _ in 0..2 {
        let complete = json!({"summary": "passkeys work"});
        ok(&client, "POST", "/api/v1/agents/api/task/complete", &complete).await;
        let task = task().await;
        assert_eq!(
            (&task["status"], task["comments"].as_array().unwrap().len()),
            (&json!("done"), said + 1)
        );
    }
    assert_eq!(said, 1, "{}", task().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_can_be_left_where_it_stands_and_may_be_missing() {
    let bench = Bench::new().await;
    let client = bench.client();
    let identifier = at_work(&client).await;
    let complete = json!({"summary": "s", "mark_issue_done": false});
    ok(&client, "POST", "/api/v1/agents/api/task/complete", &complete).await;
    let task = client.get(&format!("/api/v1/tasks/{identifier}")).await.json();
    assert_eq!(task["status"], "todo");
    client.report("lone", "working").await;
    ok(&client, "POST", "/api/v1/agents/lone/task/complete", &complete).await;
    let lone = client.get("/api/v1/agents/lone").await.json();
    assert_eq!(lone["stage"]["state"], "completed");
    for (path, body) in
        [("comments", json!({"comment": "x"})), ("status", json!({"status": "done"}))]
    {
        let reply = send(&client, "POST", &format!("/api/v1/agents/lone/task/{path}"), &body).await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (409, "no_task"), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_named_and_changes_nothing() {
    let bench = Bench::new().await;
    let client = bench.client();
    let identifier = at_work(&client).await;
    let task = format!("/api/v1/tasks/{identifier}");
    let comments = format!("{task}/comments");
    let before = client.get(&task).await.json();
    let long = "x".repeat(201);
    let cases = [
        ("POST", "/api/v1/tasks", json!({}), "bad_json"),
        ("POST", "/api/v1/tasks", json!({"title": " \u{200b}"}), "bad_task"),
        ("POST", "/api/v1/tasks", json!({"title": long}), "too_long"),
        ("POST", "/api/v1/tasks", json!({"title": "t", "prefix": "a b"}), "bad_task"),
        ("POST", "/api/v1/tasks", json!({"title": "t", "folder": "here"}), "bad_task"),
        ("POST", "/api/v1/tasks", json!({"title": "t", "status": "later"}), "bad_task"),
        ("POST", "/api/v1/tasks", json!({"title": "t", "assignee": "me"}), "bad_json"),
        ("PATCH", task.as_str(), json!({}), "bad_task"),
        ("PATCH", task.as_str(), json!({"status": "closed"}), "bad_task"),
        ("PATCH", "/api/v1/tasks/APP-99", json!({"status": "done"}), "no_such_task"),
        ("POST", comments.as_str(), json!({"comment": "\n"}), "bad_task"),
        ("PUT", "/api/v1/agents/api/task", json!({"task_identifier": "APP-99"}), "no_such_task"),
        ("PUT", "/api/v1/agents/api/task", json!({"task_identifier": "x"}), "no_such_task"),
        (
            "PUT",
            "/api/v1/agents/nobody/task",
            json!({"task_identifier": identifier}),
            "no_such_agent",
        ),
        (
            "POST",
            "/api/v1/agents/api/review",
            json!({"pr_url": "javascript:x", "summary": "s"}),
            "not_a_configured_forge",
        ),
        ("POST", "/api/v1/agents/api/review", json!({"summary": "s"}), "bad_json"),
        ("GET", "/api/v1/tasks?status=x", json!(null), "bad_task"),
        ("GET", "/api/v1/tasks?limit=0", json!(null), "bad_parameter"),
    ];
    for (method, path, body, code) in cases {
        let reply = send(&client, method, path, &body).await;
        assert_eq!(reply.code(), code, "{method} {path} {body}: {}", reply.text());
    }
    assert_eq!(client.get(&task).await.json(), before);
    let reply = send(&client, "PATCH", &task, &json!({"status": "closed"})).await.json();
    assert_eq!(reply["allowed"], json!(["todo", "in_progress", "in_review", "done"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_pull_request_of_a_forge_is_handed_in() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.report("api", "working").await;
    for url in [
        "",
        "https://",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://169.254.169.254/a/b/pull/1",
        "http://0.0.0.0/a/b/pull/1",
        "http://[::ffff:127.0.0.1]/a/b/pull/1",
        "http://2130706433/a/b/pull/1",
        "http://localhost:99999/",
        "http://github.com/a/b/pull/1",
        "https://evil.example/a/b/pull/1",
        "https://user:secret-word@github.com/a/b/pull/1",
        "https://github.com:443/a/b/pull/1",
        "https://github.com.evil.example/a/b/pull/1",
        "https://github.com\\@evil.example/a/b/pull/1",
        "https://g\u{131}thub.com/a/b/pull/1",
        "https://github.com/a/b/issues/1",
        "https://github.com/a/b/pull/x",
        "https://github.com/pull/1",
        "https://github.com/a/b/pull/1 x",
        "headsup://pr/user:secret-word@host",
    ] {
        for path in ["review", "task/complete"] {
            let (path, body) =
                (format!("/api/v1/agents/api/{path}"), json!({"pr_url": url, "summary": "s"}));
            let reply = send(&client, "POST", &path, &body).await;
            assert_eq!(reply.code(), "not_a_configured_forge", "{path} {url}: {}", reply.text());
            assert_eq!(reply.status.as_u16(), 422, "{path} {url}");
            assert!(!reply.text().contains("secret-word"), "{}", reply.text());
        }
    }
    assert_eq!(client.get("/api/v1/agents/api").await.json()["prs"], json!([]));
    let review = json!({"pr_url": "https://github.com/a/b/pull/1/files#x", "summary": "s"});
    ok(&client, "POST", "/api/v1/agents/api/review", &review).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_in_a_task_is_not_kept() {
    let bench = Bench::new().await;
    let client = bench.client();
    let secret = format!("ghp_{}", "a1B2".repeat(10));
    let body = json!({"title": "t", "prefix": "A", "body": format!("token {secret}")});
    let task = ok(&client, "POST", "/api/v1/tasks", &body).await;
    assert!(!task["body"].as_str().unwrap().contains("a1B2"), "{task}");
    let comment = json!({"comment": format!("it is {secret}")});
    let said = ok(&client, "POST", "/api/v1/tasks/A-1/comments", &comment).await;
    assert!(!said.to_string().contains("a1B2"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_cannot_be_read_is_left_out_of_the_list_and_named_by_itself() {
    let mut bench = Bench::new().await;
    let client = bench.client();
    for title in ["one", "two", "three", "four"] {
        ok(&client, "POST", "/api/v1/tasks", &json!({"title": title, "prefix": "A"})).await;
    }
    ok(&client, "POST", "/api/v1/tasks/A-4/comments", &json!({"comment": "lost"})).await;
    ok(&client, "POST", "/api/v1/tasks/A-4/comments", &json!({"comment": "kept"})).await;
    bench.stop().await;
    let database = rusqlite::Connection::open(bench.home().join("headsup.db")).unwrap();
    let spoil = "UPDATE tasks SET doc = '{\"identifier\":' WHERE id = 'A-1';
                 UPDATE tasks SET doc = '{\"status\":\"todo\"}' WHERE id = 'A-3';
                 UPDATE task_comments SET doc = '[]' WHERE number = 1;";
    database.execute_batch(spoil).unwrap();
    drop(database);
    bench.start().await;
    let client = bench.client();
    for (query, found) in [
        ("", &["A-4", "A-2"][..]),
        ("?status=todo", &["A-4", "A-2"]),
        ("?status=done", &[]),
        ("?limit=2", &["A-4", "A-2"]),
        ("?limit=1", &["A-4"]),
    ] {
        let reply = client.get(&format!("/api/v1/tasks{query}")).await;
        assert_eq!(reply.status, 200, "{query}: {}", reply.text());
        let tasks = reply.json()["tasks"].as_array().unwrap().clone();
        let names: Vec<&str> =
            tasks.iter().map(|task| task["identifier"].as_str().unwrap()).collect();
        assert_eq!(names, found, "{query}");
    }
    let task = client.get("/api/v1/tasks/A-4").await.json();
    assert_eq!(
        (&task["comments"][0]["body"], &task["comments"][1]),
        (&json!("kept"), &Value::Null)
    );
    let status = json!({"status": "done"});
    let said = json!({"comment": "c"});
    let alone = client.get("/api/v1/tasks/A-1").await;
    assert!(alone.json()["detail"].to_string().contains("A-1"), "{}", alone.text());
    for reply in [
        alone,
        send(&client, "PATCH", "/api/v1/tasks/A-1", &status).await,
        send(&client, "POST", "/api/v1/tasks/A-3/comments", &said).await,
    ] {
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (500, "storage_unreadable"));
        assert_eq!(reply.json()["retryable"], false, "no time mends it");
    }
    let counted = client.metric("headsup_store_unreadable_total").await;
    assert_eq!(counted, 3, "doctor says so; each once");
    let made = ok(&client, "POST", "/api/v1/tasks", &json!({"title": "t", "prefix": "A"})).await;
    assert_eq!(made["identifier"], "A-5", "nobody gets an old name");
}
