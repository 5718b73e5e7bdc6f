use super::bench::{Bench, START};
use super::lifecycle::{act, refused, resting_as};
use serde_json::{Value, json};

const API: &str = "/api/v1/agents/api";

#[tokio::test(flavor = "multi_thread")]
async fn a_launched_agent_is_on_the_roster_before_it_says_anything() {
    let mut bench = Bench::new().await;
    let client = bench.client();
    let body = json!({"kind": "claude-code", "role": "reviewer", "labels": {"team": "a"},
        "cwd": "/home/ada/api", "name": "the api"});
    let reply = client.send("PUT", API, &[], body.to_string()).await;
    assert_eq!(reply.status, 201);
    bench.restart().await;
    let client = bench.client();
    let doc = client.get(API).await.json();
    assert_eq!((&doc["headline"], &doc["kind"]), (&json!("starting"), &json!("claude-code")));
    assert_eq!((&doc["name"], &doc["role"]), (&json!("the api"), &json!("reviewer")));
    assert_eq!((&doc["labels"], &doc["cwd"]), (&json!({"team": "a"}), &json!("/home/ada/api")));
    let found = client.get("/api/v1/agents?label=team%3Da&status=starting").await.json();
    assert_eq!(found["agents"].as_array().unwrap().len(), 1);
    // Its first hook takes the seat.
    client.hook("SessionStart", "s1", &[("x-headsup-agent", "api")]).await;
    assert_eq!(client.headline("api").await, "idle");
}

