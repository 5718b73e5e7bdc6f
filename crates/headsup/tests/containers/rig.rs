//! A process in namespaces of its own that fires hooks, and hubs beside it.

use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// What an engine calls a container, whole and short.
pub(crate) const ID: &str = "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9";
pub(crate) const SHORT: &str = "0a1b2c3d4e5f";

/// Reads orders, and says when one is carried out.
const AGENT: &str = r#"
while read -r order payload; do
    case $order in
        hook) printf '%s' "$payload" | headsup hook claude-code >/dev/null 2>&1; echo done ;;
        eat) tail /dev/zero; echo "fed $?" ;;
        starve) exec tail /dev/zero ;;
        leave) exit "$payload" ;;
    esac
done
"#;

pub(crate) fn home() -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_headsup"));
    let bin = home.path().join("bin");
    fs::create_dir(&bin).unwrap();
    // Its command name makes it the agent.
    fs::copy("/bin/sh", bin.join("claude")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_headsup"), bin.join("headsup")).unwrap();
    home
}

/// Whether this machine lets us make pid namespaces. If not, the test has shown nothing.
pub(crate) fn may_contain() -> bool {
    let mut command = Command::new("unshare");
    command.args(["--pid", "--uts", "--mount-proc", "--fork", "--", "true"]);
    let may = command.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    if !may {
        eprintln!("SKIPPED: this machine allows no pid namespaces (unshare --pid --mount-proc)");
    }
    may
}

/// The same command in namespaces of its own.
pub(crate) fn contained(inner: &Command) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--pid", "--uts", "--mount-proc", "--fork", "--kill-child", "--"]);
    command.arg(inner.get_program()).args(inner.get_args()).env_clear();
    command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if let Some(folder) = inner.get_current_dir() {
        command.current_dir(folder);
    }
    command
}

/// An agent that is the first process of its container.
pub(crate) struct Agent {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
    session: String,
    /// As the machine sees it.
    pub(crate) pid: u32,
}

impl Agent {
    /// `host`: the name of the host inside, which engines make the container's short id.
    pub(crate) fn start(home: &Home, session: &str, host: &str) -> Self {
        Self::start_with(home, session, host, |_| {})
    }

    pub(crate) fn start_with(
        home: &Home,
        session: &str,
        host: &str,
        change: impl FnOnce(&mut Command),
    ) -> Self {
        let mut inner = home.command(["-c"]);
        let script = format!("hostname {host}; exec claude -c '{}'", AGENT.replace('\'', r"'\''"));
        inner.env("CLAUDE_PID", "1");
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(script).env_clear().current_dir(home.path());
        shell.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
        change(&mut shell);
        let mut command = contained(&shell);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (orders, answers) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let answers = BufReader::new(answers);
        let pid = wait::until("the agent", || {
            let path = format!("/proc/{0}/task/{0}/children", child.id());
            let pid = fs::read_to_string(path).ok()?.trim().parse().ok()?;
            let comm = fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
            (comm.trim() == "claude").then_some(pid)
        });
        Self { child, orders, answers, session: session.to_owned(), pid }
    }

    pub(crate) fn order(&mut self, order: &str) {
        writeln!(self.orders, "{order}").unwrap();
    }

    pub(crate) fn answer(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    pub(crate) fn fires(&mut self, event: &str, more: &Value) {
        let mut payload = json!({
            "session_id": self.session, "hook_event_name": event, "cwd": "/srv/api",
            "transcript_path": "/root/.claude/projects/-work-api/x.jsonl",
        });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.order(&format!("hook {payload}"));
        assert_eq!(self.answer(), "done");
    }

    /// It starts, and gets something to do.
    pub(crate) fn works(&mut self) {
        self.fires("SessionStart", &json!({"source": "startup"}));
        self.fires("UserPromptSubmit", &json!({"prompt": "go"}));
    }

    pub(crate) fn kill(&mut self) {
        signal(self.pid, "KILL");
        self.child.wait().unwrap();
    }

    /// It becomes something that takes all the memory there is.
    pub(crate) fn starves(&mut self) {
        self.order("starve");
        self.child.wait().unwrap();
    }

    /// It leaves with a code.
    pub(crate) fn leave(&mut self, code: i32) {
        self.order(&format!("leave {code}"));
        self.child.wait().unwrap();
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

pub(crate) fn signal(pid: u32, name: &str) {
    let mut kill = Command::new("kill");
    assert!(kill.args(["-s", name, &pid.to_string()]).status().unwrap().success());
}

/// A hub that finds an engine at this socket.
pub(crate) fn hub(home: &Home, engine: &Path) -> Hub {
    Hub::start_as(command(home, engine), &home.socket())
}

/// The same in namespaces of its own: it sees no process of another container.
pub(crate) fn blind_hub(home: &Home, engine: &Path) -> Hub {
    Hub::start_as(contained(&command(home, engine)), &home.socket())
}

/// Ends a hub in namespaces of its own, which goes after what has started it.
pub(crate) fn end(hub: Hub) {
    let path = format!("/proc/{0}/task/{0}/children", hub.pid());
    let inner = fs::read_to_string(path).unwrap();
    drop(hub);
    let inner = Path::new("/proc").join(inner.trim());
    wait::until("the hub's end", || (!inner.exists()).then_some(()));
}

fn command(home: &Home, engine: &Path) -> Command {
    let mut command = home.command(["up", "--foreground"]);
    command.env("DOCKER_HOST", format!("unix://{}", engine.display()));
    command
}

pub(crate) fn engine_socket(home: &Home) -> PathBuf {
    home.path().join("engine.sock")
}

/// All agents, as `headsup ls --json` lists them.
pub(crate) fn agents(home: &Home) -> Vec<Value> {
    let listed = home.run(["ls", "--all", "--json", "--no-start"]).ok().json();
    listed["agents"].as_array().unwrap().clone()
}

/// The agent of a session, once it is like this.
#[track_caller]
pub(crate) fn until(
    home: &Home,
    session: &str,
    what: &str,
    is_so: impl Fn(&Value) -> bool,
) -> Value {
    wait::until(what, || {
        let found = agents(home).into_iter().find(|agent| agent["session_id"] == session);
        found.filter(|agent| is_so(agent))
    })
}

#[track_caller]
pub(crate) fn until_headline(home: &Home, session: &str, headline: &str) -> Value {
    until(home, session, headline, |agent| agent["headline"] == headline)
}

/// Who has told how the process is.
pub(crate) fn witness(home: &Home, agent: &Value) -> Value {
    let id = agent["id"].as_str().unwrap();
    let explained = home.run(["explain", id, "--json", "--no-start"]).ok().json();
    explained["dimensions"]["process"]["winner"]["source"].clone()
}
