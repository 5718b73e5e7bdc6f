//! Agents in containers that Docker itself runs: what it does to them is told as it is.

use crate::dockerd::Daemon;
use crate::rig::{agents, home, hub};
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

/// Carries out what it reads from the pipe of its name.
const AGENT: &str = r#"
exec <"/orders/$0"
while read -r order rest; do
    case $order in
        report) headsup report "$rest" ;;
        hook) printf '%s' "$rest" | CLAUDE_PID=$$ headsup hook claude-code >/dev/null 2>&1 ;;
        leave) exit "$rest" ;;
        starve) while :; do rest=$rest$rest; done ;;
    esac
done
"#;

/// By what the hub knows an agent.
#[derive(Clone, Copy, Debug)]
enum By {
    /// `headsup run` is the container's first process, and the agent below it reports for itself.
    Run,
    /// The agent is the first process, and fires hooks.
    Hooks,
}

/// An agent at work in a container to which its engine is listened.
struct Agent {
    /// Of the container, too.
    name: String,
    orders: File,
    seat: Value,
}

impl Agent {
    fn order(&mut self, order: &str) {
        writeln!(self.orders, "{order}").unwrap();
    }

    fn fires(&mut self, event: &str, more: &Value) {
        let mut payload = json!({
            "session_id": self.name, "hook_event_name": event, "cwd": "/srv/api",
            "transcript_path": "/root/.claude/projects/-srv-api/x.jsonl",
        });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.order(&format!("hook {payload}"));
    }
}

/// A daemon with a hub beside it. What is first goes first.
struct Stage {
    daemon: Daemon,
    _hub: Hub,
    home: Home,
    /// What every container is given.
    shared: Vec<String>,
}

impl Stage {
    fn new(daemon: Daemon) -> Self {
        let home = home();
        fs::create_dir(home.path().join("orders")).unwrap();
        let hub = hub(&home, &daemon.socket());
        let at = home.path().display().to_string();
        let state = home.state().display().to_string();
        let shared = vec![
            "--detach".to_owned(),
            "--env=PATH=/opt:/usr/bin:/bin".to_owned(),
            format!("--env=HEADSUP_HOME={state}"),
            format!("--volume={state}:{state}"),
            format!("--volume={at}/orders:/orders"),
            format!("--volume={at}/bin/claude:/opt/claude:ro"),
            format!("--volume={}:/opt/headsup:ro", env!("CARGO_BIN_EXE_headsup")),
        ];
        Self { daemon, _hub: hub, home, shared }
    }

    /// An agent at work in a container of its own, which is found inside and outside.
    fn start(&self, by: By, what: &str, limits: &[&str]) -> Agent {
        let (prefix, attach) = match by {
            By::Run => ("run", "headless"),
            By::Hooks => ("hooks", "interactive"),
        };
        let name = format!("{prefix}-{what}");
        // Of the one before nobody hears any more.
        self.until_listened(0);
        let pipe = self.home.path().join("orders").join(&name);
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        // With both ends open nobody waits for the other one.
        let orders = File::options().read(true).write(true).open(&pipe).unwrap();
        let mut options: Vec<&str> = self.shared.iter().map(String::as_str).collect();
        options.extend(["--name", name.as_str()]);
        options.extend(limits);
        let run = ["headsup", "run", "--here", "--id", name.as_str(), "--", "sh"];
        let mut command = match by {
            By::Run => run.to_vec(),
            By::Hooks => vec!["claude"],
        };
        command.extend(["-c", AGENT, name.as_str()]);
        let id = match self.daemon.run(&options, &command) {
            Ok(id) => id,
            Err(why) => panic!("{name}: {why}"),
        };
        let mut agent = Agent { name, orders, seat: Value::Null };
        match by {
            By::Run => agent.order("report working"),
            By::Hooks => {
                agent.fires("SessionStart", &json!({"source": "startup"}));
                agent.fires("UserPromptSubmit", &json!({"prompt": "go"}));
            }
        }
        // Its own word may come before its launcher's.
        let seat = self.until(&agent, "to work", |seat| {
            seat["headline"] == "working" && seat["process"]["attach"] == attach
        });
        assert_eq!(seat["location"]["container"], &id[..12], "{seat}");
        let first = self.daemon.docker(&["inspect", "--format", "{{.State.Pid}}", &agent.name]);
        let pid = seat["location"]["pid"].to_string();
        assert_eq!(pid_namespace(&pid), pid_namespace(&first), "{seat}");
        assert_ne!(pid_namespace(&pid), pid_namespace("self"), "{seat}");
        self.until_listened(1);
        agent.seat = seat;
        agent
    }

