use super::bench::{Bench, payload};
use crate::BackgroundShells;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn an_acknowledged_hook_is_visible_at_once() {
    let bench = Bench::new().await;
    let client = bench.client();
    let reply = client.hook("SessionStart", "s1", &[]).await;
    assert_eq!(reply.status, 202);
    assert_eq!(reply.json()["schema"], 1);
    let id = reply.json()["agent_id"].as_str().unwrap().to_owned();
    assert_eq!(id, "claude-code-s1");
    client.hook("UserPromptSubmit", "s1", &[]).await;
    let doc = client.get(&format!("/api/v1/agents/{id}")).await.json();
    assert_eq!(doc["headline"], "working");
    assert_eq!(doc["cwd"], "/home/dev/s1");
    assert_eq!(doc["session_id"], "s1");
    let reply = client.hook("Stop", "s1", &[]).await;
    assert_eq!(client.headline(&id).await, "done");
    assert_eq!(reply.json()["cursor"], client.head().await.to_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registration_tells_all_that_is_known() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.hook("SessionStart", "s1", &[]).await;
    let log = client.log().await;
    assert_eq!(log[0]["type"], "agent.registered");
    assert_eq!(log[0]["cursor"], "1");
    assert_eq!(log[0]["agent"]["cwd"], "/home/dev/s1");
    assert_eq!(log[0]["agent"]["log_path"], "/logs/s1.jsonl");
    let types: Vec<_> = log.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert!(!types.contains(&"agent.updated"), "{types:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_id_an_agent_carries_is_its_seat() {
    let bench = Bench::new().await;
    let client = bench.client();
    let reply = client.hook("UserPromptSubmit", "s1", &[("x-headsup-agent", "builder")]).await;
    assert_eq!(reply.json()["agent_id"], "builder");
    assert_eq!(client.headline("builder").await, "working");
}

/// The end of a call of a helper that has its conversation to itself, say.
#[tokio::test(flavor = "multi_thread")]
async fn what_another_conversation_says_that_does_not_count_describes_nobody() {
    let bench = Bench::new().await;
    let client = bench.client();
    let own = [("x-headsup-agent", "builder")];
    client.hook("UserPromptSubmit", "s1", &own).await;
    let head = client.head().await;
    client.hook("PostToolUse", "s2", &own).await;
    let doc = client.get("/api/v1/agents/builder").await.json();
    assert_eq!((&doc["session_id"], &doc["cwd"]), (&json!("s1"), &json!("/home/dev/s1")));
    assert_eq!(doc["log_path"], "/logs/s1.jsonl");
    assert_eq!(client.head().await, head);
    client.hook("UserPromptSubmit", "s2", &own).await;
    let doc = client.get("/api/v1/agents/builder").await.json();
    assert_eq!((&doc["session_id"], &doc["cwd"]), (&json!("s2"), &json!("/home/dev/s2")));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_report_has_one_effect_also_over_a_restart() {
    let mut bench = Bench::new().await;
    let id = [("x-headsup-id", "report-1")];
    let first = bench.client().hook("UserPromptSubmit", "s1", &id).await;
    assert_eq!(first.status, 202);
    let head = bench.client().head().await;
    for _ in 0..2 {
        let again = bench.client().hook("UserPromptSubmit", "s1", &id).await;
        assert_eq!(again.status, 200);
        assert_eq!(again.json(), serde_json::json!({"schema": 1, "duplicate": true}));
        assert_eq!(bench.client().head().await, head);
        bench.restart().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_that_changed_nothing_is_remembered_too() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.hook("UserPromptSubmit", "s1", &[]).await;
    client.hook("Stop", "s1", &[]).await;
    let head = client.head().await;
    let commits = client.metric("headsup_commit_seconds_count").await;
    let id = [("x-headsup-id", "stop-again")];
    assert_eq!(client.hook("Stop", "s1", &id).await.status, 202);
    assert_eq!(client.hook("Stop", "s1", &id).await.status, 200);
    assert_eq!(client.head().await, head);
    assert_eq!(client.metric("headsup_commit_seconds_count").await, commits, "nothing is written");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_id_with_two_bodies_is_a_conflict() {
    let bench = Bench::new().await;
    let client = bench.client();
    let id = [("x-headsup-id", "report-1")];
    client.hook("UserPromptSubmit", "s1", &id).await;
    let other = client.hook("Stop", "s1", &id).await;
    assert_eq!((other.status.as_u16(), other.code().as_str()), (409, "id_conflict"));
    assert_eq!(client.headline("claude-code-s1").await, "working");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_tool_does_is_kept_as_activity() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.hook("UserPromptSubmit", "s1", &[]).await;
    for _ in 0..130 {
        client.hook("PreToolUse", "s1", &[]).await;
        client.hook("PostToolUse", "s1", &[]).await;
    }
    let path = "/api/v1/agents/claude-code-s1/activity";
    let all = client.get(path).await.json();
    let entries = all["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 100);
    assert_eq!(entries[0]["tool"], "Bash");
    let last = client.get(&format!("{path}?limit=3")).await.json();
    assert_eq!(last["entries"].as_array().unwrap()[..], entries[97..]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_start_comes_behind_its_end_is_kept_and_counted_once() {
    let bench = Bench::new().await;
    let client = bench.client();
    for event in ["UserPromptSubmit", "PostToolUse", "PreToolUse"] {
        client.hook(event, "s1", &[]).await;
    }
    let path = "/api/v1/agents/claude-code-s1";
    assert_eq!(client.get(path).await.json()["counters"]["tools"], 1);
    let told = client.get(&format!("{path}/activity")).await.json();
    let entries = told["entries"].as_array().unwrap().iter();
    assert_eq!(entries.filter(|entry| entry["tool"] == "Bash").count(), 1, "{told}");
    assert_eq!(client.headline("claude-code-s1").await, "working");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_permission_and_its_answer_stand_in_the_log() {
    let bench = Bench::new().await;
    let client = bench.client();
    let ask = async |event: &str| client.hook(event, "s1", &[]).await;
    for event in ["UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse"] {
        ask(event).await;
    }
    for event in ["PreToolUse", "PermissionRequest", "UserPromptSubmit"] {
        ask(event).await;
    }
    let path = "/api/v1/agents/claude-code-s1/activity";
    let all = client.get(path).await.json();
    let entries = all["entries"].as_array().unwrap().iter();
    let said = entries.map(|entry| {
        let word = |name: &str| entry[name].as_str().unwrap_or("-").to_owned();
        assert!(entry["ts"].is_string(), "{entry}");
        format!("{} {} {}", word("state"), word("tool"), word("action"))
    });
    let said: Vec<String> = said.filter(|line| !line.contains("prompt:")).collect();
    let expected = [
        "working Bash ls",
        "blocked - asks permission: Bash: ls",
        "working - no longer asks: Bash: ls",
        "working Bash ls",
        "blocked - asks permission: Bash: ls",
        "working - denied: Bash: ls",
    ];
    assert_eq!(said, expected);
    // What it did last is what it did, not what it asked.
    let agent = client.get("/api/v1/agents/claude-code-s1").await.json();
    assert_eq!(
        agent["last_activity"]["action"].as_str().unwrap().split(':').next(),
        Some("prompt")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_of_rest_tells_of_no_persons_answer() {
    let bench = Bench::new().await;
    let client = bench.client();
    for event in ["UserPromptSubmit", "PreToolUse", "PermissionRequest"] {
        client.hook(event, "s1", &[]).await;
    }
    bench.pass(60_000).await;
    let notice = payload("Notification", "s1");
    let notice = notice.replacen('{', r#"{"notification_type":"idle_prompt","#, 1);
    client.send("POST", "/api/v1/hooks/claude-code", &[], notice).await;
    assert_eq!(client.headline("claude-code-s1").await, "idle");
    let log = client.get("/api/v1/agents/claude-code-s1/activity").await.json();
    let entries = log["entries"].as_array().unwrap();
    let said = |what: &str| entries.iter().filter(|entry| entry["action"] == what).count();
    assert_eq!((said("left unanswered: Bash: ls"), said("denied: Bash: ls")), (1, 0), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn shells_in_the_background_count_as_they_are_set_to() {
    let mut bench = Bench::new().await;
    let id = "claude-code-s1";
    let stop = r#"{"hook_event_name":"Stop","session_id":"s1","background_tasks":[
        {"id":"b1","type":"shell","status":"running","command":"sleep 99"}]}"#;
    for (set, headline) in [
        (BackgroundShells::Working, "working"),
        (BackgroundShells::Idle, "done"),
        (BackgroundShells::Working, "working"),
    ] {
        bench.background_shells = set;
        bench.restart().await;
        let client = bench.client();
        client.hook("UserPromptSubmit", "s1", &[]).await;
        client.send("POST", "/api/v1/hooks/claude-code", &[], stop).await;
        assert_eq!(client.headline(id).await, headline, "{set:?}");
        let agent = client.get(&format!("/api/v1/agents/{id}")).await.json();
        assert_eq!(agent["background"]["shells"], 1, "{set:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hooks_own_time_marks_its_events_as_spooled() {
    let bench = Bench::new().await;
    let client = bench.client();
    let at = "2026-11-21T20:00:00.000Z";
    client.hook("UserPromptSubmit", "s1", &[("x-headsup-spooled-at", at)]).await;
    for event in client.log().await {
        assert_eq!((&event["spooled"], &event["reported_at"]), (&true.into(), &at.into()));
    }
    let bad = client.hook("Stop", "s1", &[("x-headsup-spooled-at", "yesterday")]).await;
    assert_eq!((bad.status.as_u16(), bad.code().as_str()), (400, "bad_header"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_understands_makes_no_seat_and_is_counted() {
    let bench = Bench::new().await;
    let client = bench.client();
    for body in ["", "{}", "[1,2]", "\u{1}\u{2}", "{\"hook_event_name\":\"Surprise\"}"] {
        let reply = client.send("POST", "/api/v1/hooks/claude-code", &[], body).await;
        assert_eq!(reply.status, 202, "{body}: {}", reply.text());
    }
    assert_eq!(client.get("/api/v1/agents").await.json()["agents"], serde_json::json!([]));
    assert_eq!(client.head().await, 0);
    let counted = client.metric("headsup_reports_total{result=\"not_understood\"}").await;
    assert_eq!(counted, 5);
    let surprise = "headsup_not_understood_total{kind=\"claude-code\",event=\"Surprise\"}";
    assert_eq!(client.metric(surprise).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_makes_event_names_up_costs_a_bounded_number_of_counters() {
    let bench = Bench::new().await;
    let client = bench.client();
    for number in 0..100 {
        let body = format!("{{\"hook_event_name\":\"Event{number}\"}}");
        client.send("POST", "/api/v1/hooks/claude-code", &[], body).await;
        let made_up = format!("/api/v1/hooks/acp:agent-{number}?event=Tomorrow");
        client.send("POST", &made_up, &[], "{}").await;
    }
    client.send("POST", "/api/v1/hooks/codex?event=Tomorrow", &[], "{}").await;
    let text = client.get("/metrics").await.text();
    let counters = text.lines().filter(|line| line.starts_with("headsup_not_understood_total"));
    assert_eq!(counters.count(), 65 + 65 + 1);
    let told = async |kind: &str, event: &str| {
        let labels = format!("{{kind=\"{kind}\",event=\"{event}\"}}");
        client.metric(&format!("headsup_not_understood_total{labels}")).await
    };
    assert_eq!(told("claude-code", "others").await, 36, "of this kind alone");
    assert_eq!(told("others", "others").await, 36);
    assert_eq!((told("acp:agent-0", "Tomorrow").await, told("codex", "Tomorrow").await), (1, 1));
}

/// For each kind: an event, a field and a version of tomorrow change nothing, and are counted.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_kind_says_tomorrow_changes_nothing_today_and_is_counted() {
    let bench = Bench::new().await;
    let client = bench.client();
    let kinds = headsup_adapters::kinds().iter().copied().chain(["acp:some-agent"]);
    for kind in kinds {
        let path = format!("/api/v1/hooks/{kind}?event=Tomorrow");
        let agent = [("x-headsup-agent", kind.replace(':', "-"))];
        let headers: Vec<(&str, &str)> = agent.iter().map(|(k, v)| (*k, v.as_str())).collect();
        for body in ["{}", "{\"session_id_v2\":\"s\",\"version\":99}", "[]"] {
            assert_eq!(client.send("POST", &path, &headers, body).await.status, 202, "{kind}");
        }
        let name = format!("headsup_not_understood_total{{kind=\"{kind}\",event=\"Tomorrow\"}}");
        assert_eq!(client.metric(&name).await, 3, "{kind}");
        let seat = client.get(&format!("/api/v1/agents/{}", agent[0].1)).await.json();
        let said = [&seat["headline"], &seat["turn"]["state"]].map(|word| word.as_str().unwrap());
        assert!(matches!(said, ["absent" | "unknown", "none" | "unknown"]), "{kind}: {seat}");
        assert!(seat["outcome"].is_null(), "{kind}: {seat}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_event_of_a_known_agent_changes_nothing_and_is_explained() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.hook("UserPromptSubmit", "s1", &[]).await;
    let head = client.head().await;
    let reply =
        client.send("POST", "/api/v1/hooks/claude-code", &[], payload("Surprise", "s1")).await;
    assert_eq!(reply.status, 202);
    assert_eq!(client.head().await, head);
    let explain = client.get("/api/v1/agents/claude-code-s1/explain").await.json();
    assert_eq!(explain["rejected"][0]["rule"], "G11", "{explain}");
}

/// Its process may still tell that it was a goodbye; the word is none that is believed.
#[tokio::test(flavor = "multi_thread")]
async fn an_end_with_a_word_that_nobody_knows_changes_nothing_and_is_explained() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.hook("UserPromptSubmit", "s1", &[]).await;
    let end = json!({"hook_event_name": "SessionEnd", "session_id": "s1", "reason": "evaporated"});
    let end = end.to_string();
    let reply = client.send("POST", "/api/v1/hooks/claude-code", &[], end).await;
    assert_eq!(reply.status, 202);
    assert_eq!(client.headline("claude-code-s1").await, "working");
    let explain = client.get("/api/v1/agents/claude-code-s1/explain").await.json();
    let rejected = &explain["rejected"][0];
    assert_eq!((&rejected["rule"], &rejected["event"]), (&json!("G11"), &json!("SessionEnd")));
    assert!(rejected["why"].as_str().unwrap().starts_with("its reason "), "{explain}");
    assert_eq!(explain["rejected"].as_array().unwrap().len(), 1, "{explain}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_not_understood_at_first_is_known_by_its_next_hook() {
    let bench = Bench::new().await;
    let client = bench.client();
    let hook = async |body: String| {
        let reply = client.send("POST", "/api/v1/hooks/claude-code", &[], body).await;
        reply.json()["agent_id"].as_str().unwrap().to_owned()
    };
    let agent = hook(payload("Surprise", "s2")).await;
    let nameless = json!({"hook_event_name": "Stop", "cwd": "/home/dev/s2"}).to_string();
    assert_ne!(hook(nameless).await, agent, "of whichever session, it says nothing of this one");
    assert_eq!(hook(payload("UserPromptSubmit", "s2")).await, agent);
    let seat = client.get(&format!("/api/v1/agents/{agent}")).await.json();
    assert_eq!((&seat["session_id"], &seat["headline"]), (&json!("s2"), &json!("working")));
}

/// What is too long to be kept is one conversation's own all the same.
#[tokio::test(flavor = "multi_thread")]
async fn two_sessions_with_endless_ids_are_two_agents() {
    let bench = Bench::new().await;
    let client = bench.client();
    let tell = async |event: &str, last: &str| {
        let session = format!("{}{last}", "x".repeat(10_000));
        let body = json!({"hook_event_name": event, "session_id": session, "cwd": "/home/dev/api"});
        let reply = client.send("POST", "/api/v1/hooks/claude-code", &[], body.to_string()).await;
        reply.json()["agent_id"].as_str().unwrap().to_owned()
    };
    let first = tell("UserPromptSubmit", "a").await;
    assert_ne!(tell("Stop", "b").await, first);
    assert_eq!(client.headline(&first).await, "working");
    assert_eq!(tell("Stop", "a").await, first);
    assert_eq!(client.headline(&first).await, "done");
}

/// The event is told as far as it can be, and what was not known in it is counted by its name.
#[tokio::test(flavor = "multi_thread")]
async fn a_member_with_another_name_or_word_is_counted() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.hook("UserPromptSubmit", "s1", &[]).await;
    let tell = async |event: &str, member: &str, word: &str| {
        let body = json!({"hook_event_name": event, "session_id": "s1", member: word});
        client.send("POST", "/api/v1/hooks/claude-code", &[], body.to_string()).await;
    };
    tell("PermissionRequest", "toolName", "Bash").await;
    assert_eq!(client.headline("claude-code-s1").await, "blocked");
    tell("Notification", "notification_type", "hologram_prompt").await;
    assert_eq!(client.headline("claude-code-s1").await, "blocked");
    for what in ["PermissionRequest.tool_name", "Notification.notification_type"] {
        let name = format!("headsup_not_understood_total{{kind=\"claude-code\",event=\"{what}\"}}");
        assert_eq!(client.metric(&name).await, 1, "{what}");
    }
    // All the rest was understood.
    assert_eq!(client.metric("headsup_reports_total{result=\"not_understood\"}").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kind_without_an_adapter_is_named() {
    let bench = Bench::new().await;
    let reply = bench.client().send("POST", "/api/v1/hooks/no-such", &[], "{}").await;
    assert_eq!((reply.status.as_u16(), reply.code().as_str()), (404, "unknown_kind"));
}

/// A program that has begun nothing yet has a seat; what it takes up may have one of its own.
#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_is_taken_up_leaves_no_empty_seat_behind() {
    let bench = Bench::new().await;
    let client = bench.client();
    let path = "/api/v1/hooks/opencode";
    // Nobody's: there are no such processes.
    let context = |pid: u32| {
        let parents = json!([{ "pid": pid, "start": 7, "comm": "opencode" }]);
        json!({ "parents": parents, "pidns": 1 }).to_string()
    };
    let tell = async |pid: u32, event: &str, session: Option<&str>| {
        let payload = json!({
            "hook_event_name": event, "session_id": session, "cwd": "/home/dev/api",
            "source": session.map(|_| "resume"),
        });
        let headers = [("x-headsup-context", &*context(pid))];
        let reply = client.send("POST", path, &headers, payload.to_string()).await;
        assert_eq!(reply.status, 202);
        reply.json()["agent_id"].as_str().unwrap().to_owned()
    };
    let ids = async || {
        let agents = client.get("/api/v1/agents").await.json();
        let agents = agents["agents"].as_array().unwrap().clone();
        agents.iter().map(|agent| agent["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(tell(11, "plugin.init", None).await, "opencode-api");
    assert_eq!(tell(11, "session.started", Some("s1")).await, "opencode-api");
    assert_eq!(tell(12, "plugin.init", None).await, "opencode-api-2");
    assert_eq!(ids().await.len(), 2);
    assert_eq!(tell(12, "session.started", Some("s1")).await, "opencode-api");
    assert_eq!(ids().await, ["opencode-api"]);
    // One in which somebody has worked stays.
    assert_eq!(tell(13, "plugin.init", None).await, "opencode-api-2");
    tell(13, "session.started", Some("s3")).await;
    assert_eq!(client.headline("opencode-api-2").await, "idle");
    assert_eq!(tell(13, "session.started", Some("s1")).await, "opencode-api");
    // Nobody sits there any more.
    assert_eq!(client.headline("opencode-api-2").await, "ended");
    assert_eq!(client.headline("opencode-api").await, "idle");
    assert_eq!(tell(13, "session.started", Some("s3")).await, "opencode-api-2");
    assert_eq!(client.headline("opencode-api").await, "ended");
    assert_eq!(client.headline("opencode-api-2").await, "idle");
}

/// Its start says that it starts up, and nothing that is understood has told the end of the one before.
#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_begins_one_conversation_after_the_other_is_one_agent() {
    let bench = Bench::new().await;
    let client = bench.client();
    let tell = async |pid: u32, event: &str, session: &str| {
        // Nobody's: there are no such processes.
        let parents = json!([{ "pid": pid, "start": 7, "comm": "pi" }]);
        let context = json!({ "parents": parents, "pidns": 1 }).to_string();
        let payload = json!({
            "hook_event_name": event, "session_id": session, "cwd": "/home/dev/api",
            "source": "startup", "turn_id": "t1",
        });
        let headers = [("x-headsup-context", &*context)];
        let reply = client.send("POST", "/api/v1/hooks/pi", &headers, payload.to_string()).await;
        assert_eq!(reply.status, 202);
        let agent = reply.json()["agent_id"].as_str().unwrap().to_owned();
        let headline = client.headline(&agent).await;
        (agent, headline)
    };
    let is = |agent: &str, headline: &str| (agent.to_owned(), headline.to_owned());
    assert_eq!(tell(21, "session_start", "s1").await, is("pi-api", "idle"));
    assert_eq!(tell(21, "agent_start", "s1").await, is("pi-api", "working"));
    assert_eq!(tell(21, "session_switched", "s1").await, is("pi-api", "working"));
    assert_eq!(tell(21, "session_start", "s2").await, is("pi-api", "idle"));
    assert_eq!(tell(21, "agent_start", "s2").await, is("pi-api", "working"));
    // In another process another one is; then the first goes over to what that was in.
    assert_eq!(tell(22, "session_start", "s3").await, is("pi-api-2", "idle"));
    assert_eq!(tell(21, "session_start", "s3").await, is("pi-api-2", "idle"));
    assert_eq!(client.headline("pi-api").await, "ended");
}

/// The process of a conversation among several lives on when that one has ended.
#[tokio::test(flavor = "multi_thread")]
async fn what_several_share_is_no_ended_ones_process() {
    let bench = Bench::new().await;
    let client = bench.client();
    let pid = std::process::id();
    let context = |above: &str| {
        let parents = [(pid, "codex"), (1, above)];
        let parents = parents.map(|(pid, comm)| json!({"pid": pid, "start": 7, "comm": comm}));
        json!({ "parents": parents }).to_string()
    };
    for (session, above, reason, left) in
        [("s1", "codex", "other", json!(null)), ("s2", "bash", "exit", json!(pid))]
    {
        for event in ["UserPromptSubmit", "SessionEnd"] {
            let payload = json!({
                "hook_event_name": event, "session_id": session, "cwd": "/home/dev/api",
                "turn_id": "t1", "reason": reason,
            });
            let headers = [("x-headsup-context", &*context(above))];
            let path = "/api/v1/hooks/codex";
            assert_eq!(client.send("POST", path, &headers, payload.to_string()).await.status, 202);
        }
        let agents = client.get("/api/v1/agents?all=true").await.json();
        let all = agents["agents"].as_array().unwrap();
        let agent = all.iter().find(|agent| agent["session_id"] == session).unwrap();
        assert_eq!((&agent["headline"], &agent["location"]["pid"]), (&json!("ended"), &left));
    }
}
