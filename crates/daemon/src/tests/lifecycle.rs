//! Agents that are put away, taken up again and ended: with processes that are there, and a stand-in
//! for whoever starts agents.

use super::bench::{Bench, Client, Reply, soon};
use super::prompts::{answer, question};
use headsup_testkit::wait;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A process in the seat `api` that says of itself that it rests.
pub(super) struct Agent(Child);

impl Drop for Agent {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

pub(super) const SEAT: &str = "/api/v1/agents/api";

fn launch() -> Value {
    json!({"program": "/bin/sh", "name": "sh", "arguments": ["--model", "opus", "hello"],
        "folder": "/", "here": false})
}

async fn resting(client: &Client) -> Agent {
    let body = json!({"kind": "claude-code", "cwd": "/", "launch": launch()});
    resting_as(client, body).await
}

pub(super) async fn resting_as(client: &Client, seat: Value) -> Agent {
    let mut command = Command::new("sh");
    command.args(["-c", "read x"]);
    resting_in(client, seat, command).await
}

pub(super) async fn resting_in(client: &Client, seat: Value, command: Command) -> Agent {
    assert_eq!(client.send("PUT", SEAT, &[], seat.to_string()).await.status, 201);
    let agent = started(client, command).await;
    for event in ["SessionStart", "UserPromptSubmit", "Stop"] {
        client.hook(event, "s1", &[("x-headsup-agent", "api")]).await;
    }
    assert_eq!(client.headline("api").await, "done");
    agent
}

/// A process of which its launcher tells.
pub(super) async fn started(client: &Client, mut command: Command) -> Agent {
    let child = command.stdin(Stdio::piped()).spawn().unwrap();
    let (pid, start_ticks) = crate::process::identity(child.id()).unwrap();
    let agent = Agent(child);
    let process = json!({"pid": pid, "start_ticks": start_ticks, "state": "starting"});
    let path = format!("{SEAT}/process");
    assert_eq!(client.send("PUT", &path, &[], process.to_string()).await.status, 202);
    agent
}

/// Starts what it is told to start: it writes that down, and fails where it is told to.
pub(super) async fn with_launcher(bench: &mut Bench, last: &str) -> PathBuf {
    let path = bench.home().with_file_name("launcher");
    let order = bench.home().with_file_name("order");
    let script =
        format!("#!/bin/sh\necho \"$@\" > {0}.words\ncat > {0}\n{last}\n", order.display());
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    bench.launcher = Some(path);
    bench.restart().await;
    order
}

pub(super) async fn act(client: &Client, act: &str, body: Value) -> Reply {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    client.send("POST", &format!("{SEAT}/{act}"), &[], body).await
}

#[track_caller]
pub(super) fn refused(reply: &Reply, code: &str, word: &str) {
    assert_eq!((reply.status.as_u16(), reply.code().as_str()), (409, code), "{}", reply.text());
    assert!(reply.json()["detail"].as_str().unwrap().contains(word), "{}", reply.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_ends_and_its_seat_is_taken_up_again_by_whom_the_hub_starts() {
    let mut bench = Bench::new().await;
    let order = with_launcher(&mut bench, "exit 0").await;
    let client = bench.client();
    let mut agent = resting(&client).await;
    let reply = act(&client, "suspend", Value::Null).await;
    assert_eq!((reply.status.as_u16(), &reply.json()["agent_id"]), (200, &json!("api")));
    assert_eq!(client.headline("api").await, "suspended");
    assert!(agent.0.wait().unwrap().code().is_none(), "it was asked to go");
    refused(&act(&client, "suspend", Value::Null).await, "not_running", "suspended");
    let before = client.get(SEAT).await.json();
    // A hub before this one may have put it away.
    bench.restart().await;
    let client = bench.client();
    let reply = act(&client, "resume", json!({"message": "go\u{7} on"})).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let told: Value = serde_json::from_slice(&std::fs::read(&order).unwrap()).unwrap();
    let words = json!(["--model", "opus", "--resume", "s1", "--", "go on"]);
    assert_eq!((&told["agent_id"], &told["launch"]["arguments"]), (&json!("api"), &words));
    assert_eq!(told["token"].as_str().unwrap().len(), 64);
    assert_eq!(std::fs::read_to_string(order.with_extension("words")).unwrap(), "relaunch\n");
    let after = client.get(SEAT).await.json();
    assert_eq!((&after["headline"], &after["incarnation"]), (&json!("starting"), &json!(2)));
    assert_eq!(
        (&after["process"]["state"], before["incarnation"].as_u64()),
        (&json!("starting"), Some(1))
    );
    assert!(after["suspended_at"].is_string() && after["resumed_at"].is_string(), "{after}");
    assert_eq!(after["seen"], json!(true), "whoever says what is next has seen what was last");
    // Its new token is its own, and the command line nobody's.
    let token = told["token"].as_str().unwrap();
    let own = [("x-headsup-agent-token", token)];
    assert_eq!(client.send("POST", &format!("{SEAT}/resume"), &own, "").await.code(), "human_only");
    for path in [SEAT, "/api/v1/agents?all=true", "/api/v1/agents/api/evidence"] {
        assert!(!client.get(path).await.text().contains("opus"), "{path}");
    }
    refused(&act(&client, "resume", Value::Null).await, "not_suspended", "starting");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_no_object_ends_nobody() {
    let bench = Bench::new().await;
    let client = bench.client();
    let _agent = resting(&client).await;
    for route in ["suspend", "stop"] {
        for (body, detail) in [
            ("now", "the body is a JSON object"),
            ("null", "the body is a JSON object"),
            (r#"["api"]"#, "the body is a JSON object"),
            ("{", "the body is no JSON: it ends too early"),
        ] {
            let reply = client.send("POST", &format!("{SEAT}/{route}"), &[], body).await;
            let told = (reply.status.as_u16(), reply.json());
            assert_eq!((told.0, &told.1["code"]), (400, &json!("bad_json")), "{route}: {body}");
            assert_eq!(told.1["detail"], detail, "{route}: {body}");
        }
    }
    assert_eq!(client.headline("api").await, "done");
    let reply = act(&client, "suspend", json!({"why": "later"})).await;
    assert_eq!((reply.status.as_u16(), &*client.headline("api").await), (200, "suspended"));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_on_this_machine_may_start_it_and_is_told_how() {
    let bench = Bench::new().await;
    let client = bench.client();
    let _agent = resting(&client).await;
    act(&client, "suspend", Value::Null).await;
    let token = "t".repeat(32);
    let tcp = bench.on_tcp().await;
    let bearer = bench.bearer();
    let path = format!("{SEAT}/resume");
    let body = json!({"token": token}).to_string();
    let reply = tcp.send("POST", &path, &[("authorization", &bearer)], body.clone()).await;
    assert_eq!((reply.status.as_u16(), reply.code().as_str()), (403, "not_here"));
    let reply = client.send("POST", &path, &[], json!({"token": "short"}).to_string()).await;
    assert_eq!(reply.status, 400);
    refused(&act(&client, "resume", Value::Null).await, "hub_starts_nothing", "cannot start");
    assert_eq!(client.headline("api").await, "suspended");
    let reply = client.send("POST", &path, &[], body).await;
    assert_eq!(reply.status, 202, "{}", reply.text());
    let mut expected = launch();
    expected["arguments"] = json!(["--model", "opus", "--resume", "s1"]);
    expected.as_object_mut().unwrap().remove("here");
    assert_eq!(reply.json()["launch"], expected);
    assert_eq!(client.headline("api").await, "starting");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_launch_takes_a_seat_that_was_put_away_only_to_go_on_in_its_conversation() {
    let bench = Bench::new().await;
    let client = bench.client();
    let _agent = resting(&client).await;
    act(&client, "suspend", Value::Null).await;
    let take = async |kind: &str, words: Value| {
        let mut launch = launch();
        launch["arguments"] = words;
        let body = json!({"kind": kind, "cwd": "/", "launch": launch});
        client.send("PUT", SEAT, &[], body.to_string()).await
    };
    let to_go_on = || json!(["--resume", "s1"]);
    for (kind, words) in [
        ("claude-code", json!(["hello"])),
        ("claude-code", json!(["--resume", "s2"])),
        ("codex", to_go_on()),
    ] {
        let reply = take(kind, words).await;
        refused(&reply, "agent_suspended", "put away");
        let hint = reply.json()["hint"].as_str().unwrap().to_owned();
        assert!(hint.contains("headsup resume") && hint.contains("headsup forget"), "{hint}");
    }
    let doc = client.get(SEAT).await.json();
    assert_eq!((&doc["headline"], &doc["session_id"]), (&json!("suspended"), &json!("s1")));
    let reply = take("claude-code", to_go_on()).await;
    assert_eq!(reply.status, 201, "{}", reply.text());
    let doc = client.get(SEAT).await.json();
    assert_eq!((&doc["headline"], &doc["incarnation"]), (&json!("starting"), &json!(2)));
    let body = json!({"token": "t".repeat(32)});
    refused(&act(&client, "resume", body.clone()).await, "not_suspended", "starting");
    // Nothing comes of that start.
    bench.pass(15_001).await;
    refused(&take("claude-code", json!([])).await, "agent_suspended", "put away");
    let reply = act(&client, "resume", body).await;
    assert_eq!(reply.status, 202, "{}", reply.text());
    assert_eq!(reply.json()["launch"]["arguments"], to_go_on());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_started_is_told_and_does_not_start_for_ever() {
    let mut bench = Bench::new().await;
    with_launcher(&mut bench, "echo 'no tmux here' >&2; exit 7").await;
    let client = bench.client();
    let _agent = resting(&client).await;
    act(&client, "suspend", Value::Null).await;
    refused(&act(&client, "resume", Value::Null).await, "not_started", "no tmux here");
    let doc = client.get(SEAT).await.json();
    assert_eq!((&doc["headline"], &doc["process"]["code"]), (&json!("crashed"), &json!(126)));
    // Its conversation is kept, so it can be tried again.
    refused(&act(&client, "resume", Value::Null).await, "not_started", "no tmux here");
    let reply = act(&client, "suspend", Value::Null).await;
    assert!(reply.json()["hint"].as_str().unwrap().contains("headsup run"), "{}", reply.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_has_failed_is_no_success_when_it_is_asked_for_again() {
    let mut bench = Bench::new().await;
    with_launcher(&mut bench, "echo 'no tmux here' >&2; exit 7").await;
    let client = bench.client();
    let _agent = resting(&client).await;
    act(&client, "suspend", Value::Null).await;
    let path = format!("{SEAT}/resume");
    for word in ["no tmux here", "nothing was started", "nothing was started"] {
        let reply = client.send("POST", &path, &[("x-headsup-id", "r-1")], "").await;
        refused(&reply, "not_started", word);
    }
    // Another request is another try.
    with_launcher(&mut bench, "exit 0").await;
    let client = bench.client();
    for (status, duplicate) in [(200, Value::Null), (200, json!(true))] {
        let reply = client.send("POST", &path, &[("x-headsup-id", "r-2")], "").await;
        assert_eq!(reply.status.as_u16(), status, "{}", reply.text());
        assert_eq!(reply.json()["duplicate"], duplicate);
    }
    let reply = client.send("POST", &path, &[("x-headsup-id", "r-1")], "").await;
    assert_eq!(reply.json()["duplicate"], json!(true), "it has been taken up since then");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_of_which_nothing_came_is_no_success_behind_a_clock_that_was_set_back() {
    let mut bench = Bench::new().await;
    with_launcher(&mut bench, "exit 0").await;
    let client = bench.client();
    let _agent = resting(&client).await;
    act(&client, "suspend", Value::Null).await;
    bench.clock.jump(-8 * 3_600_000);
    let path = format!("{SEAT}/resume");
    let ask = async || client.send("POST", &path, &[("x-headsup-id", "r-1")], "").await;
    assert_eq!(ask().await.status, 200);
    // Half of it by the hub's time.
    bench.pass(30_002).await;
    refused(&ask().await, "not_started", "nothing was started");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_put_away_who_could_not_be_taken_up_again() {
    let bench = Bench::new().await;
    let client = bench.client();
    let agent = resting_as(&client, json!({"kind": "claude-code", "cwd": "/"})).await;
    refused(&act(&client, "suspend", Value::Null).await, "launch_unknown", "how it was started");
    assert_eq!(client.headline("api").await, "done");
    let reply = act(&client, "stop", Value::Null).await;
    assert_eq!((reply.status.as_u16(), client.headline("api").await.as_str()), (200, "ended"));
    drop(agent);
    let mut once = launch();
    once["arguments"] = json!(["-p", "hello"]);
    let _agent = resting_as(&client, json!({"kind": "claude-code", "launch": once})).await;
    refused(&act(&client, "suspend", Value::Null).await, "no_way_back", "-p");
    // In a turn that is what is said of it.
    client.hook("UserPromptSubmit", "s1", &[("x-headsup-agent", "api")]).await;
    refused(&act(&client, "suspend", Value::Null).await, "in_turn", "working");
    for bad in [
        json!({"program": "sh"}),
        json!({"program": ""}),
        json!({"name": ""}),
        json!({"arguments": ["a\u{0}"]}),
    ] {
        let mut launch = launch();
        launch.as_object_mut().unwrap().extend(bad.as_object().unwrap().clone());
        let body = json!({"launch": launch}).to_string();
        assert_eq!(client.send("PUT", "/api/v1/agents/b", &[], body).await.status, 400);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_put_away_of_whose_session_nothing_is_written_down() {
    let bench = Bench::new().await;
    let client = bench.client();
    let body = json!({"kind": "claude-code", "cwd": "/", "launch": launch()});
    assert_eq!(client.send("PUT", SEAT, &[], body.to_string()).await.status, 201);
    let mut command = Command::new("sh");
    command.args(["-c", "read x"]);
    let _agent = started(&client, command).await;
    let log = bench.home().with_file_name("s1.jsonl");
    let payload = json!({"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup",
        "transcript_path": log});
    let path = "/api/v1/hooks/claude-code";
    let reply = client.send("POST", path, &[("x-headsup-agent", "api")], payload.to_string()).await;
    assert_eq!((reply.status.as_u16(), client.headline("api").await.as_str()), (202, "idle"));
    refused(&act(&client, "suspend", Value::Null).await, "nothing_said", "said");
    assert_eq!(client.headline("api").await, "idle");
    // A conversation that was taken up is there.
    std::fs::write(log, "").unwrap();
    assert_eq!(act(&client, "suspend", Value::Null).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_hub_was_told_to_end_the_next_one_ends() {
    let mut bench = Bench::new().await;
    let client = bench.client();
    let mut agent = resting(&client).await;
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(i32::try_from(agent.0.id()).unwrap()).unwrap(),
        rustix::process::Signal::STOP,
    )
    .unwrap();
    // A hub that dies between its word and the deed.
    let id = headsup_core::id::AgentId::new("api").unwrap();
    let seat = bench.hub().app().board.seat(&id).unwrap();
    let act = crate::job::LifecycleAct::Leave {
        agent: seat.id.clone(),
        leaving: headsup_core::seat::Leaving::Suspend,
        ready: seat.process.id.clone(),
        launch: None,
    };
    let work = crate::job::Work::Lifecycle(Box::new(act));
    bench.hub().inbox().submit(work, None).await.unwrap();
    assert_eq!(client.headline("api").await, "stopping");
    bench.restart().await;
    agent.0.wait().unwrap();
    let client = bench.client();
    let away = async {
        let mut events = client.events("?since=0").await;
        while events.next().await.unwrap().data["to"] != "suspended" {}
    };
    soon("its end", away).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_takes_up_who_was_put_away_with_its_question() {
    let mut bench = Bench::new().await;
    let order = with_launcher(&mut bench, "exit 0").await;
    let client = bench.client();
    let _agent = resting(&client).await;
    let path = format!("{SEAT}/prompts");
    assert_eq!(client.send("POST", &path, &[], question().to_string()).await.status, 201);
    let reply = act(&client, "suspend", Value::Null).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(client.get(SEAT).await.json()["process"]["state"], "suspended");
    assert_eq!(client.headline("api").await, "blocked", "it waits for a person");
    let reply = answer(&client, "api-p1", json!({"option": 1})).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let told = || serde_json::from_slice::<Value>(&std::fs::read(&order).ok()?).ok();
    let told = tokio::task::block_in_place(|| wait::until("its start", told));
    let words = told["launch"]["arguments"].as_array().unwrap();
    let said = words.last().unwrap().as_str().unwrap();
    assert!(said.starts_with("The answer to your question"), "{said}");
    assert_eq!(client.get(SEAT).await.json()["incarnation"], 2);
}

/// A program that its process shows as what it is.
pub(super) fn program(bench: &Bench) -> PathBuf {
    let program = bench.home().with_file_name("claude");
    std::fs::write(&program, "#!/bin/sh\nread x\n").unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    program
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_was_started_by_hand_is_taken_up_as_its_process_was_started() {
    let mut bench = Bench::new().await;
    let order = with_launcher(&mut bench, "exit 0").await;
    let client = bench.client();
    let program = program(&bench);
    let mut command = Command::new(&program);
    command.args(["--model", "opus", "hello"]).current_dir("/");
    let _agent = resting_in(&client, json!({"kind": "claude-code"}), command).await;
    let reply = act(&client, "suspend", Value::Null).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let reply = act(&client, "resume", Value::Null).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let told: Value = serde_json::from_slice(&std::fs::read(&order).unwrap()).unwrap();
    let path = program.to_str().unwrap();
    let expected = json!({"program": path, "name": path, "folder": "/", "here": true,
        "arguments": ["--model", "opus", "--resume", "s1"], "no_tools": true});
    assert_eq!(told["launch"], expected);
}
