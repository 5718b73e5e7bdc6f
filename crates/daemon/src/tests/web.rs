//! The page without a browser; with one: `crates/headsup/tests/board`.

use super::bench::Bench;
use super::prompts::asks_its_client;

#[tokio::test(flavor = "multi_thread")]
async fn every_path_of_the_page_has_an_answer_under_its_policy() {
    let bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let bearer = bench.bearer();
    let token = [("authorization", bearer.as_str())];
    bench.client().report("api", "working").await;
    let roster = tcp.send("GET", "/", &token, "").await.text();
    let script = roster.split('"').find(|part| part.ends_with("/board.js")).unwrap().to_owned();
    for (path, status, kind) in [
        ("/", 200, "text/html"),
        ("/agents/api", 200, "text/html"),
        ("/agents/nobody", 404, "text/html"),
        ("/agents/%3Cimg%3E", 404, "text/html"),
        ("/agents/%ff", 404, "text/html"),
        (script.as_str(), 200, "text/javascript"),
        ("/ui/0000000000000000/board.js", 404, "application/problem+json"),
        ("/ui/%ff/board.js", 404, "application/problem+json"),
    ] {
        let reply = tcp.send("GET", path, &token, "").await;
        assert_eq!(reply.status, status, "{path}: {}", reply.text());
        let header = |name: &str| reply.headers.get(name).map(|value| value.to_str().unwrap());
        assert!(header("content-type").unwrap().starts_with(kind), "{path}");
        let policy = header("content-security-policy");
        if kind == "application/problem+json" {
            assert_eq!(policy, None);
        } else {
            assert!(policy.unwrap().starts_with("default-src 'none';"), "{path}");
            assert!(!reply.text().contains("<img"), "{path}");
        }
    }
    assert_eq!(bench.client().get("/").await.status, 404, "not on the unix socket");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_inbox_of_the_page_has_a_failure_whose_agent_has_ended() {
    let bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let bearer = bench.bearer();
    let token = [("authorization", bearer.as_str())];
    let client = bench.client();
    for id in ["api", "web"] {
        client.report(id, "failed").await;
        let path = format!("/api/v1/agents/{id}/reports");
        client.send("POST", &path, &[], r#"{"process":"exited"}"#).await;
        assert_eq!(client.headline(id).await, "ended");
    }
    let count = async || {
        let page = tcp.send("GET", "/inbox", &token, "").await.text();
        assert_eq!(page.contains("Nothing waits for you."), !page.contains("failed; ended"));
        page.matches("failed; ended").count()
    };
    assert_eq!(count().await, 2);
    client.send("POST", "/api/v1/agents/api/seen", &[], "").await;
    assert_eq!(count().await, 1);
    // With the roster it leaves the inbox, too.
    bench.pass(3_600_001).await;
    assert_eq!(count().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_inbox_of_the_page_has_whoever_is_stuck() {
    let bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let bearer = bench.bearer();
    let token = [("authorization", bearer.as_str())];
    let client = bench.client();
    client.report("api", "idle").await;
    for stage in ["working", "blocked"] {
        let body = serde_json::json!({"stage": stage, "message": "no access"}).to_string();
        let said = client.send("POST", "/api/v1/agents/api/stage", &[], body).await;
        assert_eq!(said.status, 200);
        let page = tcp.send("GET", "/inbox", &token, "").await.text();
        let is_there = page.contains("no access");
        assert_eq!(is_there, stage == "blocked", "{page}");
        assert_eq!(page.contains("Nothing waits for you."), !is_there);
    }
    client.send("POST", "/api/v1/agents/api/snooze", &[], r#"{"for_ms":3600000}"#).await;
    let page = tcp.send("GET", "/inbox", &token, "").await.text();
    let (head, row) = (page.find("later-head").unwrap(), page.find("no access").unwrap());
    assert!(head < row && page.contains("snoozed for "), "it comes last: {page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_inbox_of_the_page_calls_an_agent_as_people_do() {
    let bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let bearer = bench.bearer();
    let token = [("authorization", bearer.as_str())];
    let client = bench.client();
    client.report("api", "working").await;
    client.send("PATCH", "/api/v1/agents/api", &[], r#"{"name": "front"}"#).await;
    let question = r#"{"question": "Which?", "default_action": "none"}"#;
    client.send("POST", "/api/v1/agents/api/prompts", &[], question).await;
    for card in ["asked", "answered"] {
        let page = tcp.send("GET", "/inbox", &token, "").await.text();
        assert!(page.contains("<bdi>front</bdi>") && page.contains("api-p1"), "{card}: {page}");
        client.send("POST", "/api/v1/prompts/api-p1/answer", &[], r#"{"value": "x"}"#).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_inbox_of_the_page_has_a_question_once_also_where_its_agent_has_ended() {
    let bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let bearer = bench.bearer();
    let token = [("authorization", bearer.as_str())];
    let client = bench.client();
    client.report("api", "working").await;
    let question = r#"{"question": "Which?", "default_action": "none", "options": ["a", "b"]}"#;
    client.send("POST", "/api/v1/agents/api/prompts", &[], question).await;
    client.report("api", "failed").await;
    client.send("POST", "/api/v1/agents/api/reports", &[], r#"{"process":"exited"}"#).await;
    assert_eq!(client.headline("api").await, "ended");
    let page = tcp.send("GET", "/inbox", &token, "").await.text();
    assert!(page.contains("failed; ended"), "how it ended: {page}");
    for id in ["id=\"b-api-p1-1\"", "id=\"q-api-p1\"", "id=\"told-api-p1\""] {
        assert_eq!(page.matches(id).count(), 1, "{id}: {page}");
    }
    // Its buttons are told together with whose question they answer.
    let page = tcp.send("GET", "/", &token, "").await.text();
    let group = "role=\"group\" aria-labelledby=\"to-api q-api-p1\"";
    for part in [group, "id=\"to-api\"", "id=\"q-api-p1\""] {
        assert_eq!(page.matches(part).count(), 1, "{part}: {page}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_buttons_of_the_inbox_are_told_together_with_whose_question_they_answer() {
    let bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let bearer = bench.bearer();
    let token = [("authorization", bearer.as_str())];
    let client = bench.client();
    client.report("api", "working").await;
    for question in ["Which?", "And then?"] {
        let question = serde_json::json!({"question": question, "default_action": "none"});
        let path = "/api/v1/agents/api/prompts";
        client.send("POST", path, &[], question.to_string()).await;
    }
    let page = tcp.send("GET", "/inbox", &token, "").await.text();
    for n in 1..=2 {
        let group = format!("role=\"group\" aria-labelledby=\"of-api-p{n} q-api-p{n}\"");
        for part in [group, format!("id=\"of-api-p{n}\""), format!("id=\"q-api-p{n}\"")] {
            assert_eq!(page.matches(&part).count(), 1, "{part}: {page}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_be_answered_here_is_not_hidden_behind_what_cannot() {
    let bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let bearer = bench.bearer();
    let token = [("authorization", bearer.as_str())];
    let client = bench.client();
    let dialog = r#"{"turn":"blocked","reason":"trust","detail":"Trust this folder?"}"#;
    client.send("POST", "/api/v1/agents/api/reports", &[], dialog).await;
    for question in ["Which?", "And then?"] {
        let question = serde_json::json!({"question": question, "default_action": "none"});
        let path = "/api/v1/agents/api/prompts";
        client.send("POST", path, &[], question.to_string()).await;
    }
    let page = tcp.send("GET", "/", &token, "").await.text();
    let group = "role=\"group\" aria-labelledby=\"to-api q-api-p2\"";
    assert!(page.contains("Trust this folder?"), "{page}");
    for (part, count) in [(group, 1), ("And then?", 0)] {
        assert_eq!(page.matches(part).count(), count, "{part}: {page}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_agent_asks_by_a_protocol_is_for_its_client() {
    let bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let bearer = bench.bearer();
    let token = [("authorization", bearer.as_str())];
    asks_its_client(&bench).await;
    for path in ["/inbox", "/agents/api"] {
        let page = tcp.send("GET", path, &token, "").await.text();
        assert!(page.contains("answer it in the client that drives the agent"), "{page}");
        assert!(!page.contains("agent's terminal"), "{page}");
    }
}
