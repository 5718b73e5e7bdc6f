//! A process that stands for a recorded one: it runs the hooks, so that they are its children.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

/// Runs each script that is named on standard input beside the others; ends after the last one when
/// the input ends. Agent programs, too, run their hooks through a shell.
const PROGRAM: &str = "while read -r script; do sh \"$script\" & done; wait";

/// A running stand-in. It is killed when it goes out of scope.
#[derive(Debug)]
pub(super) struct StandIn {
    child: Child,
    stdin: Option<ChildStdin>,
    /// Where it finds its scripts.
    scripts: PathBuf,
    hooks: u32,
}

impl StandIn {
    /// Starts one in the environment of `like`, a command in a hermetic home.
    pub(super) fn start(like: &Command, scripts: &Path) -> io::Result<Self> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", PROGRAM]).env_clear().current_dir(scripts);
        for (name, value) in like.get_envs() {
            command.envs(value.map(|value| (name, value)));
        }
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let stdin = child.stdin.take();
        Ok(Self { child, stdin, scripts: scripts.to_owned(), hooks: 0 })
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

    /// Has it run `binary hook kind`; does not wait for it.
    pub(super) fn hook(
        &mut self,
        binary: &Path,
        kind: &str,
        env: &[(String, String)],
        payload: &str,
    ) -> io::Result<()> {
        let Some(stdin) = &mut self.stdin else { return Ok(()) };
        self.hooks += 1;
        let name = format!("hook-{}-{}", self.child.id(), self.hooks);
        let (script, input) = (self.scripts.join(&name), self.scripts.join(format!("{name}.json")));
        std::fs::write(&input, payload)?;
        let mut text = String::new();
        for (name, value) in env {
            writeln!(text, "export {name}={}", quoted(value)).map_err(io::Error::other)?;
        }
        let (binary, input) = (binary.to_string_lossy(), input.to_string_lossy());
        writeln!(text, "exec {} hook {kind} <{}", quoted(&binary), quoted(&input))
            .map_err(io::Error::other)?;
        std::fs::write(&script, text)?;
        stdin.write_all(format!("{}\n", script.display()).as_bytes())
    }

    /// Lets it end by itself, once its hooks are done.
    pub(super) fn leave(&mut self) {
        self.stdin = None;
    }

    pub(super) fn kill(&mut self) -> io::Result<()> {
        self.leave();
        self.child.kill()?;
        self.child.wait().map(drop)
    }

    pub(super) fn has_left(&self) -> bool {
        self.stdin.is_none()
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
