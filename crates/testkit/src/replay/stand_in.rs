//! A process that stands for a recorded one: it runs the hooks, so that they are its children.

use serde::{Deserialize, Serialize};
use std::io::{self, BufRead as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

/// The argument that makes the replay binary a stand-in.
pub const ARGUMENT: &str = "--stand-in";

/// One hook to be run.
#[derive(Debug, Deserialize, Serialize)]
struct Hook {
    kind: String,
    env: Vec<(String, String)>,
    payload: String,
}

/// What a stand-in does: runs `binary hook` for each line on its standard input, beside each other,
/// and ends after the last one when the input ends.
pub fn run(binary: &Path) -> io::Result<()> {
    let mut running = Vec::new();
    for line in io::stdin().lock().lines() {
        let hook: Hook = serde_json::from_str(&line?)?;
        let mut command = Command::new(binary);
        command.args(["hook", &hook.kind]).envs(hook.env);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // A hook that has seen enough may close its end.
            stdin.write_all(hook.payload.as_bytes()).ok();
        }
        running.push(child);
    }
    for mut child in running {
        child.wait()?;
    }
    Ok(())
}

/// A running stand-in. It is killed when it goes out of scope.
#[derive(Debug)]
pub(super) struct StandIn {
    child: Child,
    stdin: Option<ChildStdin>,
}

impl StandIn {
    /// Starts one with `command`, a replay binary in a hermetic environment.
    pub(super) fn start(mut command: Command) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = command.spawn()?;
        let stdin = child.stdin.take();
        Ok(Self { child, stdin })
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Start ticks: field 22 of `/proc/PID/stat`.
    pub(super) fn start_ticks(&self) -> io::Result<String> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid()))?;
        let after_name = stat.rsplit_once(')').map(|(_, rest)| rest.to_owned());
        let ticks = after_name.and_then(|rest| Some(rest.split_whitespace().nth(19)?.to_owned()));
        ticks.ok_or_else(|| io::Error::other("no start time"))
    }

    /// Has it run a hook; does not wait for it.
    pub(super) fn hook(
        &mut self,
        kind: &str,
        env: Vec<(String, String)>,
        payload: String,
    ) -> io::Result<()> {
        let Some(stdin) = &mut self.stdin else { return Ok(()) };
        let mut line = serde_json::to_vec(&Hook { kind: kind.to_owned(), env, payload })?;
        line.push(b'\n');
        stdin.write_all(&line)
    }

    /// Lets it end by itself, once its hooks are done.
    pub(super) fn leave(&mut self) {
        self.stdin = None;
    }

    pub(super) fn kill(&mut self) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait().map(drop)
    }

    pub(super) fn has_left(&self) -> bool {
        self.stdin.is_none()
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
