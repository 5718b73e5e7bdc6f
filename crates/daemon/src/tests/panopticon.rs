//! Panopticon's routes, by a client that knows the contract alone; and verdicts.

use super::bench::{Bench, Client, Headers, Reply};
use serde_json::{Value, json};

async fn beat(client: &Client, agent: &str, body: Value) -> Reply {
    client.send("POST", &format!("/api/agents/{agent}/heartbeat"), &[], body.to_string()).await
}

async fn activity(client: &Client, agent: &str, query: &str) -> Value {
    let reply = client.get(&format!("/api/agents/{agent}/activity{query}")).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

async fn found(client: &Client, specialist: &str, body: Value) -> Reply {
    let path = format!("/api/specialists/{specialist}/report-status");
    client.send("POST", &path, &[], body.to_string()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn heartbeats_are_the_agents_state_and_its_log() {
    let bench = Bench::new().await;
    let client = bench.client();
    let nobody = activity(&client, "agent-pan-80", "").await;
    assert_eq!((&nobody["state"], &nobody["activity"]), (&json!("uninitialized"), &json!([])));
    // In which session it is, its program's own hooks tell.
    client.hook("SessionStart", "s1", &[("x-headsup-agent", "agent-pan-80")]).await;
    let beats = [
        (json!({"state": "active", "tool": "Bash"}), "active", "working"),
        (json!({"state": "active", "summary": "ran the tests"}), "active", "working"),
        (json!({"state": "idle", "timestamp": "2026-11-21T21:29:50+00:00"}), "idle", "idle"),
        (
            json!({"state": "active", "tool": "Edit", "extra": 1, "ts": "2026-11-21T21:29:51Z"}),
            "active",
            "working",
        ),
        (json!({"state": "idle", "action": "done with it"}), "idle", "idle"),
        (json!({"state": "suspended"}), "suspended", "suspended"),
    ];
    for (body, state, headline) in beats {
        bench.pass(1_000).await;
        let reply = beat(&client, "agent-pan-80", body.clone()).await;
        assert_eq!(reply.status, 202, "{}", reply.text());
        assert_eq!(activity(&client, "agent-pan-80", "").await["state"], state, "{body}");
        assert_eq!(client.headline("agent-pan-80").await, headline, "{body}");
    }
    let log = activity(&client, "agent-pan-80", "").await["activity"].clone();
    let entries = json!([
        {"ts": "2026-11-21T21:29:58.200Z", "tool": "Bash", "state": "active"},
        {"ts": "2026-11-21T21:29:59.200Z", "action": "ran the tests", "state": "active"},
        {"ts": "2026-11-21T21:29:50.000Z", "state": "idle"},
        {"ts": "2026-11-21T21:29:51.000Z", "tool": "Edit", "state": "active"},
        {"ts": "2026-11-21T21:30:02.200Z", "action": "done with it", "state": "idle"},
        {"ts": "2026-11-21T21:30:03.200Z", "state": "suspended"},
    ]);
    assert_eq!(log, entries);
    assert_eq!(activity(&client, "agent-pan-80", "").await["entries"], entries);
    let last = activity(&client, "agent-pan-80", "?limit=2").await["activity"].clone();
    assert_eq!(last, json!([entries[4], entries[5]]));
    // Our own words are the same entries.
    let own = client.get("/api/v1/agents/agent-pan-80/activity").await.json();
    assert_eq!(own["entries"][0]["state"], "working");
}

/// What is too long is refused: nothing is cut.
#[tokio::test(flavor = "multi_thread")]
async fn a_summary_is_kept_whole() {
    let bench = Bench::new().await;
    let client = bench.client();
    for letters in [121, 4_000] {
        let summary = "é".repeat(letters);
        let reply = beat(&client, "a", json!({"state": "active", "summary": summary})).await;
        assert_eq!(reply.status, 202, "{}", reply.text());
        let log = activity(&client, "a", "?limit=1").await["activity"].clone();
        assert_eq!(log[0]["action"], summary);
        let doc = client.get("/api/v1/agents/a").await.json();
        assert_eq!(doc["last_activity"]["action"], summary);
    }
}

/// Names of tools that a server brings are long; what the agent does is told all the same.
#[tokio::test(flavor = "multi_thread")]
async fn the_name_of_a_tool_is_cut_and_the_report_is_not_lost() {
    let bench = Bench::new().await;
    let client = bench.client();
    for (letters, cut) in [(100, "é".repeat(100)), (101, format!("{}…", "é".repeat(99)))] {
        let tool = "é".repeat(letters);
        let reply = beat(&client, "a", json!({"state": "active", "tool": tool})).await;
        assert_eq!(reply.status, 202, "{}", reply.text());
        let log = activity(&client, "a", "?limit=1").await["activity"].clone();
        assert_eq!((&log[0]["tool"], &log[0]["state"]), (&json!(cut), &json!("active")));
        assert_eq!(client.headline("a").await, "working");
    }
}

/// Whatever it is told to be first, that is how it is now, and was not before.
#[tokio::test(flavor = "multi_thread")]
async fn the_first_word_of_an_agent_is_a_line_of_its_log() {
    let bench = Bench::new().await;
    let client = bench.client();
    for state in ["active", "idle", "suspended"] {
        for _ in 0..2 {
            assert_eq!(beat(&client, state, json!({ "state": state })).await.status, 202);
            let log = activity(&client, state, "").await["activity"].clone();
            let states: Vec<&Value> = log.as_array().unwrap().iter().map(|e| &e["state"]).collect();
            assert_eq!(states, [state], "the same again is no news");
        }
    }
}

/// Hooks behind a tool may name none: a log of a hundred entries has no room for lines that say nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_heartbeat_between_tools_that_says_nothing_more_is_no_line() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.hook("SessionStart", "s1", &[("x-headsup-agent", "a")]).await;
    for body in [
        json!({"state": "idle"}),
        json!({"state": "active", "tool": "Bash"}),
        json!({"state": "active"}),
        json!({"state": "active", "tool": "Edit"}),
        json!({"state": "active"}),
        json!({"state": "idle"}),
        json!({"state": "idle"}),
    ] {
        bench.pass(1_000).await;
        assert_eq!(beat(&client, "a", body).await.status, 202);
    }
    let log = activity(&client, "a", "").await["activity"].clone();
    let lines: Vec<_> =
        log.as_array().unwrap().iter().map(|e| (e["tool"].as_str(), e["state"].as_str())).collect();
    let (active, idle) = (Some("active"), Some("idle"));
    assert_eq!(lines, [(Some("Bash"), active), (Some("Edit"), active), (None, idle)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_is_a_hundred_entries_and_no_more() {
    let bench = Bench::new().await;
    let client = bench.client();
    for n in 0..105 {
        beat(&client, "a", json!({"state": "active", "tool": format!("t{n}")})).await;
    }
    let most = "?limit=99999999999999999999999999999";
    for query in ["", "?limit=100", "?limit=5000", most] {
        let log = activity(&client, "a", query).await["activity"].clone();
        let log = log.as_array().unwrap();
        assert_eq!((log.len(), &log[99]["tool"]), (100, &json!("t104")), "{query}");
    }
    // Nothing is told of an agent of which there is nothing to tell.
    let head = client.head().await;
    for agent in ["a", "nobody"] {
        assert_eq!(beat(&client, agent, json!({"state": "uninitialized"})).await.status, 202);
    }
    assert_eq!(client.head().await, head);
    assert_eq!(client.get("/api/v1/agents/nobody").await.status, 404);
}

/// A heartbeat has no member for a session, so whoever speaks heartbeats alone has none to tell of: its word comes back
/// as it was said. That nothing could take it up again is said to whoever wants that.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_put_away_without_a_session_is_suspended_and_cannot_be_resumed() {
    let bench = Bench::new().await;
    let client = bench.client();
    for state in ["active", "idle", "suspended"] {
        beat(&client, state, json!({ "state": state })).await;
        assert_eq!(beat(&client, state, json!({"state": "suspended"})).await.status, 202);
        assert_eq!(client.headline(state).await, "suspended");
        assert_eq!(activity(&client, state, "").await["state"], "suspended");
        let doc = client.get(&format!("/api/v1/agents/{state}")).await.json();
        assert!(doc["suspended_at"].is_string(), "{doc}");
        let resume = client.send("POST", &format!("/api/agents/{state}/resume"), &[], "").await;
        assert_eq!((resume.status.as_u16(), resume.code().as_str()), (409, "no_session"));
        let hint = resume.json()["hint"].as_str().unwrap().to_owned();
        assert!(hint.contains("headsup forget"), "{hint}");
        // It is at work again.
        beat(&client, state, json!({"state": "active"})).await;
        assert_eq!(client.headline(state).await, "working");
    }
    // One whose process is known is there as long as that is.
    let process = json!({"pid": std::process::id(), "start_ticks": 1, "pid_namespace": 7,
        "state": "running"});
    client.send("PUT", "/api/v1/agents/known", &[], "{}").await;
    client.send("PUT", "/api/v1/agents/known/process", &[], process.to_string()).await;
    for state in ["active", "suspended"] {
        assert_eq!(beat(&client, "known", json!({ "state": state })).await.status, 202);
        assert_eq!(client.headline("known").await, "working", "{state}");
    }
}

/// Its hooks go on telling of tools while the agent itself waits for a person.
#[tokio::test(flavor = "multi_thread")]
async fn a_heartbeat_answers_no_question_whoever_has_told_of_it() {
    let bench = Bench::new().await;
    let client = bench.client();
    let seat = [("x-headsup-agent", "a")];
    for event in ["UserPromptSubmit", "PreToolUse", "PermissionRequest"] {
        client.hook(event, "s1", &seat).await;
    }
    beat(&client, "a", json!({"state": "active", "tool": "Read"})).await;
    assert_eq!(client.headline("a").await, "blocked");
    // One that may be approved by the agent itself is not shown yet, and is not answered either.
    let alone = r#"{"env":{"CLAUDE_CODE_ENTRYPOINT":"sdk-cli"}}"#;
    let seat = [("x-headsup-agent", "c"), ("x-headsup-context", alone)];
    for event in ["UserPromptSubmit", "PermissionRequest"] {
        client.hook(event, "s3", &seat).await;
    }
    assert_eq!(client.headline("c").await, "working");
    beat(&client, "c", json!({"state": "active", "tool": "Read"})).await;
    bench.pass(1_500).await;
    assert_eq!(client.headline("c").await, "blocked");
    // Nor what it has told of by word alone: a word as good as that, or rest, takes it back.
    for headline in ["working", "idle"] {
        client.report("b", "blocked").await;
        for body in [json!({"state": "active"}), json!({"state": "active", "tool": "Read"})] {
            beat(&client, "b", body).await;
            assert_eq!(client.headline("b").await, "blocked");
        }
        let log = activity(&client, "b", "?limit=1").await["activity"].clone();
        assert_eq!((&log[0]["tool"], &log[0]["state"]), (&json!("Read"), &json!("active")));
        let taken_back = match headline {
            "idle" => beat(&client, "b", json!({"state": "idle"})).await,
            word => client.report("b", word).await,
        };
        assert_eq!(taken_back.status, 202);
        assert_eq!(client.headline("b").await, headline);
    }
}

/// Both kinds of hooks speak of one seat, side by side.
#[tokio::test(flavor = "multi_thread")]
async fn a_heartbeat_of_rest_ends_nothing_that_hooks_tell_of() {
    let bench = Bench::new().await;
    let client = bench.client();
    let idle = || beat(&client, "a", json!({"state": "idle", "summary": "stopped"}));
    let seat = [("x-headsup-agent", "a")];
    for event in ["UserPromptSubmit", "PreToolUse", "PostToolUse"] {
        client.hook(event, "s1", &seat).await;
        beat(&client, "a", json!({"state": "active", "tool": "Bash"})).await;
    }
    assert_eq!(idle().await.status, 202);
    assert_eq!(client.headline("a").await, "working");
    client.hook("Stop", "s1", &seat).await;
    assert_eq!(client.headline("a").await, "done");
    // A helper goes on behind the answer.
    client.hook("UserPromptSubmit", "s1", &seat).await;
    let stop = json!({"hook_event_name": "Stop", "session_id": "s1", "background_tasks":
        [{"id": "h1", "type": "subagent", "status": "running"}]});
    client.send("POST", "/api/v1/hooks/claude-code", &seat, stop.to_string()).await;
    idle().await;
    let doc = client.get("/api/v1/agents/a").await.json();
    assert_eq!(
        (&doc["turn"]["state"], &doc["turn"]["reason"]),
        (&json!("working"), &json!("background"))
    );
    // Nor is a person's answer what it asks for.
    for event in ["UserPromptSubmit", "PreToolUse", "PermissionRequest"] {
        client.hook(event, "s1", &seat).await;
    }
    idle().await;
    assert_eq!(client.headline("a").await, "blocked");
    let explained = client.get("/api/v1/agents/a/explain").await.json();
    assert_eq!(explained["rejected"][0]["rule"], "rank");
    // What was done is in the log all the same.
    let log = activity(&client, "a", "?limit=1").await["activity"].clone();
    assert_eq!((&log[0]["action"], &log[0]["state"]), (&json!("stopped"), &json!("active")));
}

/// No process is named: only a turn that begins is another life at once.
#[tokio::test(flavor = "multi_thread")]
async fn a_rest_or_a_question_behind_an_end_brings_nobody_back() {
    let bench = Bench::new().await;
    let client = bench.client();
    let reports = "/api/v1/agents/a/reports";
    let tell = |body: &'static str| client.send("POST", reports, &[], body);
    beat(&client, "a", json!({"state": "active"})).await;
    tell(r#"{"process":"exited"}"#).await;
    for late in [r#"{"turn":"blocked"}"#, r#"{"turn":"idle","outcome":"completed"}"#] {
        assert_eq!(tell(late).await.status, 202);
        assert_eq!(client.headline("a").await, "ended", "{late}");
    }
    beat(&client, "a", json!({"state": "idle"})).await;
    assert_eq!(client.headline("a").await, "ended");
    let explained = client.get("/api/v1/agents/a/explain").await.json();
    let rejected = explained["rejected"].as_array().unwrap();
    let rules: Vec<&Value> = rejected.iter().map(|one| &one["rule"]).collect();
    assert_eq!(rules, ["G1", "G1", "G1"]);
    beat(&client, "a", json!({"state": "active"})).await;
    assert_eq!(client.headline("a").await, "working");
    tell(r#"{"process":"exited"}"#).await;
    bench.pass(31_000).await;
    beat(&client, "a", json!({"state": "idle"})).await;
    assert_eq!(client.headline("a").await, "idle");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_specialists_report_is_a_verdict_and_blocks_nobody() {
    let bench = Bench::new().await;
    let client = bench.client();
    beat(&client, "review-agent", json!({"state": "active"})).await;
    let reports = [
        ("passed", "passed"),
        ("in-progress", "in_progress"),
        ("failed", "failed"),
        ("blocked", "blocked"),
    ];
    for (status, verdict) in reports {
        let body = json!({"issueId": "PAN-80", "status": status, "notes": "found two problems"});
        let reply = found(&client, "review-agent", body).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        let doc = client.get("/api/v1/agents/review-agent").await.json();
        let said = &doc["verdicts"][0];
        assert_eq!((&said["task"], &said["verdict"]), (&json!("PAN-80"), &json!(verdict)));
        assert_eq!(
            (&doc["headline"], doc["verdicts"].as_array().unwrap().len()),
            (&json!("working"), 1)
        );
    }
    // The same again is no news; of another issue it is another verdict.
    let head = client.head().await;
    let same = json!({"issueId": "PAN-80", "status": "blocked", "notes": "found two problems"});
    assert_eq!(found(&client, "review-agent", same).await.status, 200);
    assert_eq!(client.head().await, head);
    found(&client, "test-agent", json!({"issueId": "PAN-81", "status": "passed"})).await;
    let doc = client.get("/api/v1/agents/test-agent").await.json();
    assert_eq!(doc["verdicts"][0]["notes"], Value::Null);
    // It is there, and nobody has said what it does.
    assert_eq!(
        (&doc["process"]["state"], &doc["headline"]),
        (&json!("running"), &json!("unknown"))
    );
    let log = client.log().await;
    let verdicts = log.iter().filter(|event| event["type"] == "verdict.reported").count();
    assert_eq!(verdicts, reports.len() + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_verdict_is_an_act_and_outlives_the_hub() {
    let mut bench = Bench::new().await;
    let client = bench.client();
    client.report("a", "working").await;
    let path = "/api/v1/agents/a/verdicts";
    let body = r#"{"task":"APP-12","verdict":"failed","notes":"tests"}"#;
    let key = [("x-headsup-id", "v-1")];
    let first = client.send("POST", path, &key, body).await;
    assert_eq!((first.status.as_u16(), &first.json()["agent_id"]), (200, &json!("a")));
    assert_eq!(client.send("POST", path, &key, body).await.json()["duplicate"], true);
    // What an acknowledged act has left is in the database's own file and log.
    let killed = bench.killed_now().await;
    let doc = killed.client().get("/api/v1/agents/a").await.json();
    assert_eq!(doc["verdicts"][0]["verdict"], "failed");
    assert_eq!(doc["headline"], "working");
    bench.restart().await;
    for n in 0..70 {
        let body = json!({"task": format!("T-{n}"), "verdict": "passed"}).to_string();
        client.send("POST", path, &[], body).await;
    }
    let doc = client.get("/api/v1/agents/a").await.json();
    let verdicts = doc["verdicts"].as_array().unwrap();
    assert_eq!((verdicts.len(), &verdicts[63]["task"]), (64, &json!("T-69")));
}

/// Whose process nobody knows is told so; with processes that are there: `tests/lifecycle.rs`.
#[tokio::test(flavor = "multi_thread")]
async fn suspend_and_resume_say_why_not() {
    let bench = Bench::new().await;
    let client = bench.client();
    let message = r#"{"message":"go on","more":1}"#;
    for (act, body) in [("suspend", ""), ("resume", ""), ("resume", message)] {
        let path = format!("/api/agents/nobody/{act}");
        let reply = client.send("POST", &path, &[], body.to_owned()).await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (404, "no_such_agent"), "{act}");
    }
    beat(&client, "a", json!({"state": "active"})).await;
    let (suspend, resume) = ("/api/agents/a/suspend", "/api/agents/a/resume");
    let code = async |path: &str| client.send("POST", path, &[], "").await.code();
    assert_eq!(code(suspend).await, "in_turn");
    beat(&client, "a", json!({"state": "idle"})).await;
    assert_eq!(code(suspend).await, "no_session");
    for (body, told) in [("{\"why\":1}", "no_session"), ("why", "bad_json")] {
        assert_eq!(client.send("POST", suspend, &[], body).await.code(), told, "{body}");
    }
    assert_eq!(code(resume).await, "not_suspended");
    let long = json!({"message": "x".repeat(32_001)}).to_string();
    assert_eq!(client.send("POST", resume, &[], long).await.code(), "too_long");
    let agent = [("x-headsup-agent", "a")];
    for path in [suspend, resume] {
        assert_eq!(client.send("POST", path, &agent, "").await.code(), "human_only");
    }
    assert_eq!(client.headline("a").await, "idle");
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_input_is_refused_by_name_and_changes_nothing() {
    let bench = Bench::new().await;
    let client = bench.client();
    let (beat, report) = ("/api/agents/a/heartbeat", "/api/specialists/a/report-status");
    let verdict = "/api/v1/agents/a/verdicts";
    let summary = json!({"state": "active", "summary": "x".repeat(4_001)}).to_string();
    let issue = json!({"issueId": "x".repeat(201), "status": "passed"}).to_string();
    let notes = json!({"issueId": "P", "status": "passed", "notes": "x".repeat(4_001)}).to_string();
    let states = "active, idle, suspended, uninitialized";
    let browser: Headers<'_> = &[("origin", "http://evil.example")];
    let cases: [(&str, Headers<'_>, &str, u16, &str, &str); 18] = [
        (beat, &[], "", 400, "bad_json", ""),
        (beat, &[], r#"["active"]"#, 400, "bad_json", "object"),
        (beat, &[], "{}", 400, "bad_json", "state"),
        (beat, &[], r#"{"state":1}"#, 400, "bad_json", "string"),
        (beat, &[], r#"{"state":"ACTIVE"}"#, 400, "bad_report", states),
        (beat, &[], r#"{"state":"active","tool":{}}"#, 400, "bad_json", "string"),
        (beat, &[], r#"{"state":"active","timestamp":"yesterday"}"#, 400, "bad_json", "3339"),
        (beat, &[], &summary, 400, "too_long", "summary"),
        (beat, browser, r#"{"state":"active"}"#, 403, "browser_refused", ""),
        ("/api/agents/a%2Fb/heartbeat", &[], r#"{"state":"active"}"#, 400, "bad_agent_id", ""),
        (report, &[], r#"{"status":"passed"}"#, 400, "bad_json", "issueId"),
        (
            report,
            &[],
            r#"{"issueId":"P","status":"in_progress"}"#,
            400,
            "bad_verdict",
            "in-progress",
        ),
        (report, &[], r#"{"issueId":" ","status":"passed"}"#, 400, "bad_verdict", "issueId"),
        (report, &[], &issue, 400, "too_long", "issueId"),
        (report, &[], &notes, 400, "too_long", "notes"),
        (verdict, &[], r#"{"task":"T","verdict":"ok"}"#, 400, "bad_verdict", "in_progress, passed"),
        (verdict, &[], r#"{"task":"T","verdict":"passed","why":1}"#, 400, "bad_json", "why"),
        (verdict, &[], r#"{"task":"T","verdict":"passed"}"#, 404, "no_such_agent", ""),
    ];
    for (path, headers, body, status, code, word) in cases {
        let reply = client.send("POST", path, headers, body.to_owned()).await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (status, code), "{body}");
        assert!(reply.text().contains(word), "{}", reply.text());
        let counted = client.metric(&format!("headsup_refusals_total{{code=\"{code}\"}}")).await;
        assert!(counted >= 1, "{code}");
    }
    for query in [
        "?limit=0",
        "?limit=-1",
        "?limit=-99999999999999999999",
        "?limit=",
        "?limit=all",
        "?limit=1&limit=2",
        "?last=3",
    ] {
        let reply = client.get(&format!("/api/agents/a/activity{query}")).await;
        assert_eq!(reply.status, 400, "{query}");
    }
    assert_eq!(client.head().await, 0);
    let tcp = bench.on_tcp().await;
    let (suspend, resume) = ("/api/agents/a/suspend", "/api/agents/a/resume");
    for path in [beat, report, verdict, suspend, resume] {
        assert_eq!(tcp.send("POST", path, &[], "{}").await.code(), "token_missing", "{path}");
    }
    assert_eq!(tcp.get("/api/agents/a/activity").await.code(), "token_missing");
}
