//! A process that stands for a recorded one: it runs the hooks, so that they are its children.

use rustix::fs::{FileType, Mode, OFlags};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Runs each script that is named on standard input beside the others; ends after the last one when
/// the input ends. Agent programs, too, run their hooks through a shell.
const PROGRAM: &str = "while read -r script; do sh \"$script\" & done; wait";
/// The same for one that `headsup run` starts: its orders come through a pipe that a variable names.
/// It says what stands in a file, and ends as it is told.
const RUN: &str = "#!/bin/sh\n\
    echo $$ >\"$STAND_IN.pid\"\n\
    while read -r order what; do case $order in\n\
    hook) sh \"$what\" >/dev/null 2>&1 </dev/null & ;;\n\
    say) cat \"$what\" ;;\n\
    exit) wait; exit \"$what\" ;;\n\
    esac; done <\"$STAND_IN\"\nwait\n";
const PLUGIN: &str = include_str!("plugin.mjs");

/// A running stand-in. It is killed when it goes out of scope.
#[derive(Debug)]
pub(super) struct StandIn {
    pid: u32,
    /// Our own child; one that was started by another stand-in is that one's.
    child: Option<Child>,
    pidfd: OwnedFd,
    stdin: Option<File>,
    /// Where it finds its scripts.
    scripts: PathBuf,
    hooks: u32,
    /// It takes more orders than scripts.
    is_run: bool,
}

/// How a stand-in is started.
#[derive(Debug, Default)]
pub(super) struct Start<'a> {
    /// Further words of its command line.
    pub(super) words: &'a [String],
    /// A socket that it holds.
    pub(super) socket: Option<OwnedFd>,
    /// The plugin that it runs: then it takes calls of it, and no hooks.
    pub(super) plugin: Option<&'a Path>,
}

/// One hook as it is to be run.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) binary: &'a Path,
    pub(super) kind: &'a str,
    /// As an installed entry names it.
    pub(super) event: &'a str,
    pub(super) env: &'a [(String, String)],
    pub(super) payload: &'a str,
}

impl StandIn {
    /// Starts one in the environment of `like`, a command in a hermetic home. It runs as `program`,
    /// a shell under the name of the recorded process.
    pub(super) fn start(like: &Command, program: &Path, scripts: &Path) -> io::Result<Self> {
        Self::start_as(like, program, scripts, Start::default())
    }

    /// The same, and as `how` says.
    pub(super) fn start_as(
        like: &Command,
        program: &Path,
        scripts: &Path,
        how: Start<'_>,
    ) -> io::Result<Self> {
        let mut command = match how.plugin {
            None => {
                let mut command = Command::new(program);
                command.arg0("sh").args(["-c", PROGRAM, "sh"]);
                command
            }
            Some(plugin) => {
                let host = scripts.join("plugin-host.mjs");
                std::fs::write(&host, PLUGIN)?;
                let mut command = Command::new("node");
                command.args([host.as_path(), plugin]);
                command
            }
        };
        command.args(how.words).env_clear().current_dir(scripts);
        for (name, value) in like.get_envs() {
            command.envs(value.map(|value| (name, value)));
        }
        let stdout = how.socket.map_or_else(Stdio::null, Stdio::from);
        command.stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let stdin = child.stdin.take().map(|stdin| File::from(OwnedFd::from(stdin)));
        let (pid, child) = (child.id(), Some(child));
        let pidfd = open(pid)?;
        let scripts = scripts.to_owned();
        Ok(Self { pid, child, pidfd, stdin, scripts, hooks: 0, is_run: false })
    }