    /// The agent as it is listed, once it is like this. What it was meanwhile is printed.
    #[track_caller]
    fn until(&self, agent: &Agent, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let name = agent.name.as_str();
        let mut last = Value::Null;
        wait::until(&format!("{name}: {what}"), || {
            let mut all = agents(&self.home).into_iter();
            let seat = all.find(|seat| seat["id"] == name || seat["session_id"] == name)?;
            let now = json!([seat["headline"], seat["process"]]);
            if now != last {
                eprintln!("{name}: {now}");
                last = now;
            }
            is_so(&seat).then_some(seat)
        })
    }

    #[track_caller]
    fn until_headline(&self, agent: &Agent, headline: &str) -> Value {
        self.until(agent, headline, |seat| seat["headline"] == headline)
    }

    /// Docker counts who listens to its events: one for each container with agents.
    #[track_caller]
    fn until_listened(&self, count: u64) {
        wait::until(&format!("Docker to have {count} who listen"), || {
            (self.daemon.info()["NEventsListener"] == count).then_some(())
        });
    }
}

fn pid_namespace(pid: &str) -> PathBuf {
    let found = fs::read_link(format!("/proc/{pid}/ns/pid"));
    found.unwrap_or_else(|error| panic!("no process {pid} on this machine: {error}"))
}

/// One that ended in its turn has crashed.
#[track_caller]
fn assert_crashed(seat: &Value, kind: &str) {
    let told = (&seat["headline"], &seat["process"]["kind"], &seat["outcome"]["kind"]);
    assert_eq!(told, (&json!("crashed"), &json!(kind), &json!("aborted")), "{seat}");
}

#[test]
fn what_docker_does_to_its_containers_is_told_of_their_agents() {
    let stage = match Daemon::start() {
        Ok(daemon) => Stage::new(daemon),
        Err(why) => {
            eprintln!("SKIPPED: {why}");
            return;
        }
    };
    the_doctor_names_it(&stage);
    for by in [By::Run, By::Hooks] {
        exits(&stage, by);
        starves(&stage, by);
        is_paused_and_killed(&stage, by);
    }
    is_stopped(&stage);
    is_removed(&stage);
    stage.until_listened(0);
    let folder = stage.daemon.folder().to_owned();
    drop(stage);
    assert!(!folder.exists(), "something of it is left in {}", folder.display());
}

fn the_doctor_names_it(stage: &Stage) {
    let mut command = stage.home.command(["doctor", "--json"]);
    command.env("DOCKER_HOST", format!("unix://{}", stage.daemon.socket().display()));
    let done = stage.home.feed(command, b"").json();
    let checks = done["checks"].as_array().unwrap();
    let row = checks.iter().find(|check| check["name"] == "containers").unwrap();
    assert!(row["ok"] == true && row["detail"].as_str().unwrap().starts_with("Docker/"), "{row}");
}

fn exits(stage: &Stage, by: By) {
    let mut agent = stage.start(by, "exits", &[]);
    agent.order("leave 7");
    let seat = stage.until(&agent, "gone with its code", |seat| seat["process"]["code"] == 7);
    assert_crashed(&seat, "crashed");
}

fn starves(stage: &Stage, by: By) {
    if stage.daemon.info()["MemoryLimit"] != true {
        eprintln!("SKIPPED: Docker limits no memory on this machine, so no agent lacks it");
        return;
    }
    let mut agent = stage.start(by, "starves", &["--memory=48m", "--memory-swap=48m"]);
    agent.order("starve x");
    let seat = stage.until_headline(&agent, "crashed");
    assert_crashed(&seat, "oom_killed");
}

fn is_paused_and_killed(stage: &Stage, by: By) {
    let agent = stage.start(by, "paused", &[]);
    stage.daemon.docker(&["pause", &agent.name]);
    stage.until_headline(&agent, "unknown");
    stage.daemon.docker(&["unpause", &agent.name]);
    let seat = stage.until_headline(&agent, "working");
    assert_eq!(seat["process"], agent.seat["process"], "it is what it was before");
    stage.daemon.docker(&["kill", &agent.name]);
    let seat = stage.until(&agent, "killed", |seat| seat["process"]["signal"] == 9);
    assert_crashed(&seat, "crashed");
}

/// It pays no heed to TERM, which the first process of a container need not.
fn is_stopped(stage: &Stage) {
    let agent = stage.start(By::Hooks, "stopped", &[]);
    stage.daemon.docker(&["stop", "-t", "1", &agent.name]);
    let seat = stage.until_headline(&agent, "ended");
    assert_eq!(seat["process"]["kind"], "killed", "{seat}");
}

fn is_removed(stage: &Stage) {
    let agent = stage.start(By::Hooks, "removed", &[]);
    stage.daemon.docker(&["rm", "--force", &agent.name]);
    let seat = stage.until(&agent, "gone with a code", |seat| seat["process"]["code"] == 137);
    assert_crashed(&seat, "crashed");
}