/// Grok Build reads Claude Code's settings as well, and runs the hooks that stand there.
#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_another_agents_program_calls_as_well_makes_no_agent_and_tells_of_none() {
    let bench = Bench::new().await;
    let client = bench.client();
    let head = client.head().await;
    let context = json!({"parents": [
        {"pid": 4_000_009, "start": 9, "comm": "sh"},
        {"pid": 4_000_008, "start": 8, "comm": "grok"},
    ]})
    .to_string();
    let by_another = ("x-headsup-context", context.as_str());
    for headers in [&[by_another][..], &[by_another, ("x-headsup-agent", "api")]] {
        for event in ["SessionStart", "UserPromptSubmit", "Stop"] {
            let reply = client.hook(event, "s1", headers).await;
            assert_eq!(reply.status, 202);
            assert_eq!(reply.json()["agent_id"], json!(null));
        }
    }
    let agents = client.get("/api/v1/agents").await.json();
    assert_eq!(agents["agents"], json!([]));
    assert_eq!(client.head().await, head);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seat_is_taken_again_only_when_its_agent_has_ended() {
    let bench = Bench::new().await;
    let client = bench.client();
    let id = [("x-headsup-agent", "api")];
    let body = json!({"kind": "claude-code"}).to_string();
    assert_eq!(client.send("PUT", API, &[], body.clone()).await.status, 201);
    let again = client.send("PUT", API, &[], body.clone()).await;
    assert_eq!((again.status.as_u16(), again.code().as_str()), (409, "agent_exists"));
    client.hook("SessionStart", "s1", &id).await;
    assert_eq!(client.send("PUT", API, &[], body.clone()).await.status, 409);
    client.hook("SessionEnd", "s1", &id).await;
    assert_eq!(client.headline("api").await, "ended");
    assert_eq!(client.send("PUT", API, &[], body.clone()).await.status, 201);
    assert_eq!(client.headline("api").await, "starting");
    client.hook("SessionStart", "s2", &id).await;
    assert_eq!(client.headline("api").await, "idle");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seat_that_goes_to_another_kind_is_one_life_further_and_was_registered_once() {
    let bench = Bench::new().await;
    let client = bench.client();
    let id = [("x-headsup-agent", "api")];
    assert_eq!(client.send("PUT", API, &[], r#"{"kind":"claude-code"}"#).await.status, 201);
    client.hook("SessionStart", "s1", &id).await;
    let path = format!("{API}/prompts");
    let asked = client.send("POST", &path, &[], super::prompts::question().to_string()).await;
    assert_eq!(asked.status, 201, "{}", asked.text());
    client.hook("SessionEnd", "s1", &id).await;
    assert_eq!(client.headline("api").await, "ended");
    let before = client.log().await.len();
    assert_eq!(client.send("PUT", API, &[], r#"{"kind":"codex"}"#).await.status, 201);
    let doc = client.get(API).await.json();
    assert_eq!((&doc["kind"], &doc["incarnation"]), (&json!("codex"), &json!(2)));
    assert_eq!((&doc["session_id"], &doc["process"]["state"]), (&json!(null), &json!("starting")));
    assert_eq!(doc["prompts"][0]["id"], "api-p1", "a person has still to answer it");
    let log = client.log().await;
    let types: Vec<_> = log[before..].iter().map(|event| &event["type"]).collect();
    assert_eq!(types, ["agent.updated", "agent.status_changed"]);
    assert_eq!(log[before + 1]["from"], "ended");
}

/// A script, say, of whose program its launcher knows nothing.
#[tokio::test(flavor = "multi_thread")]
async fn what_its_launcher_does_not_know_is_of_the_kind_that_its_own_hooks_tell() {
    let mut bench = Bench::new().await;
    let client = bench.client();
    let own = [("x-headsup-agent", "api")];
    let launch = json!({"program": "/bin/sh", "name": "sh", "arguments": [], "folder": "/",
        "here": false});
    let script = json!({"kind": "custom", "name": "the script", "launch": launch});
    let agent = resting_as(&client, script).await;
    let log = client.log().await;
    assert!(log.iter().any(|event| event["agent"]["kind"] == "claude-code"), "{log:?}");
    // How a script would take a conversation up again nobody knows.
    refused(&act(&client, "suspend", Value::Null).await, "no_way_back", "nobody knows");
    assert_eq!(act(&client, "stop", Value::Null).await.status, 200);
    drop(agent);
    bench.restart().await;
    let client = bench.client();
    let told = async || {
        let doc = client.get(API).await.json();
        (doc["kind"].clone(), doc["name"].clone())
    };
    assert_eq!(told().await, (json!("claude-code"), json!("the script")));
    // The next one that it starts may be another, and people know the seat by its name.
    assert_eq!(client.send("PUT", API, &[], r#"{"kind":"custom"}"#).await.status, 201);
    assert_eq!(told().await, (json!("custom"), json!("the script")));
    client.hook("SessionStart", "s2", &own).await;
    assert_eq!(told().await, (json!("claude-code"), json!("the script")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_launch_may_be_looked_at_only_where_it_says_so_itself() {
    let bench = Bench::new().await;
    let client = bench.client();
    for (session, said, labels) in [
        ("s1", r#"{"team":"a","observable":"true"}"#, r#"{"observable":"true","team":"a"}"#),
        ("s2", r#"{"area":"b"}"#, r#"{"area":"b","team":"a"}"#),
        ("s3", r#"{"observable":"true"}"#, r#"{"area":"b","observable":"true","team":"a"}"#),
    ] {
        let body = format!(r#"{{"kind":"claude-code","labels":{said}}}"#);
        assert_eq!(client.send("PUT", API, &[], body).await.status, 201, "{session}");
        assert_eq!(client.get(API).await.json()["labels"].to_string(), labels, "{session}");
        client.hook("SessionStart", session, &[("x-headsup-agent", "api")]).await;
        client.hook("SessionEnd", session, &[("x-headsup-agent", "api")]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seat_of_whose_start_nothing_came_is_taken_again() {
    let bench = Bench::new().await;
    let client = bench.client();
    let take = async |role: &str| {
        let body = json!({"kind": "claude-code", "role": role}).to_string();
        client.send("PUT", API, &[], body).await.status.as_u16()
    };
    assert_eq!(take("first").await, 201);
    bench.pass(15_000).await;
    assert_eq!(take("second").await, 409);
    bench.pass(1).await;
    assert_eq!(take("second").await, 201);
    assert_eq!(take("third").await, 409, "that one has only begun");
    let doc = client.get(API).await.json();
    assert_eq!((&doc["headline"], &doc["role"]), (&json!("starting"), &json!("second")));
    client.hook("SessionStart", "s1", &[("x-headsup-agent", "api")]).await;
    bench.pass(60_000).await;
    assert_eq!(take("third").await, 409);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seat_is_not_given_to_whoever_waits_no_more() {
    let bench = Bench::new().await;
    let client = bench.client();
    for (until, status) in [
        (START.plus(-1).to_string(), 409),
        ("soon".to_owned(), 400),
        (START.plus(1_000).to_string(), 201),
    ] {
        let reply = client.send("PUT", API, &[("x-headsup-until", until.as_str())], "{}").await;
        assert_eq!(reply.status, status, "{until}");
        let known = if status == 201 { 200 } else { 404 };
        assert_eq!(client.get(API).await.status, known, "{until}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_gets_another_name_and_keeps_it() {
    let mut bench = Bench::new().await;
    let client = bench.client();
    client.send("PUT", API, &[], "{}").await;
    let named = client.send("PATCH", API, &[], r#"{"name": "front\u001b[2J\nend\u202e"}"#).await;
    assert_eq!(named.status, 200);
    bench.restart().await;
    let client = bench.client();
    let name = client.get(API).await.json()["name"].as_str().unwrap().to_owned();
    assert!(name.starts_with("front") && name.ends_with("end"), "{name:?}");
    assert!(!name.contains(['\u{1b}', '\n', '\u{202e}']), "{name:?}");
    assert_eq!(client.log().await.last().unwrap()["type"], "agent.updated");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_means_one_agent() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.send("PUT", API, &[], r#"{"name": "front"}"#).await;
    client.send("PUT", "/api/v1/agents/web", &[], r#"{"name": "back"}"#).await;
    let call = async |name: &str| {
        let reply = client.send("PATCH", API, &[], json!({ "name": name }).to_string()).await;
        let status = reply.status.as_u16();
        (status, if status == 200 { String::new() } else { reply.code() })
    };
    for (name, status, code) in [
        ("web", 409, "name_taken"),
        ("back", 409, "name_taken"),
        (".", 422, "name_reserved"),
        // Its own, and its own id.
        ("front", 200, ""),
        ("api", 200, ""),
        ("fresh", 200, ""),
    ] {
        assert_eq!(call(name).await, (status, code.to_owned()), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_new_is_started_by_the_name_of_another() {
    let mut bench = Bench::new().await;
    let client = bench.client();
    client.send("PUT", API, &[], r#"{"name": "front"}"#).await;
    bench.restart().await;
    let client = bench.client();
    let front = "/api/v1/agents/front";
    let said = client.send("PUT", front, &[], "{}").await;
    assert_eq!((said.status.as_u16(), said.code().as_str()), (409, "name_taken"));
    assert_eq!(client.get(front).await.status, 404);
    client.send("PATCH", API, &[], r#"{"name": "back"}"#).await;
    let said = client.send("PUT", front, &[], "{}").await;
    assert_eq!(said.status, 201, "it is nobody's name any more");
}

/// What waits for a person must be seen, whatever else is called like its id.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_reports_is_let_in_under_its_id_and_told_apart_by_its_name() {
    const OWN: [(&str, &str); 1] = [("x-headsup-agent", "front")];
    const CHAT: &str = r#"{"agent": "front", "chat_id": "1", "eventType": "PermissionRequest"}"#;
    let verdict = r#"{"issueId": "APP-1", "status": "blocked"}"#;
    let prompt = super::bench::payload("UserPromptSubmit", "s1");
    let ways = [
        ("PUT", "/api/v1/agents/front", r#"{"adopted": true}"#, "front"),
        ("POST", "/api/v1/agents/front/reports", r#"{"turn": "blocked"}"#, "front"),
        ("POST", "/api/v1/agents/front/stage", r#"{"stage": "working"}"#, "front"),
        ("POST", "/api/agents/front/heartbeat", r#"{"state": "active"}"#, "front"),
        ("POST", "/api/specialists/front/report-status", verdict, "front"),
        ("POST", "/api/v1/hooks/claude-code", prompt.as_str(), "front"),
        ("POST", "/api/coder/agent-status", CHAT, "front.1"),
    ];
    for (method, path, body, id) in ways {
        let mut bench = Bench::new().await;
        let client = bench.client();
        client.send("PUT", API, &[], json!({ "name": id }).to_string()).await;
        let second = json!({ "name": format!("{id}-2") });
        client.send("PUT", "/api/v1/agents/web", &[], second.to_string()).await;
        bench.restart().await;
        let client = bench.client();
        let own = if id == "front" { &OWN[..] } else { &[] };
        let said = client.send(method, path, own, body.to_owned()).await;
        assert!(said.status.is_success(), "{path}: {}", said.text());
        let doc = client.get(&format!("/api/v1/agents/{id}")).await.json();
        // Nobody else's name, nor anybody's id.
        assert_eq!((&doc["id"], &doc["name"]), (&json!(id), &json!(format!("{id}-3"))), "{path}");
        let found = client.get(&format!("/api/v1/agents?match={id}")).await.json();
        let found: Vec<_> = found["agents"].as_array().unwrap().iter().map(|a| &a["id"]).collect();
        assert_eq!(found, [id], "the id wins");
        let other = client.get(API).await.json();
        assert_eq!((&other["name"], &other["headline"]), (&json!(id), &json!("starting")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_is_too_long_is_refused_and_not_cut() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.send("PUT", API, &[], r#"{"name": "front"}"#).await;
    let name = |length: usize| json!({ "name": "é".repeat(length) }).to_string();
    for (method, path) in [("PATCH", API), ("PUT", "/api/v1/agents/web")] {
        let said = client.send(method, path, &[], name(101)).await;
        assert_eq!((said.status.as_u16(), said.code().as_str()), (400, "too_long"), "{method}");
        assert!(said.text().contains("100 characters"), "{}", said.text());
    }
    assert_eq!(client.get(API).await.json()["name"], "front");
    assert_eq!(client.send("PATCH", API, &[], name(100)).await.status, 200);
    assert_eq!(client.get(API).await.json()["name"], "é".repeat(100));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seat_is_not_made_of_anything() {
    let bench = Bench::new().await;
    let client = bench.client();
    for (method, body, status) in [
        ("PUT", r#"{"kind": "no-such-kind"}"#, 400),
        ("PUT", r#"{"colour": "red"}"#, 400),
        ("PUT", "not json", 400),
        ("PUT", r#"{"name": "\u0007"}"#, 400),
        ("PUT", r#"{"labels": {"a": "1", "a": "2"}}"#, 400),
        ("PATCH", r#"{"kind": "custom"}"#, 400),
        ("PATCH", r#"{"name": "x"}"#, 404),
    ] {
        let reply = client.send(method, API, &[], body).await;
        assert_eq!(reply.status, status, "{method} {body}");
    }
    assert_eq!(client.head().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_launcher_tells_of_its_process_and_of_its_end() {
    let bench = Bench::new().await;
    let client = bench.client();
    let process = format!("{API}/process");
    let tell = |body: Value| client.send("PUT", &process, &[], body.to_string());
    let running = json!({"pid": std::process::id(), "start_ticks": 1, "pid_namespace": 7,
        "state": "running", "attach": "headless"});
    assert_eq!(tell(running.clone()).await.status, 404, "nobody has taken the seat");
    client.send("PUT", API, &[], "{}").await;
    assert_eq!(tell(running).await.status, 202);
    let doc = client.get(API).await.json();
    assert_eq!(
        (&doc["headline"], &doc["process"]["state"]),
        (&json!("unknown"), &json!("running"))
    );
    assert_eq!(doc["process"]["attach"], "headless");
    let ended = json!({"pid": std::process::id(), "start_ticks": 1, "pid_namespace": 7,
        "state": "exited", "code": 3});
    assert_eq!(tell(ended).await.status, 202);
    let doc = client.get(API).await.json();
    assert_eq!((&doc["headline"], &doc["process"]["code"]), (&json!("crashed"), &json!(3)));
    for bad in [
        json!({"pid": 1, "state": "running"}),
        json!({"pid": 1, "start_ticks": 1, "state": "asleep"}),
        json!({"pid": 1, "start_ticks": 1, "state": "running", "code": 1}),
    ] {
        assert_eq!(tell(bad).await.status, 400);
    }
}

/// What has started it may go on for ever, with its token; a person may be mistaken.
#[tokio::test(flavor = "multi_thread")]
async fn no_report_hides_how_the_process_in_a_seat_has_ended() {
    let bench = Bench::new().await;
    let client = bench.client();
    let token = "0123456789abcdef0123456789abcdef";
    let seat = json!({"token": token}).to_string();
    assert_eq!(client.send("PUT", API, &[], seat.clone()).await.status, 201);
    let mut process = json!({"pid": std::process::id(), "start_ticks": 1, "pid_namespace": 7,
        "state": "running"});
    let path = format!("{API}/process");
    assert_eq!(client.send("PUT", &path, &[], process.to_string()).await.status, 202);
    assert_eq!(client.report("api", "working").await.status, 202);
    assert_eq!(client.headline("api").await, "working");
    process["state"] = json!("exited");
    process["signal"] = json!(9);
    assert_eq!(client.send("PUT", &path, &[], process.to_string()).await.status, 202);
    let own = [("x-headsup-agent-token", token)];
    let left = async || {
        let (report, beat) = (format!("{API}/reports"), "/api/agents/api/heartbeat");
        for (path, body) in
            [(report.as_str(), r#"{"turn": "working"}"#), (beat, r#"{"state": "active"}"#)]
        {
            assert_eq!(client.send("POST", path, &own, body).await.status, 202);
            assert_eq!(client.headline("api").await, "crashed", "{path}");
        }
    };
    for ms in [700, 31_000] {
        bench.pass(ms).await;
        left().await;
        assert_eq!(client.report("api", "done").await.status, 202);
        assert_eq!(client.headline("api").await, "crashed");
    }
    let told = client.get(&format!("{API}/explain")).await.json();
    let rules: Vec<_> = told["rejected"].as_array().unwrap().iter().map(|it| &it["rule"]).collect();
    assert_eq!(rules, ["G9", "G9", "G9", "G1", "G1", "G1"], "the latest first");
    // The next launch in its seat is a life of its own, and is heard at once.
    assert_eq!(client.send("PUT", API, &[], seat).await.status, 201);
    assert_eq!(client.get(API).await.json()["incarnation"], 2);
    let (path, body) = (format!("{API}/reports"), r#"{"turn": "working"}"#);
    assert_eq!(client.send("POST", &path, &own, body).await.status, 202);
    assert_eq!(client.headline("api").await, "working");
}

/// It starts itself anew in a process of its own, which leaves a conversation that nobody has heard of and goes on in
/// the one that the first has left.
#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_starts_itself_anew_below_its_old_process_keeps_its_seat() {
    let bench = Bench::new().await;
    let client = bench.client();
    let tell = async |pids: &[u32], event: &str, session: &str| {
        // Nobody's: there are no such processes.
        let above = |pid: &u32| json!({"pid": pid, "start": pid, "comm": "copilot"});
        let parents: Vec<_> = pids.iter().map(above).collect();
        let context = json!({ "parents": parents, "pidns": 1 }).to_string();
        let payload = json!({"sessionId": session, "cwd": "/home/dev/api", "reason": "user_exit"});
        let path = format!("/api/v1/hooks/copilot-cli?event={event}");
        let headers = [("x-headsup-context", &*context)];
        let reply = client.send("POST", &path, &headers, payload.to_string()).await;
        assert_eq!(reply.status, 202, "{}", reply.text());
        reply.json()["agent_id"].as_str().map(str::to_owned)
    };
    let own = Some("copilot-cli-api".to_owned());
    for event in ["sessionStart", "userPromptSubmitted", "agentStop", "sessionEnd"] {
        assert_eq!(tell(&[31], event, "s1").await, own, "{event}");
    }
    // Nobody sees its process: its word is all that there is.
    assert_eq!(client.headline("copilot-cli-api").await, "ended");
    assert_eq!(tell(&[32, 31], "sessionEnd", "s0").await, None);
    for event in ["sessionStart", "userPromptSubmitted"] {
        assert_eq!(tell(&[32, 31], event, "s1").await, own, "{event}");
    }
    assert_eq!(client.headline("copilot-cli-api").await, "working");
    // What the new process starts has another conversation.
    let child = tell(&[33, 32, 31], "sessionStart", "s2").await;
    assert_eq!(child.as_deref(), Some("copilot-cli-api.1"));
    let agents = client.get("/api/v1/agents?all=true").await.json();
    assert_eq!(agents["agents"].as_array().unwrap().len(), 2, "{agents}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_history_of_a_forgotten_agent_is_not_that_of_the_next_one_of_its_id() {
    let bench = Bench::new().await;
    let client = bench.client();
    let id = [("x-headsup-agent", "api")];
    client.hook("UserPromptSubmit", "s1", &id).await;
    bench.clock.advance(5_000);
    let gone = client.send("DELETE", &format!("{API}?force=true"), &[], "").await;
    assert_eq!(gone.status, 200, "{}", gone.text());
    bench.clock.advance(5_000);
    client.hook("SessionStart", "s2", &id).await;
    bench.clock.advance(5_000);
    let history = client.get(&format!("{API}/history")).await.json();
    let all = history["intervals"].as_array().unwrap();
    let headlines: Vec<_> = all.iter().map(|interval| interval["headline"].clone()).collect();
    assert_eq!(headlines, ["idle"], "{history}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_history_that_ends_before_it_begins_is_refused() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.report("api", "idle").await;
    let (early, late) = ("2026-11-21T21:00:00.000Z", "2026-11-21T22:00:00.000Z");
    for (from, to, status) in [(early, late, 200), (early, early, 200), (late, early, 400)] {
        let told = client.get(&format!("{API}/history?from={from}&to={to}")).await;
        assert_eq!(told.status.as_u16(), status, "{}", told.text());
    }
}
