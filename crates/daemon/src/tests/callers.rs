//! An agent answers for nobody, and speaks for itself alone.

use super::bench::{Bench, Client, Headers};
use super::prompts::{AS_API, OPEN, answer, asked, question};
use crate::job::Work;
use crate::process;
use headsup_core::id::AgentId;
use serde_json::json;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

async fn code(client: &Client, path: &str, headers: Headers<'_>, body: &str) -> String {
    let reply = client.send("POST", path, headers, body.to_owned()).await;
    if reply.status.is_success() { "ok".to_owned() } else { reply.code() }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_is_known_by_its_token_and_the_token_is_kept_by_nobody() {
    let mut bench = Bench::new().await;
    let client = bench.client();
    let seat = json!({"token": TOKEN}).to_string();
    assert_eq!(client.send("PUT", "/api/v1/agents/api", &[], seat).await.status, 201);
    client.report("web", "working").await;
    bench.restart().await;
    let client = bench.client();
    let token = [("x-headsup-agent-token", TOKEN)];
    let opened = client.send("POST", OPEN, &token, question().to_string()).await;
    assert_eq!(opened.status, 201, "{}", opened.text());
    let path = "/api/v1/prompts/api-p1/answer";
    let said = r#"{"option": 1}"#;
    assert_eq!(code(&client, path, &token, said).await, "self_answer");
    for path in [
        "/api/v1/agents/web/prompts",
        "/api/v1/agents/web/stage",
        "/api/v1/agents/web/reports",
        "/api/v1/agents/web/verdicts",
    ] {
        let body = match path.rsplit('/').next().unwrap() {
            "prompts" => question().to_string(),
            "stage" => json!({"stage": "working"}).to_string(),
            "reports" => json!({"turn": "idle"}).to_string(),
            _ => json!({"task": "T", "verdict": "passed"}).to_string(),
        };
        assert_eq!(code(&client, path, &token, &body).await, "not_your_agent", "{path}");
    }
    assert_eq!(
        code(&client, "/api/v1/agents/api/reports", &token, r#"{"turn":"working"}"#).await,
        "ok"
    );
    let stale = [("x-headsup-agent-token", "f".repeat(64))];
    let stale = [(stale[0].0, stale[0].1.as_str())];
    assert_eq!(code(&client, path, &stale, said).await, "unknown_agent_token");
    let both = [token[0], ("x-headsup-agent", "web")];
    assert_eq!(
        code(&client, "/api/v1/agents/web/reports", &both, r#"{"turn":"idle"}"#).await,
        "not_your_agent"
    );
    let web = [("x-headsup-agent", "web")];
    assert_eq!(code(&client, path, &web, said).await, "human_only");
    assert_eq!(code(&client, path, &[], said).await, "ok");
    for entry in std::fs::read_dir(bench.home()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains(TOKEN));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_runs_below_an_agent_is_that_agent() {
    let bench = Bench::new().await;
    let client = bench.client();
    let id = asked(&client, question()).await;
    // An agent could not ask for it.
    let tcp = bench.on_tcp().await;
    // This very process sits in the seat.
    let (pid, start_ticks) = process::identity(std::process::id()).unwrap();
    let body = |state: &str, code: Option<i32>| {
        json!({"pid": pid, "start_ticks": start_ticks, "state": state, "code": code}).to_string()
    };
    let path = "/api/v1/agents/api/process";
    client.send("PUT", path, &[], body("running", None)).await;
    assert_eq!(answer(&client, &id, json!({"option": 1})).await.code(), "self_answer");
    let other = client.report("web", "working").await;
    assert_eq!((other.status.as_u16(), other.code().as_str()), (403, "not_your_agent"));
    assert_eq!(client.report("api", "working").await.status, 202);
    let snooze = "/api/v1/agents/api/snooze";
    assert_eq!(code(&client, snooze, &[], r#"{"for_ms": 1000}"#).await, "human_only");
    // Nor with the token of its person, over TCP.
    let bearer = bench.bearer();
    let headers = [("authorization", bearer.as_str())];
    let path = format!("/api/v1/prompts/{id}/answer");
    assert_eq!(code(&tcp, &path, &headers, r#"{"option": 1}"#).await, "self_answer");
    // Nor does it speak there for another, by saying that it is that one.
    client.send("PUT", "/api/v1/agents/web", &[], "{}").await;
    let as_web = [headers[0], ("x-headsup-agent", "web")];
    for (path, body) in [
        ("/api/v1/agents/web/reports", json!({"turn": "idle"})),
        ("/api/v1/agents/web/stage", json!({"stage": "working"})),
        ("/api/v1/agents/web/verdicts", json!({"task": "T", "verdict": "passed"})),
        ("/api/v1/agents/web/prompts", question()),
        ("/api/agents/web/heartbeat", json!({"state": "active"})),
    ] {
        assert_eq!(code(&tcp, path, &as_web, &body.to_string()).await, "not_your_agent", "{path}");
    }
    // Whoever is on the line of ours above it is a person.
    let above = std::os::unix::process::parent_id();
    let (pid, start_ticks) = process::identity(above).unwrap();
    let body = json!({"pid": pid, "start_ticks": start_ticks, "state": "running"}).to_string();
    client.send("PUT", "/api/v1/agents/shell", &[], "{}").await;
    client.send("PUT", "/api/v1/agents/shell/process", &[], body).await;
    let nearest = client.report("shell", "working").await;
    assert_eq!(nearest.code(), "not_your_agent", "the nearest one is meant");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_below_another_speaks_in_its_name_and_answers_nothing() {
    let bench = Bench::new().await;
    let client = bench.client();
    let id = asked(&client, question()).await;
    assert_eq!(
        code(&client, "/api/v1/agents/api/stage", AS_API, r#"{"stage":"blocked"}"#).await,
        "illegal_stage"
    );
    assert_eq!(
        code(&client, &format!("/api/v1/prompts/{id}/answer"), AS_API, r#"{"option":1}"#).await,
        "self_answer"
    );
    let bad = [("x-headsup-agent", "no agent")];
    assert_eq!(
        code(&client, &format!("/api/v1/prompts/{id}/answer"), &bad, r#"{"option":1}"#).await,
        "bad_agent_id"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_tells_nothing_of_another_by_any_door_and_forgets_no_other() {
    let bench = Bench::new().await;
    let client = bench.client();
    let seat = json!({"token": TOKEN}).to_string();
    assert_eq!(client.send("PUT", "/api/v1/agents/api", &[], seat.clone()).await.status, 201);
    assert_eq!(client.report("web", "working").await.status, 202);
    let token = [("x-headsup-agent-token", TOKEN)];
    // No machine counts so far.
    let (pid, start_ticks) = (u32::MAX / 2, 7);
    let process = json!({"pid": pid, "start_ticks": start_ticks, "state": "exited"}).to_string();
    let terminal = json!({"pid": pid, "start_ticks": start_ticks, "title": "x"}).to_string();
    let chat = json!({"chat_id": "c", "agent": "web", "eventType": "Stop"}).to_string();
    let to_web = "/api/v1/agents/web/prompts";
    assert_eq!(client.send("POST", to_web, &[], question().to_string()).await.status, 201);
    let before = client.log().await.len();
    for (method, path, body) in [
        ("PUT", "/api/v1/agents/web/process", process.as_str()),
        ("POST", "/api/v1/agents/web/terminal", terminal.as_str()),
        ("POST", "/api/agents/web/heartbeat", r#"{"state":"active"}"#),
        ("POST", "/api/specialists/web/report-status", r#"{"issueId":"I-1","status":"passed"}"#),
        ("POST", "/api/coder/agent-status", chat.as_str()),
    ] {
        let reply = client.send(method, path, &token, body.to_owned()).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str()),
            (403, "not_your_agent"),
            "{path}"
        );
    }
    let claims = [token[0], ("x-headsup-agent", "web")];
    let hook = client.hook("Stop", "s1", &claims).await;
    assert_eq!((hook.status.as_u16(), hook.code().as_str()), (403, "not_your_agent"));
    let gone = client.send("DELETE", "/api/v1/agents/web?force=true", &token, String::new()).await;
    assert_eq!((gone.status.as_u16(), gone.code().as_str()), (403, "human_only"));
    for (method, path) in [("POST", "/api/v1/listener/codes"), ("DELETE", "/api/v1/listener")] {
        let reply = client.send(method, path, &token, String::new()).await;
        assert_eq!(reply.code(), "human_only", "{path}");
    }
    assert_eq!(client.log().await.len(), before, "no event");
    // Nor does it take the seat, with its question, once the other has ended; whoever is no agent does.
    let ended = client.send("PUT", "/api/v1/agents/web/process", &[], process).await;
    assert_eq!(ended.status, 202, "{}", ended.text());
    let taken = client.send("PUT", "/api/v1/agents/web", &token, seat).await;
    assert_eq!((taken.status.as_u16(), taken.code().as_str()), (403, "not_your_agent"));
    let fresh = json!({"token": "f".repeat(40)}).to_string();
    assert_eq!(client.send("PUT", "/api/v1/agents/web", &[], fresh).await.status, 201);
    // Of itself it tells all, but for what a person is to answer.
    let itself = [token[0], ("x-headsup-agent", "api")];
    assert_eq!(client.hook("SessionStart", "s1", &itself).await.status, 202);
    assert_eq!(client.send("POST", OPEN, &token, question().to_string()).await.status, 201);
    let own = "/api/v1/agents/api?force=true";
    assert_eq!(client.send("DELETE", own, &token, String::new()).await.code(), "human_only");
    assert_eq!(answer(&client, "api-p1", json!({"option": 1})).await.status, 200);
    assert_eq!(client.send("DELETE", own, &token, String::new()).await.status, 200);
}

/// A process that nobody has started any more, and that stays until the input ends.
fn somebodys() -> (u32, std::process::ChildStdin) {
    use std::process::{Command, Stdio};
    let script = "exec 3<&0; cat <&3 >/dev/null 2>&1 & echo $!";
    let mut command = Command::new("/bin/sh");
    let command = command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut shell = command.spawn().unwrap();
    let stdin = shell.stdin.take().unwrap();
    let said = std::io::read_to_string(shell.stdout.take().unwrap()).unwrap();
    shell.wait().unwrap();
    (said.trim().parse().unwrap(), stdin)
}

fn context_of(pid: u32) -> String {
    let (pid, start) = process::identity(pid).unwrap();
    let above = json!([{"pid": pid, "start": start, "comm": "claude"}]);
    json!({"env": {"CLAUDE_PID": pid.to_string()}, "parents": above}).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_tells_of_no_conversation_that_another_process_holds() {
    let bench = Bench::new().await;
    let client = bench.client();
    let (other, _stays) = somebodys();
    let context = context_of(other);
    let theirs = [("x-headsup-agent", "web"), ("x-headsup-context", &*context)];
    assert_eq!(client.hook("SessionStart", "s1", &theirs).await.status, 202);
    assert_eq!(client.hook("UserPromptSubmit", "s1", &theirs).await.status, 202);
    assert_eq!(client.hook("UserPromptSubmit", "nowhere", &[]).await.status, 202);
    let before = client.log().await.len();
    // Whoever is no agent may: a program may report through something of its own.
    assert_eq!(client.hook("PreToolUse", "s1", &[]).await.status, 202);
    assert!(client.log().await.len() > before);
    // This very process becomes an agent.
    let (pid, start_ticks) = process::identity(std::process::id()).unwrap();
    let body = json!({"pid": pid, "start_ticks": start_ticks, "state": "running"}).to_string();
    assert_eq!(client.send("PUT", "/api/v1/agents/api", &[], "{}").await.status, 201);
    assert_eq!(client.send("PUT", "/api/v1/agents/api/process", &[], body).await.status, 202);
    let before = client.log().await.len();
    for (event, session, headers) in [
        ("Stop", "s1", &[][..]),
        ("Stop", "nowhere", &[]),
        ("SessionEnd", "s1", &[("x-headsup-context", &*context)]),
        ("SessionEnd", "unheard-of", &[("x-headsup-context", &*context)]),
    ] {
        let told = client.hook(event, session, headers).await;
        assert_eq!(
            (told.status.as_u16(), told.code().as_str()),
            (403, "not_your_agent"),
            "{event} {session}"
        );
    }
    assert_eq!(client.log().await.len(), before, "no event");
    assert_eq!(client.headline("web").await, "working");
    // A conversation is taken up where it is started again; its own process tells of it then.
    let own = context_of(pid);
    let here = [("x-headsup-context", &*own)];
    assert_eq!(client.hook("SessionStart", "s1", &here).await.status, 202);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_another_has_started_is_itself_with_the_others_token() {
    let bench = Bench::new().await;
    let client = bench.client();
    let seat = json!({"token": TOKEN}).to_string();
    assert_eq!(client.send("PUT", "/api/v1/agents/api", &[], seat).await.status, 201);
    let outer = context_of(std::os::unix::process::parent_id());
    let claims = [("x-headsup-agent", "api"), ("x-headsup-context", &*outer)];
    assert_eq!(client.hook("SessionStart", "s1", &claims).await.status, 202);
    let token = [("x-headsup-agent-token", TOKEN), ("x-headsup-agent", "api")];
    let asked = client.send("POST", OPEN, &token, question().to_string()).await;
    assert_eq!(asked.json()["agent_id"], "api", "it has started none so far");
    let inner = context_of(std::process::id());
    let claims = [("x-headsup-agent", "api"), ("x-headsup-context", &*inner)];
    assert_eq!(client.hook("SessionStart", "s2", &claims).await.status, 202);
    let child = client.get("/api/v1/agents/api.1").await;
    assert_eq!(child.status, 200, "{}", child.text());
    // What it does is its own, whatever it says; and still it speaks in the other's name.
    let to_own = "/api/v1/agents/api.1/reports";
    assert_eq!(code(&client, to_own, &token[..1], r#"{"turn":"working"}"#).await, "ok");
    let to_outer = "/api/v1/agents/api/reports";
    assert_eq!(code(&client, to_outer, &token, r#"{"turn":"working"}"#).await, "ok");
    let own = "/api/v1/agents/api?force=true";
    assert_eq!(client.send("DELETE", own, &token, String::new()).await.code(), "human_only");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_end_that_nobody_has_seen_is_not_hidden_by_another_agents_start() {
    let bench = Bench::new().await;
    let client = bench.client();
    for id in ["api", "web", "job"] {
        assert_eq!(
            client.send("PUT", &format!("/api/v1/agents/{id}"), &[], "{}").await.status,
            201
        );
    }
    let (pid, start_ticks) = process::identity(std::process::id()).unwrap();
    let runs = json!({"pid": pid, "start_ticks": start_ticks, "state": "running"}).to_string();
    // It has left by itself, behind a turn that failed.
    client.report("job", "failed").await;
    for (id, code) in [("web", 3), ("job", 0)] {
        // No machine counts so far.
        let (pid, path) = (u32::MAX / 2, format!("/api/v1/agents/{id}/process"));
        let ended = json!({"pid": pid, "start_ticks": 7, "state": "exited", "code": code});
        assert_eq!(client.send("PUT", &path, &[], ended.to_string()).await.status, 202);
    }
    assert_eq!(client.send("PUT", "/api/v1/agents/api/process", &[], runs).await.status, 202);
    for (id, headline) in [("web", "crashed"), ("job", "ended")] {
        assert_eq!(client.headline(id).await, headline);
        let path = format!("/api/v1/agents/{id}");
        let taken = client.send("PUT", &path, &[], "{}").await;
        assert_eq!((taken.status.as_u16(), taken.code().as_str()), (403, "not_your_agent"));
        assert_eq!(client.headline(id).await, headline);
        // Once a person has seen it, it is free again.
        let agents = vec![AgentId::new(id).unwrap()];
        bench.hub().inbox().submit(Work::Seen { agents }, None).await.unwrap();
        assert_eq!(client.send("PUT", &path, &[], "{}").await.status, 201, "{id}");
    }
}

/// What the hub sees of an agent in this very process.
async fn sits_here(client: &Client) {
    let (pid, start_ticks) = process::identity(std::process::id()).unwrap();
    let runs = json!({"pid": pid, "start_ticks": start_ticks, "state": "running"}).to_string();
    assert_eq!(client.send("PUT", "/api/v1/agents/api", &[], "{}").await.status, 201);
    assert_eq!(client.send("PUT", "/api/v1/agents/api/process", &[], runs).await.status, 202);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_takes_no_seat_that_a_person_has_put_away() {
    let bench = Bench::new().await;
    let client = bench.client();
    for (id, session) in [("web", "s1"), ("job", "s2")] {
        client.hook("SessionStart", session, &[("x-headsup-agent", id)]).await;
        let path = format!("/api/agents/{id}/heartbeat");
        let away = client.send("POST", &path, &[], r#"{"state":"suspended"}"#).await;
        assert_eq!(away.status, 202, "{}", away.text());
        assert_eq!(client.headline(id).await, "suspended");
    }
    sits_here(&client).await;
    let before = client.log().await.len();
    for (id, kind) in [("web", "custom"), ("job", "claude-code")] {
        let body = json!({"kind": kind, "token": TOKEN}).to_string();
        let taken = client.send("PUT", &format!("/api/v1/agents/{id}"), &[], body).await;
        assert_eq!((taken.status.as_u16(), taken.code().as_str()), (403, "not_your_agent"));
        assert_eq!(client.headline(id).await, "suspended");
    }
    assert_eq!(client.log().await.len(), before, "no event");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_takes_no_ended_seat_in_whose_name_it_could_act() {
    let bench = Bench::new().await;
    let client = bench.client();
    let made = r#"{"title": "Mine", "prefix": "APP"}"#;
    assert!(client.send("POST", "/api/v1/tasks", &[], made).await.status.is_success());
    for id in ["tasked", "named", "plain"] {
        let path = format!("/api/v1/agents/{id}");
        assert_eq!(client.send("PUT", &path, &[], "{}").await.status, 201);
        match id {
            "tasked" => {
                let task = r#"{"task_identifier": "APP-1"}"#;
                let linked = client.send("PUT", &format!("{path}/task"), &[], task).await;
                assert_eq!(linked.status, 200, "{}", linked.text());
            }
            "named" => {
                let named = client.send("PATCH", &path, &[], r#"{"name": "front"}"#).await;
                assert_eq!(named.status, 200, "{}", named.text());
            }
            _ => {}
        }
        // No machine counts so far.
        let gone = json!({"pid": u32::MAX / 2, "start_ticks": 7, "state": "exited", "code": 0});
        let told = client.send("PUT", &format!("{path}/process"), &[], gone.to_string()).await;
        assert_eq!(told.status, 202, "{}", told.text());
        assert_eq!(client.headline(id).await, "ended");
    }
    sits_here(&client).await;
    for id in ["tasked", "named"] {
        let body = json!({ "token": TOKEN }).to_string();
        let taken = client.send("PUT", &format!("/api/v1/agents/{id}"), &[], body).await;
        assert_eq!((taken.status.as_u16(), taken.code().as_str()), (403, "not_your_agent"), "{id}");
        let token = [("x-headsup-agent-token", TOKEN)];
        let report = format!("/api/v1/agents/{id}/reports");
        let said = code(&client, &report, &token, r#"{"turn":"working"}"#).await;
        assert_ne!(said, "ok", "{id}");
    }
    // A helper that nothing is known of may have been its own.
    assert_eq!(client.send("PUT", "/api/v1/agents/plain", &[], "{}").await.status, 201);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_with_a_token_that_nobody_holds_opens_a_seat_of_its_own_and_no_others() {
    let bench = Bench::new().await;
    let client = bench.client();
    let lost = ("x-headsup-agent-token", TOKEN);
    let claims = |seat| ("x-headsup-agent", seat);
    // One sits there by its own word, one with the token of a later launch.
    assert_eq!(client.hook("UserPromptSubmit", "s1", &[claims("web")]).await.status, 202);
    let later = json!({"token": "f".repeat(32)}).to_string();
    assert_eq!(client.send("PUT", "/api/v1/agents/job", &[], later).await.status, 201);
    let before = client.log().await.len();
    for (seat, session) in [("web", "s1"), ("web", "s2"), ("job", "s3")] {
        let told = client.hook("Stop", session, &[lost, claims(seat)]).await;
        let refused = (told.status.as_u16(), told.code());
        assert_eq!(refused, (403, "unknown_agent_token".to_owned()), "{seat} {session}");
    }
    assert_eq!(client.log().await.len(), before, "no event");
    let counted = "headsup_refusals_total{code=\"unknown_agent_token\"}";
    assert_eq!(client.metric(counted).await, 3);
    // It runs on where the hub has lost it, and is known by its token again.
    assert_eq!(client.report("api", "working").await.status, 202);
    for event in ["UserPromptSubmit", "Stop", "UserPromptSubmit"] {
        let told = client.hook(event, "s4", &[lost, claims("api")]).await;
        assert_eq!(told.status, 202, "{event}: {}", told.text());
    }
    assert_eq!(client.headline("api").await, "working");
    let told = client.hook("Stop", "s1", &[lost, claims("web")]).await;
    assert_eq!(told.code(), "not_your_agent");
    let forced = client.send("DELETE", "/api/v1/agents/api?force=true", &[], "").await;
    assert_eq!(forced.status, 200);
    assert_eq!(client.hook("Stop", "s4", &[lost, claims("api")]).await.status, 202);
    assert_eq!(client.get("/api/v1/agents/api").await.status, 200);
}

/// One program may run the tools of several agents, each with its own name; nobody else is told of by that.
#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_runs_the_tools_of_several_agents_is_each_by_its_own_name() {
    let (pid, start_ticks) = process::identity(std::process::id()).unwrap();
    let runs = json!({"pid": pid, "start_ticks": start_ticks, "state": "running"}).to_string();
    let adopted = r#"{"adopted": true}"#;
    let bench = Bench::new().await;
    let client = bench.client();
    assert_eq!(client.report("job", "working").await.status, 202);
    for id in ["api", "web"] {
        let path = format!("/api/v1/agents/{id}");
        assert_eq!(client.send("PUT", &path, &[], adopted).await.status, 201);
        let sits = client.send("PUT", &format!("{path}/process"), &[], runs.clone()).await;
        assert_eq!(sits.status, 202, "{id}: {}", sits.text());
    }
    let stage = r#"{"stage": "working"}"#;
    for id in ["web", "api"] {
        let path = format!("/api/v1/agents/{id}/stage");
        let says = [("x-headsup-agent", id)];
        assert_eq!(code(&client, &path, &says, stage).await, "ok", "{id}");
        assert_eq!(code(&client, "/api/v1/agents/job/stage", &says, stage).await, "not_your_agent");
    }
    // Of one that has spoken, or that another program runs, this one tells nothing.
    let elsewhere = json!({"pid": u32::MAX / 2, "start_ticks": 7, "state": "running"}).to_string();
    assert_eq!(client.send("PUT", "/api/v1/agents/new", &[], adopted).await.status, 201);
    for (id, process) in [("job", &runs), ("new", &elsewhere)] {
        let path = format!("/api/v1/agents/{id}/process");
        let told = client.send("PUT", &path, &[], process.clone()).await;
        assert_eq!(told.code(), "not_your_agent", "{id}");
    }
    // Nor does one that was launched, or that its hooks tell of, become two.
    let bench = Bench::new().await;
    let client = bench.client();
    sits_here(&client).await;
    assert_eq!(client.send("PUT", "/api/v1/agents/web", &[], adopted).await.status, 201);
    let told = client.send("PUT", "/api/v1/agents/web/process", &[], runs).await;
    assert_eq!(told.code(), "not_your_agent");
}
