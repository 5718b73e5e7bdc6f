//! The hub's own eyes, on real processes and real files.

mod again;
mod asked;
mod away;
mod ended;
mod missing;
mod queued;
mod ready;
mod samples;

use super::bench::{Bench, soon};
use crate::limits::Limits;
use headsup_adapters::WatchedFolder;
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const KIND: &str = "claude-code";

/// A process that stands for an agent, and the folder in which it keeps its status.
struct Agent {
    child: Child,
    sessions: PathBuf,
    session: &'static str,
}

impl Agent {
    fn start(sessions: &Path, session: &'static str) -> Self {
        let mut command = Command::new("/bin/cat");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).env_clear();
        Self { child: command.spawn().unwrap(), sessions: sessions.to_owned(), session }
    }

    fn start_ticks(&self) -> String {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().to_owned()
    }

    fn file(&self) -> PathBuf {
        self.sessions.join(format!("{}.json", self.child.id()))
    }

    fn shows(&self, status: &str) {
        fs::write(self.file(), self.record(status).to_string()).unwrap();
    }

    /// The file is written at `at`, and has said so since `since`.
    fn states(&self, status: &str, at: u64, since: u64) {
        let mut record = self.record(status);
        record["updatedAt"] = at.into();
        record["statusUpdatedAt"] = since.into();
        fs::write(self.file(), record.to_string()).unwrap();
    }

    fn record(&self, status: &str) -> Value {
        json!({
            "pid": self.child.id(), "procStart": self.start_ticks(), "sessionId": self.session,
            "cwd": "/home/dev/api", "kind": "interactive", "entrypoint": "cli", "status": status,
            "waitingFor": "permission prompt",
        })
    }

    /// What its hooks would say of where they come from.
    fn context(&self) -> String {
        let pid = self.child.id();
        let start: u64 = self.start_ticks().parse().unwrap();
        json!({
            "env": {"CLAUDE_PID": pid.to_string()},
            "parents": [{"pid": pid, "start": start, "comm": "claude"}],
        })
        .to_string()
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// It ends by itself: what it reads is over.
    fn leave(&mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

struct Rig {
    bench: Bench,
    sessions: PathBuf,
    _temp: tempfile::TempDir,
}

impl Rig {
    async fn new() -> Self {
        Self::with(Limits::default()).await
    }

    async fn with(limits: Limits) -> Self {
        let temp = tempfile::tempdir().unwrap();
        let sessions = temp.path().join("sessions");
        fs::create_dir(&sessions).unwrap();
        let mut bench = Bench::with(limits).await;
        bench.folders = vec![WatchedFolder { kind: KIND, path: sessions.clone() }];
        bench.restart().await;
        Self { bench, sessions, _temp: temp }
    }

    /// The one seat there is, once it is like this. The hub's clock stands still meanwhile.
    async fn until(&self, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let looks = async {
            loop {
                let agents = self.bench.client().get("/api/v1/agents").await.json();
                if let Some(agent) = agents["agents"].as_array().and_then(|all| all.first())
                    && is_so(agent)
                {
                    return agent.clone();
                }
                tokio::task::yield_now().await;
            }
        };
        soon(what, looks).await
    }

    async fn until_headline(&self, headline: &str) -> Value {
        self.until(headline, |agent| agent["headline"] == headline).await
    }

    /// Lets the hub's clock go on until it is like this: a level settles for a moment.
    async fn settles(&self, headline: &str) {
        let looks = async {
            loop {
                self.bench.pass(50).await;
                let agents = self.bench.client().get("/api/v1/agents").await.json();
                if agents["agents"][0]["headline"] == headline {
                    return;
                }
                tokio::task::yield_now().await;
            }
        };
        soon(headline, looks).await;
    }

    /// Lets the hub's clock go on until an event of this type is told.
    async fn until_settled(&self, kind: &str) {
        let looks = async {
            while !self.types().await.iter().any(|told| told == kind) {
                self.bench.pass(50).await;
            }
        };
        soon(kind, looks).await;
    }

    /// Has the log tell of a failure, and returns its code once that is heard. What was written before
    /// somebody looked is the past: it is written again.
    async fn fails_by(&self, log: &Path) -> Value {
        let error = json!({"type": "assistant", "isApiErrorMessage": true, "error": "overloaded"});
        let hears = async {
            loop {
                let mut log = fs::OpenOptions::new().append(true).open(log).unwrap();
                writeln!(log, "{error}").unwrap();
                self.bench.pass(10).await;
                let agents = self.bench.client().get("/api/v1/agents").await.json();
                if agents["agents"][0]["headline"] == "failed" {
                    return agents["agents"][0]["outcome"]["code"].clone();
                }
            }
        };
        soon("the failure", hears).await
    }

    async fn types(&self) -> Vec<String> {
        let log = self.bench.client().log().await;
        log.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
    }

    async fn hook(&self, agent: &Agent, event: &str) {
        self.hook_from(agent, event, &agent.context()).await;
    }

    async fn hook_from(&self, agent: &Agent, event: &str, context: &str) {
        let headers = [("x-headsup-context", context)];
        let reply = self.bench.client().hook(event, agent.session, &headers).await;
        assert_eq!(reply.status, 202);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_grant_that_no_hook_tells_is_one_event() {
    let rig = Rig::new().await;
    let agent = Agent::start(&rig.sessions, "s1");
    agent.shows("idle");
    rig.hook(&agent, "UserPromptSubmit").await;
    agent.shows("busy");
    rig.hook(&agent, "PermissionRequest").await;
    agent.shows("waiting");
    rig.until_headline("blocked").await;
    // Two changes of the file may be read as one, which is no change: show it again then.
    loop {
        agent.shows("waiting");
        rig.bench.pass(10).await;
        agent.shows("busy");
        let seat = rig.until("a change", |_| true).await;
        if seat["headline"] == "working" {
            break;
        }
        rig.bench.pass(400).await;
    }
    let types = rig.types().await;
    assert_eq!(types.iter().filter(|kind| *kind == "prompt.opened").count(), 1, "{types:?}");
    assert_eq!(types.iter().filter(|kind| *kind == "prompt.resolved").count(), 1, "{types:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_escape_that_no_hook_tells_is_an_interruption() {
    let rig = Rig::new().await;
    let agent = Agent::start(&rig.sessions, "s1");
    agent.shows("busy");
    rig.until_headline("working").await;
    rig.hook(&agent, "UserPromptSubmit").await;
    agent.shows("idle");
    rig.settles("idle").await;
    let seat = rig.until_headline("idle").await;
    assert_eq!(seat["outcome"]["kind"], "interrupted");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_agent_is_found_when_the_hub_starts_and_stale_files_are_not() {
    let mut rig = Rig::new().await;
    rig.bench.stop().await;
    let agent = Agent::start(&rig.sessions, "s1");
    agent.shows("busy");
    let stale = json!({"pid": 4_000_000, "procStart": "7", "sessionId": "s0", "status": "busy"});
    fs::write(rig.sessions.join("4000000.json"), stale.to_string()).unwrap();
    fs::write(rig.sessions.join("1.key"), "secret").unwrap();
    rig.bench.start().await;
    let seat = rig.until_headline("working").await;
    assert_eq!(seat["session_id"], "s1");
    assert_eq!(seat["last_status_at"], Value::Null);
    assert_eq!(rig.types().await, ["agent.registered"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_over_living_agents_says_nothing() {
    let mut rig = Rig::new().await;
    let agent = Agent::start(&rig.sessions, "s1");
    rig.hook(&agent, "UserPromptSubmit").await;
    agent.shows("busy");
    let before = rig.types().await;
    rig.bench.restart().await;
    // Whatever the start brings comes before the word of the next agent's file.
    let other = Agent::start(&rig.sessions, "s2");
    other.shows("idle");
    let two = |agents: &Value| agents["agents"].as_array().is_some_and(|all| all.len() == 2);
    soon("the other agent", async {
        while !two(&rig.bench.client().get("/api/v1/agents").await.json()) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let after = rig.types().await;
    assert_eq!(after[..before.len()], before);
    assert_eq!(after[before.len()], "agent.registered");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_died_while_no_hub_was_there_gets_its_end_once() {
    let mut rig = Rig::new().await;
    let mut agent = Agent::start(&rig.sessions, "s1");
    rig.hook(&agent, "UserPromptSubmit").await;
    agent.shows("busy");
    rig.bench.stop().await;
    agent.kill();
    rig.bench.start().await;
    rig.until_headline("crashed").await;
    let before = rig.types().await;
    rig.bench.restart().await;
    rig.until_headline("crashed").await;
    assert_eq!(rig.types().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transcript_tells_an_interruption_and_its_past_tells_nothing() {
    let rig = Rig::new().await;
    let log = rig.sessions.join("s1.jsonl");
    let interrupted = r#"{"type":"user","sessionId":"s1","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}"#;
    let model = r#"{"type":"assistant","sessionId":"s1","message":{"model":"some-model"}}"#;
    fs::write(&log, format!("{model}\n{interrupted}\n")).unwrap();
    let client = rig.bench.client();
    let payload = json!({
        "hook_event_name": "UserPromptSubmit", "session_id": "s1", "transcript_path": log,
        "cwd": "/home/dev/api", "prompt": "go",
    });
    client.send("POST", "/api/v1/hooks/claude-code", &[], payload.to_string()).await;
    let written = |text: &str| {
        let mut file = fs::OpenOptions::new().append(true).open(&log).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    };
    // The past is read at the first change, as metadata.
    soon("the past", async {
        loop {
            written("{\"type\":\"mode\"}\n");
            let seat = rig.until("a seat", |_| true).await;
            assert_eq!(seat["headline"], "working");
            if seat["model"] == "some-model" {
                return;
            }
            tokio::task::yield_now().await;
        }
    })
    .await;
    let (head, tail) = interrupted.split_at(40);
    written(head);
    written(&format!("{tail}\n"));
    let seat = rig.until_headline("idle").await;
    assert_eq!(seat["outcome"]["kind"], "interrupted");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_hooks_the_log_is_found_beside_the_status_file() {
    let rig = Rig::new().await;
    let agent = Agent::start(&rig.sessions, "s1");
    let project = rig.sessions.with_file_name("projects").join("-home-dev-api");
    fs::create_dir_all(&project).unwrap();
    let log = project.join("s1.jsonl");
    fs::write(&log, "").unwrap();
    agent.shows("busy");
    let seat = rig.until_headline("working").await;
    assert_eq!(seat["log_path"], log.to_str().unwrap());
    assert_eq!(rig.fails_by(&log).await, "overloaded");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_with_another_configuration_folder_is_watched_there() {
    let mut rig = Rig::new().await;
    let config = rig.sessions.parent().unwrap().join("other");
    let sessions = config.join("sessions");
    fs::create_dir_all(&sessions).unwrap();
    let agent = Agent::start(&sessions, "s1");
    let payload = json!({
        "hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": "/home/dev/api",
        "transcript_path": config.join("projects/-home-dev-api/s1.jsonl"), "prompt": "go",
    });
    let headers = [("x-headsup-context", &*agent.context())];
    let client = rig.bench.client();
    client.send("POST", "/api/v1/hooks/claude-code", &headers, payload.to_string()).await;
    rig.until_headline("working").await;
    agent.shows("waiting");
    rig.settles("blocked").await;
    // Also by a hub that starts while it runs.
    rig.bench.restart().await;
    agent.shows("busy");
    rig.settles("working").await;
}

/// Seen with Claude Code 2.1.330: an approved plan changes the mode in the file before the status.
#[tokio::test(flavor = "multi_thread")]
async fn a_status_file_that_is_written_again_states_nothing_anew() {
    let rig = Rig::new().await;
    let agent = Agent::start(&rig.sessions, "s1");
    agent.states("idle", 1, 1);
    rig.until_headline("idle").await;
    rig.hook(&agent, "UserPromptSubmit").await;
    agent.states("idle", 2, 1);
    // Files are looked at in the order of their changes.
    let other = Agent::start(&rig.sessions, "s2");
    other.shows("idle");
    let both = async {
        while rig.types().await.iter().filter(|kind| *kind == "agent.registered").count() < 2 {
            tokio::task::yield_now().await;
        }
    };
    soon("the other agent", both).await;
    rig.bench.pass(1_000).await;
    rig.until_headline("working").await;
    assert!(!rig.types().await.contains(&"turn.completed".to_owned()));
    agent.states("idle", 3, 3);
    rig.until_settled("turn.completed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_that_nobody_knows_changes_nothing_and_is_counted_and_explained() {
    let rig = Rig::new().await;
    let agent = Agent::start(&rig.sessions, "s1");
    agent.shows("busy");
    let seat = rig.until_headline("working").await;
    agent.shows("daydreaming");
    let client = rig.bench.client();
    let name = "headsup_not_understood_total{kind=\"claude-code\",event=\"registry.status\"}";
    let counted = async {
        while client.metric(name).await == 0 {
            tokio::task::yield_now().await;
        }
    };
    soon("the count", counted).await;
    assert_eq!(client.metric(name).await, 1);
    let id = seat["id"].as_str().unwrap();
    let explain = client.get(&format!("/api/v1/agents/{id}/explain")).await.json();
    assert_eq!(explain["rejected"][0]["rule"], "G11", "{explain}");
    assert_eq!(client.headline(id).await, "working");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_file_that_is_none_changes_nothing_and_is_counted() {
    let rig = Rig::new().await;
    let agent = Agent::start(&rig.sessions, "s1");
    agent.shows("busy");
    let seat = rig.until_headline("working").await;
    let client = rig.bench.client();
    let name = "headsup_not_understood_total{kind=\"claude-code\",event=\"registry.file\"}";
    for (text, count) in [("[]", 1), ("", 2)] {
        fs::write(agent.file(), text).unwrap();
        let counted = async {
            while client.metric(name).await < count {
                tokio::task::yield_now().await;
            }
        };
        soon("the count", counted).await;
    }
    assert_eq!(client.headline(seat["id"].as_str().unwrap()).await, "working");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_at_the_terminal_that_nobody_knows_changes_nothing_and_is_counted() {
    let rig = Rig::new().await;
    let agent = Agent::start(&rig.sessions, "s1");
    let client = rig.bench.client();
    let seat = "/api/v1/agents/api";
    assert_eq!(client.send("PUT", seat, &[], r#"{"kind":"codex"}"#).await.status, 201);
    let start: u64 = agent.start_ticks().parse().unwrap();
    for status in ["state=working:app=codex", "state=daydreaming:app=codex"] {
        let body = json!({"pid": agent.child.id(), "start_ticks": start, "status": status});
        let path = format!("{seat}/terminal");
        let reply = client.send("POST", &path, &[], body.to_string()).await;
        assert_eq!(reply.status, 202, "{}", reply.text());
    }
    let name = "headsup_not_understood_total{kind=\"codex\",event=\"program status\"}";
    assert_eq!(client.metric(name).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_inotify_the_hub_looks_for_itself_and_says_so() {
    let inotify = || Err(rustix::io::Errno::MFILE);
    let rig = Rig::with(Limits { inotify, ..Limits::default() }).await;
    let agent = Agent::start(&rig.sessions, "s1");
    let project = rig.sessions.with_file_name("projects").join("-home-dev-api");
    fs::create_dir_all(&project).unwrap();
    let log = project.join("s1.jsonl");
    fs::write(&log, "").unwrap();
    agent.shows("busy");
    rig.until_headline("working").await;
    assert_eq!(rig.fails_by(&log).await, "overloaded");
    let metrics = rig.bench.client().get("/metrics").await;
    assert!(metrics.text().contains("headsup_inotify_short{what=\"instances\"} 1"));
}