    /// Has `headsup run` start one, by a command that lacks its program and that program's words.
    pub(super) fn run(
        mut command: Command,
        name: &str,
        words: &[String],
        scripts: &Path,
    ) -> io::Result<Self> {
        use std::os::unix::fs::PermissionsExt as _;
        let program = scripts.join("bin").join(name);
        std::fs::create_dir_all(scripts.join("bin"))?;
        if !program.exists() {
            let new = program.with_extension("new");
            std::fs::write(&new, RUN)?;
            std::fs::set_permissions(&new, std::fs::Permissions::from_mode(0o755))?;
            std::fs::rename(new, &program)?;
        }
        let number = std::fs::read_dir(scripts)?.count();
        let orders = scripts.join(format!("run-{number}"));
        let mode = Mode::RUSR | Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &orders, FileType::Fifo, mode, 0)?;
        let flags = OFlags::RDWR | OFlags::CLOEXEC;
        let stdin = File::from(rustix::fs::open(&orders, flags, Mode::empty())?);
        command.arg(name).args(words).env("STAND_IN", &orders);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn()?;
        let told = orders.with_extension("pid");
        let pid = crate::wait::until("a stand-in that is run", || {
            std::fs::read_to_string(&told).ok()?.trim().parse().ok()
        });
        let (pidfd, scripts) = (open(pid)?, scripts.to_owned());
        let (child, stdin) = (Some(child), Some(stdin));
        Ok(Self { pid, child, pidfd, stdin, scripts, hooks: 0, is_run: true })
    }

    /// Starts another one that is this one's child. `words`: further ones of its command line.
    pub(super) fn start_within(&mut self, program: &Path, words: &str) -> io::Result<Self> {
        self.hooks += 1;
        let base = self.scripts.join(format!("nested-{}-{}", self.pid, self.hooks));
        let (script, input, told) =
            (base.clone(), base.with_extension("input"), base.with_extension("pid"));
        let mode = Mode::RUSR | Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &input, FileType::Fifo, mode, 0)?;
        // Opened for both, so that neither end waits for the other.
        let flags = OFlags::RDWR | OFlags::CLOEXEC;
        let stdin = File::from(rustix::fs::open(&input, flags, Mode::empty())?);
        let text = format!(
            "echo $$ >{told}.new; mv {told}.new {told}; exec {program} -c {PROGRAM} sh {words} <{input}\n",
            told = quoted(&told.to_string_lossy()),
            program = quoted(&program.to_string_lossy()),
            PROGRAM = quoted(PROGRAM),
            input = quoted(&input.to_string_lossy()),
        );
        std::fs::write(&script, text)?;
        self.order(&script.display().to_string())?;
        let pid = crate::wait::until("a nested stand-in", || {
            std::fs::read_to_string(&told).ok()?.trim().parse().ok()
        });
        let (pidfd, scripts) = (open(pid)?, self.scripts.clone());
        Ok(Self { pid, child: None, pidfd, stdin: Some(stdin), scripts, hooks: 0, is_run: false })
    }

    pub(super) fn pid(&self) -> u32 {
        self.pid
    }

    /// Start ticks: field 22 of `/proc/PID/stat`. `None` once it is gone.
    pub(super) fn start_ticks(&self) -> Option<String> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).ok()?;
        let (_, after_name) = stat.rsplit_once(')')?;
        Some(after_name.split_whitespace().nth(19)?.to_owned())
    }

    /// What a launcher tells of it.
    pub(super) fn told(&self, state: &str) -> Value {
        let ticks = self.start_ticks().and_then(|ticks| ticks.parse::<u64>().ok());
        json!({ "pid": self.pid, "start_ticks": ticks, "state": state })
    }

    /// Has a hook run; does not wait for it. Returns the file that is there once it has ended.
    pub(super) fn hook(&mut self, call: &Call<'_>) -> io::Result<PathBuf> {
        self.hooks += 1;
        let name = format!("hook-{}-{}", self.pid, self.hooks);
        let script = self.scripts.join(name);
        let (input, ended) = (script.with_extension("json"), script.with_extension("ended"));
        std::fs::write(&input, call.payload)?;
        let mut text = String::new();
        for (name, value) in call.env {
            writeln!(text, "export {name}={}", quoted(value)).map_err(io::Error::other)?;
        }
        let word = |path: &Path| quoted(&path.to_string_lossy());
        let (binary, kind, event) = (word(call.binary), call.kind, quoted(call.event));
        writeln!(text, "{binary} hook {kind} {event} <{}\n: >{}", word(&input), word(&ended))
            .map_err(io::Error::other)?;
        std::fs::write(&script, text)?;
        let order = if self.is_run { "hook " } else { "" };
        self.order(&format!("{order}{}", script.display()))?;
        Ok(ended)
    }

    /// Has one that is run write a line to its output.
    pub(super) fn output(&mut self, line: &str) -> io::Result<()> {
        self.hooks += 1;
        let said = self.scripts.join(format!("said-{}-{}", self.pid, self.hooks));
        std::fs::write(&said, format!("{line}\n"))?;
        self.order(&format!("say {}", said.display()))
    }

    /// Hands it a line: a script, an order, a call of its plugin.
    pub(super) fn order(&mut self, line: &str) -> io::Result<()> {
        let Some(stdin) = &mut self.stdin else { return Ok(()) };
        stdin.write_all(format!("{line}\n").as_bytes())
    }

    /// Lets it end by itself with this code, as far as it can.
    pub(super) fn exit(&mut self, code: i32) -> io::Result<()> {
        if self.is_run {
            self.order(&format!("exit {code}"))?;
        }
        self.leave();
        Ok(())
    }

    /// Lets it end by itself, once its hooks are done.
    pub(super) fn leave(&mut self) {
        self.stdin = None;
    }

    /// The same, and waits for its end.
    pub(super) fn ended(&mut self) -> io::Result<()> {
        self.leave();
        match &mut self.child {
            Some(child) => child.wait().map(drop),
            None => Ok(()),
        }
    }

    pub(super) fn kill(&mut self) -> io::Result<()> {
        self.leave();
        // It may have ended by itself.
        pidfd_send_signal(&self.pidfd, Signal::KILL).ok();
        match &mut self.child {
            Some(child) => child.wait().map(drop),
            None => Ok(()),
        }
    }

    pub(super) fn has_left(&self) -> bool {
        self.stdin.is_none()
    }
}

fn open(pid: u32) -> io::Result<OwnedFd> {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| io::Error::other("no such pid"))?;
    Ok(pidfd_open(pid, PidfdFlags::empty())?)
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.kill().ok();
    }
}
