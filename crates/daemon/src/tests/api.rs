use super::bench::Bench;
use super::prompts::asks_its_client;
use crate::forge::plain::Plain;
use serde_json::{Value, json};

fn ids(roster: &Value) -> Vec<&str> {
    roster["agents"].as_array().unwrap().iter().map(|a| a["id"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_roster_is_in_attention_order() {
    let bench = Bench::new().await;
    let client = bench.client();
    for (id, turn) in [
        ("idle", "idle"),
        ("working-late", "working"),
        ("done", "done"),
        ("failed", "failed"),
        ("blocked", "blocked"),
    ] {
        bench.clock.advance(10);
        client.report(id, turn).await;
    }
    bench.clock.advance(10);
    client.report("a-working-later", "working").await;
    let roster = client.get("/api/v1/agents").await.json();
    let order = ["blocked", "failed", "done", "working-late", "a-working-later", "idle"];
    assert_eq!(ids(&roster), order);
    assert_eq!(
        (&roster["schema"], &roster["cursor"]),
        (&json!(1), &json!(client.head().await.to_string()))
    );
    assert_eq!(roster["agents"][0]["kind"], "custom");
    let attention = client.get("/api/v1/agents?status=attention").await.json();
    assert_eq!(ids(&attention), ["blocked", "failed", "done"]);
    let two = client.get("/api/v1/agents?status=done,idle").await.json();
    assert_eq!(ids(&two), ["done", "idle"]);
    let bad = client.get("/api/v1/agents?status=finished").await;
    assert_eq!((bad.status.as_u16(), bad.code().as_str()), (400, "bad_status"));
    assert!(bad.text().contains("attention"), "{}", bad.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_adopted_seat_that_ended_leaves_the_roster_after_an_hour() {
    let bench = Bench::new().await;
    let client = bench.client();
    for session in ["s1", "s2"] {
        client.hook("SessionStart", session, &[]).await;
    }
    client.hook("SessionStart", "s3", &[("x-headsup-agent", "launched")]).await;
    client.hook("SessionEnd", "s1", &[]).await;
    client.hook("SessionEnd", "s3", &[("x-headsup-agent", "launched")]).await;
    bench.pass(3_599_000).await;
    assert_eq!(ids(&client.get("/api/v1/agents").await.json()).len(), 3);
    bench.pass(2_000).await;
    let shown = client.get("/api/v1/agents").await.json();
    assert_eq!(ids(&shown), ["claude-code-s2", "launched"]);
    assert_eq!(ids(&client.get("/api/v1/agents?all=true").await.json()).len(), 3);
    let found = client.get("/api/v1/agents?match=claude-code-s1").await.json();
    assert_eq!(ids(&found), ["claude-code-s1"]);
    assert_eq!(client.get("/api/v1/agents/claude-code-s1").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_has_ended_stays_in_the_roster_until_its_question_is_answered() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.hook("SessionStart", "s1", &[]).await;
    let asks = r#"{"question":"Deploy?","default_action":"no","timeout_minutes":120}"#;
    let path = "/api/v1/agents/claude-code-s1/prompts";
    let asked = client.send("POST", path, &[], asks).await;
    assert!(asked.status.is_success(), "{}", asked.text());
    client.hook("SessionEnd", "s1", &[]).await;
    bench.pass(3_601_000).await;
    assert_eq!(ids(&client.get("/api/v1/agents").await.json()), ["claude-code-s1"]);
    let rows = client.get("/api/v1/agents?view=rows").await.json();
    let brief = rows["rows"][0]["brief"].as_str().unwrap();
    assert!(brief.ends_with("; input: Deploy?"), "{brief}");
    let answer = format!("/api/v1/prompts/{}/answer", asked.json()["id"].as_str().unwrap());
    client.send("POST", &answer, &[], r#"{"value":"yes"}"#).await;
    assert_eq!(ids(&client.get("/api/v1/agents").await.json()), [""; 0]);
}

/// What can be taken up again stays, and so does whoever still asks something.
#[tokio::test(flavor = "multi_thread")]
async fn an_adopted_seat_put_away_without_a_session_leaves_the_roster_after_an_hour() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.hook("SessionStart", "s1", &[]).await;
    client.report("asks", "idle").await;
    let asks = r#"{"question":"Deploy?","default_action":"no","timeout_minutes":120}"#;
    let asked = client.send("POST", "/api/v1/agents/asks/prompts", &[], asks).await;
    assert!(asked.status.is_success(), "{}", asked.text());
    for id in ["asks", "away", "claude-code-s1"] {
        let path = format!("/api/agents/{id}/heartbeat");
        let reply = client.send("POST", &path, &[], r#"{"state":"suspended"}"#).await;
        assert_eq!(reply.status, 202, "{}", reply.text());
        let doc = client.get(&format!("/api/v1/agents/{id}")).await.json();
        assert_eq!(doc["process"]["state"], "suspended", "{doc}");
    }
    bench.pass(3_599_000).await;
    assert_eq!(ids(&client.get("/api/v1/agents").await.json()).len(), 3);
    bench.pass(2_000).await;
    let shown = client.get("/api/v1/agents").await.json();
    assert_eq!(ids(&shown), ["asks", "claude-code-s1"]);
    assert_eq!(ids(&client.get("/api/v1/agents?all=true").await.json()).len(), 3);
    // At work again, it is there again.
    let path = "/api/agents/away/heartbeat";
    client.send("POST", path, &[], r#"{"state":"active"}"#).await;
    assert_eq!(ids(&client.get("/api/v1/agents").await.json()).len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn labels_filter_the_roster() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.report("a", "working").await;
    assert_eq!(ids(&client.get("/api/v1/agents?label=team=x").await.json()), [""; 0]);
    let bad = client.get("/api/v1/agents?label=team").await;
    assert_eq!((bad.status.as_u16(), bad.code().as_str()), (400, "bad_parameter"));
}

#[tokio::test(flavor = "multi_thread")]
async fn health_says_which_hub_it_is() {
    let bench = Bench::new().await;
    bench.pass(1_500).await;
    let health = bench.client().get("/healthz").await.json();
    assert_eq!(
        health,
        json!({
            "schema": 1, "ok": true, "pid": std::process::id(), "cursor": "0",
            "version": env!("CARGO_PKG_VERSION"), "home": bench.home(), "uptime_ms": 1_500,
        })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_are_open_metrics() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.report("a", "working").await;
    client.get("/nowhere").await;
    let reply = client.get("/metrics").await;
    let kind = reply.headers["content-type"].to_str().unwrap();
    assert!(kind.starts_with("application/openmetrics-text; version=1.0.0"), "{kind}");
    let text = reply.text();
    assert!(text.ends_with("# EOF\n"), "{text}");
    for line in [
        "headsup_agents{headline=\"working\"} 1",
        "headsup_agents{headline=\"idle\"} 0",
        "headsup_events_total{type=\"agent.registered\"} 1",
        "headsup_reports_total{result=\"accepted\"} 1",
        "headsup_refusals_total{code=\"not_found\"} 1",
        "headsup_subscribers 0",
        "headsup_writer_batch_jobs_count 1",
    ] {
        assert!(text.lines().any(|of| of == line), "{line} is not in\n{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reading_never_changes_anything() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.report("a", "done").await;
    let head = client.head().await;
    for path in ["/api/v1/agents", "/api/v1/agents/a", "/api/v1/agents/a/seen", "/healthz"] {
        for method in ["HEAD", "OPTIONS", "TRACE", "PUT", "PATCH"] {
            let reply = client.send(method, path, &[], "").await;
            // A seat is taken and described with these two; without a body nothing is.
            let writes = path == "/api/v1/agents/a" && method.starts_with('P');
            let expected = if writes { 400 } else { 405 };
            let refused = reply.status == expected;
            assert!(method == "HEAD" || refused, "{method} {path} {}", reply.status);
        }
    }
    let overridden = [("x-http-method-override", "DELETE")];
    assert_eq!(client.send("GET", "/api/v1/agents/a", &overridden, "").await.status, 200);
    assert_eq!((client.head().await, client.headline("a").await.as_str()), (head, "done"));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_connection_serves_many_requests() {
    use http_body_util::{BodyExt as _, Empty};
    let bench = Bench::new().await;
    let stream = tokio::net::UnixStream::connect(bench.hub().socket()).await.unwrap();
    let io = hyper_util::rt::TokioIo::new(stream);
    let (mut sender, connection) = hyper::client::conn::http1::handshake(io).await.unwrap();
    tokio::spawn(connection);
    for _ in 0..3 {
        let request = hyper::Request::get("/healthz").header("host", "localhost");
        let request = request.body(Empty::<bytes::Bytes>::new()).unwrap();
        sender.ready().await.unwrap();
        let response = sender.send_request(request).await.unwrap();
        assert_eq!(response.status(), 200);
        response.into_body().collect().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_tells_where_in_a_repository_its_agents_work() {
    let (bench, plain) = (Bench::new().await, Plain::new());
    let client = bench.client();
    let beside = plain.beside("side");
    plain.git(&["worktree", "add", "-q", "-b", "side", beside.to_str().unwrap()]);
    for (id, cwd) in [("a", plain.path()), ("b", beside)] {
        let seat = json!({"kind": "custom", "cwd": cwd}).to_string();
        let put = client.send("PUT", &format!("/api/v1/agents/{id}"), &[], seat).await;
        assert_eq!(put.status, 201);
    }
    let one = client.get("/api/v1/agents/b").await.json();
    assert_eq!(one["branch"], "side");
    for path in ["/api/v1/agents", "/api/v1/agents?match=b"] {
        let told = client.get(path).await.json();
        let told = told["agents"].as_array().unwrap();
        let listed = told.iter().find(|agent| agent["id"] == "b").unwrap();
        for name in ["repo", "branch", "worktree"] {
            assert_eq!(listed[name], one[name], "{path} {name}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_is_in_the_activity_once_for_each_thing_that_it_says() {
    let bench = Bench::new().await;
    let client = bench.client();
    for body in [
        json!({"turn": "working"}),
        json!({"turn": "working"}),
        json!({"turn": "working", "detail": "the tests"}),
        json!({"turn": "working", "detail": "the tests"}),
        json!({"turn": "blocked", "reason": "question", "detail": "which one?"}),
        json!({"turn": "done"}),
        json!({"turn": "done"}),
        json!({"turn": "failed"}),
    ] {
        let path = "/api/v1/agents/nightly/reports";
        let reply = client.send("POST", path, &[], body.to_string()).await;
        assert_eq!(reply.status, 202, "{body}");
    }
    let log = client.get("/api/v1/agents/nightly/activity").await.json();
    let told = log["entries"].as_array().unwrap().iter();
    let told: Vec<_> =
        told.map(|entry| (entry["state"].as_str().unwrap(), entry["action"].as_str())).collect();
    let expected = [
        ("working", None),
        ("working", Some("the tests")),
        ("blocked", Some("asks: which one?")),
        ("idle", Some("no longer asks: which one?")),
        ("idle", None),
    ];
    assert_eq!(told, expected);
}

/// Its client asks for something else beside.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_report_asks_beside_another_question_is_in_the_activity() {
    let bench = Bench::new().await;
    let client = bench.client();
    asks_its_client(&bench).await;
    for question in ["which one?", "and now?", "and now?"] {
        let body = json!({"turn": "blocked", "reason": "question", "detail": question});
        let path = "/api/v1/agents/api/reports";
        assert_eq!(client.send("POST", path, &[], body.to_string()).await.status, 202);
    }
    let log = client.get("/api/v1/agents/api/activity").await.json();
    let told = log["entries"].as_array().unwrap().iter();
    let told: Vec<_> = told.filter_map(|entry| entry["action"].as_str()).collect();
    assert_eq!(told, ["asks permission: touch x", "touch x", "asks: which one?", "and now?"]);
}
