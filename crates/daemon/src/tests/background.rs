//! Agents that a service of their program runs in the background, for whoever asks.

use super::bench::{Bench, soon};
use headsup_adapters::WatchedFolder;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const KIND: &str = "claude-code";
/// The seat in which the service was started.
const STARTER: &str = "starter";
const JOB: &str = "5959124c";

/// Starts a worker, says who that is, and stays until its input ends.
const SERVICE: &str = "exec 3<&0\n/bin/cat <&3 >/dev/null &\necho $!\nwait\n";

/// A process that stands for an agent, or for the service and its worker.
struct Process {
    child: Child,
    worker: Option<u32>,
}

impl Process {
    fn start() -> Self {
        let mut command = Command::new("/bin/cat");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).env_clear();
        Self { child: command.spawn().unwrap(), worker: None }
    }

    fn service(folder: &Path) -> Self {
        let script = folder.join("service.sh");
        fs::write(&script, SERVICE).unwrap();
        let mut command = Command::new("/bin/sh");
        command.arg(script).args(["--bg-pty-host", "pty.sock"]);
        command.env_clear().env("HEADSUP_AGENT_ID", STARTER);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
        Self { child, worker: Some(said.trim().parse().unwrap()) }
    }

    /// The agent's.
    fn pid(&self) -> u32 {
        self.worker.unwrap_or_else(|| self.child.id())
    }

    /// What its hooks would say of where they come from.
    fn context(&self) -> String {
        let (pid, outer) = (self.pid(), self.child.id());
        let parent = |pid: u32| json!({"pid": pid, "start": start_of(pid), "comm": "claude"});
        let mut parents = vec![parent(pid)];
        parents.extend(self.worker.map(|_| parent(outer)));
        json!({"env": {"CLAUDE_PID": pid.to_string()}, "parents": parents}).to_string()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // With that the worker ends as well.
        drop(self.child.stdin.take());
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn start_of(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let ticks = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19);
    ticks.unwrap().parse().unwrap()
}

struct Rig {
    bench: Bench,
    sessions: PathBuf,
    starter: Process,
    service: Process,
    _temp: tempfile::TempDir,
}

impl Rig {
    /// An agent of ours, whose process lives, and the service that it has started.
    async fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let sessions = temp.path().join("sessions");
        fs::create_dir(&sessions).unwrap();
        let mut bench = Bench::new().await;
        bench.folders = vec![WatchedFolder { kind: KIND, path: sessions.clone() }];
        bench.restart().await;
        let (starter, service) = (Process::start(), Process::service(temp.path()));
        let rig = Self { bench, sessions, starter, service, _temp: temp };
        rig.hook(&rig.starter, "SessionStart", "s0").await;
        assert_eq!(rig.bench.client().headline(STARTER).await, "idle");
        rig
    }

    /// All that the service has started, directly or not, has the environment of its seat.
    async fn hook(&self, process: &Process, event: &str, session: &str) {
        let context = process.context();
        let headers = [("x-headsup-context", context.as_str()), ("x-headsup-agent", STARTER)];
        let reply = self.bench.client().hook(event, session, &headers).await;
        assert_eq!(reply.status, 202, "{}", reply.text());
    }

    fn file(&self, process: &Process, session: &str, folder: &str, more: &Value) {
        let pid = process.pid();
        let mut record = json!({
            "pid": pid, "procStart": start_of(pid).to_string(), "sessionId": session,
            "cwd": format!("/home/dev/{folder}"), "entrypoint": "cli",
            "kind": if process.worker.is_some() { "bg" } else { "interactive" },
        });
        for (name, value) in more.as_object().unwrap() {
            record[name] = value.clone();
        }
        fs::write(self.sessions.join(format!("{pid}.json")), record.to_string()).unwrap();
    }

    async fn agents(&self) -> Vec<Value> {
        let roster = self.bench.client().get("/api/v1/agents?all=true").await.json();
        roster["agents"].as_array().unwrap().clone()
    }

    async fn ids(&self) -> Vec<String> {
        let agents = self.agents().await;
        let mut ids: Vec<String> =
            agents.iter().map(|agent| agent["id"].as_str().unwrap().to_owned()).collect();
        ids.sort();
        ids
    }

    /// The seat of this session, once it is like this.
    async fn until(&self, session: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let looks = async {
            loop {
                let agents = self.agents().await;
                let mut found = agents.into_iter().filter(|agent| agent["session_id"] == session);
                if let Some(agent) = found.next().filter(&is_so) {
                    return agent;
                }
                tokio::task::yield_now().await;
            }
        };
        soon(session, looks).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_of_whoever_asked_for_it_and_not_of_who_has_started_the_service() {
    let rig = Rig::new().await;
    // A worker that nobody has asked for yet.
    rig.file(&rig.service, "s1", "api", &json!({"jobId": "1ff2", "spare": true, "status": "idle"}));
    rig.hook(&rig.service, "SessionStart", "s1").await;
    let asker = Process::start();
    rig.file(&asker, "s2", "web", &json!({"status": "busy"}));
    rig.until("s2", |agent| agent["headline"] == "working").await;
    assert_eq!(rig.ids().await, ["claude-code-web", STARTER]);
    // What it did goes on in the background: it is idle, and not done.
    rig.file(&asker, "s2", "web", &json!({"status": "busy", "parkedJobId": JOB}));
    let left = rig.until("s2", |agent| agent["headline"] == "idle").await;
    assert_eq!(left["outcome"]["kind"], "interrupted");
    rig.file(&rig.service, "s3", "web", &json!({"jobId": JOB, "status": "busy"}));
    let job = rig.until("s3", |agent| agent["headline"] == "working").await;
    assert_eq!((&job["id"], &job["parent"]), (&json!("claude-code-web.1"), &left["id"]));
    rig.hook(&rig.service, "UserPromptSubmit", "s3").await;
    rig.hook(&rig.service, "Stop", "s3").await;
    rig.until("s3", |agent| agent["headline"] == "done").await;
    assert_eq!(rig.bench.client().headline("claude-code-web").await, "idle");
    assert_eq!(rig.bench.client().headline(STARTER).await, "idle");
    assert_eq!(rig.ids().await, ["claude-code-web", "claude-code-web.1", STARTER]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_whose_hooks_come_first_is_nobodys_until_its_file_tells_whose() {
    let rig = Rig::new().await;
    rig.hook(&rig.service, "UserPromptSubmit", "s3").await;
    let job = rig.until("s3", |agent| agent["headline"] == "working").await;
    assert_eq!((&job["id"], &job["parent"]), (&json!("claude-code-s3"), &Value::Null));
    let asker = Process::start();
    rig.file(&asker, "s2", "web", &json!({"status": "busy", "parkedJobId": JOB}));
    rig.until("s2", |agent| agent["headline"] == "idle").await;
    rig.file(&rig.service, "s3", "web", &json!({"jobId": JOB, "status": "busy"}));
    let job = rig.until("s3", |agent| agent["parent"] == "claude-code-web").await;
    assert_eq!((&job["id"], &job["headline"]), (&json!("claude-code-s3"), &json!("working")));
    assert_eq!(rig.bench.client().headline(STARTER).await, "idle");
}
