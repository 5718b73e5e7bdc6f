//! One hook in an environment of its own.

use headsup_core::spool::{Decoder, Record, Report};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{Seek, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub(crate) const STOP: &[u8] = br#"{"hook_event_name":"Stop","session_id":"s"}"#;
pub(crate) const KIND: &str = "claude-code";

/// Only a hang takes longer, also on a busy machine.
pub(crate) const HANG: Duration = Duration::from_secs(5);

pub(crate) struct Rig {
    dir: TempDir,
}

/// What an agent would have seen of its hook.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

impl Seen {
    /// Exit 0 and not a word.
    pub(crate) fn assert_silent(&self, case: &str) {
        self.assert_harmless(case);
        assert_eq!(String::from_utf8_lossy(&self.stdout), "", "{case}");
    }

    /// Exit 0; stdout may carry the hub's word.
    pub(crate) fn assert_harmless(&self, case: &str) {
        assert_eq!(self.status.code(), Some(0), "{case}: {self:?}");
        assert_eq!(String::from_utf8_lossy(&self.stderr), "", "{case}");
    }
}

impl Rig {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("state")).unwrap();
        Self { dir }
    }

    /// A path beside the state folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.path("state")
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.home().join("headsup.sock")
    }

    pub(crate) fn queue(&self) -> PathBuf {
        self.home().join("spool/queue")
    }

    pub(crate) fn hook(&self, event: &str) -> Hook {
        let mut hook = self.bare_hook(&[KIND, event]);
        hook.command.env("HEADSUP_HOME", self.home());
        hook
    }

    /// A hook with no environment at all.
    pub(crate) fn bare_hook<S: AsRef<OsStr>>(&self, args: &[S]) -> Hook {
        let mut command = Command::new(env!("CARGO_BIN_EXE_headsup"));
        command.arg("hook").args(args).env_clear().current_dir(self.dir.path());
        Hook { command, keep: Vec::new() }.stdin(STOP)
    }

    /// A hook that a shell starts, with `script` around `"$0" hook …`.
    pub(crate) fn shell_hook(&self, script: &str) -> Hook {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_headsup")]).env_clear();
        command.env("HEADSUP_HOME", self.home());
        Hook { command, keep: Vec::new() }.stdin(STOP)
    }

    /// The spool's records; damage fails.
    pub(crate) fn spooled(&self) -> Vec<Record> {
        read_spool(&self.queue())
    }

    pub(crate) fn reports(&self) -> Vec<Report> {
        read_reports(&self.queue())
    }

    /// Runs hooks until one was not too late for the spool; the one report in it.
    pub(crate) fn until_kept(&self, case: &str, hook: impl Fn() -> Hook) -> Report {
        for _ in 0..100 {
            hook().run().assert_silent(case);
            let mut reports = self.reports();
            assert!(reports.len() <= 1, "{case}: {reports:?}");
            if let Some(report) = reports.pop() {
                return report;
            }
        }
        panic!("{case}: the report is never kept");
    }

    /// Runs hooks until one was not too late for the hub; its result, and an empty spool.
    pub(crate) fn until_delivered(&self, case: &str, hook: impl Fn() -> Hook) -> Seen {
        for _ in 0..100 {
            let seen = hook().run();
            seen.assert_harmless(case);
            if self.spooled().is_empty() {
                return seen;
            }
            fs::remove_file(self.queue()).unwrap();
        }
        panic!("{case}: the hub is never reached");
    }
}

pub(crate) fn read_spool(path: &Path) -> Vec<Record> {
    let bytes = fs::read(path).unwrap_or_default();
    Decoder::new(&bytes).map(|item| item.unwrap()).collect()
}

pub(crate) fn read_reports(path: &Path) -> Vec<Report> {
    let report = |record| match record {
        Record::Report(report) => Some(report),
        Record::Dropped { .. } => None,
    };
    read_spool(path).into_iter().filter_map(report).collect()
}

pub(crate) struct Hook {
    pub(crate) command: Command,
    /// Our ends of its pipes, open until it has ended.
    keep: Vec<OwnedFd>,
}

impl Hook {
    pub(crate) fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.command.env(name, value.into());
        self
    }

    /// A closed pipe that already holds all of `payload`, or a file where a pipe is too small:
    /// the hook's time runs, and this process may be asleep.
    pub(crate) fn stdin(mut self, payload: &[u8]) -> Self {
        if payload.len() <= 1 << 20 {
            self.command.stdin(filled_pipe(payload).0);
        } else {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(payload).unwrap();
            file.rewind().unwrap();
            self.command.stdin(file);
        }
        self
    }

    /// The same with a pipe that stays open.
    pub(crate) fn unclosed_stdin(mut self, payload: &[u8]) -> Self {
        let (reader, writer) = filled_pipe(payload);
        self.command.stdin(reader);
        self.keep.push(writer);
        self
    }

    pub(crate) fn stdin_from(mut self, stdin: impl Into<Stdio>) -> Self {
        self.command.stdin(stdin);
        self
    }

    pub(crate) fn spawn(mut self) -> Running {
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        self.spawn_with_own_output()
    }

    /// Leaves stdout and stderr as the test has set them.
    pub(crate) fn spawn_with_own_output(mut self) -> Running {
        Running { child: self.command.spawn().unwrap(), keep: self.keep }
    }

    pub(crate) fn run(self) -> Seen {
        self.spawn().wait()
    }
}

pub(crate) struct Running {
    pub(crate) child: Child,
    keep: Vec<OwnedFd>,
}

impl Running {
    pub(crate) fn wait(self) -> Seen {
        let pid = rustix::process::Pid::from_child(&self.child);
        let (send, result) = mpsc::channel();
        thread::spawn(move || send.send(self.child.wait_with_output()).ok());
        let Ok(output) = result.recv_timeout(HANG) else {
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).ok();
            panic!("the hook hangs");
        };
        drop(self.keep);
        let output = output.unwrap();
        Seen { status: output.status, stdout: output.stdout, stderr: output.stderr }
    }
}

/// Waits until `found` finds something.
pub(crate) fn eventually<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + HANG;
    loop {
        if let Some(value) = found() {
            return value;
        }
        assert!(Instant::now() < deadline, "never: {what}");
        thread::yield_now();
    }
}

fn filled_pipe(payload: &[u8]) -> (OwnedFd, OwnedFd) {
    let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).unwrap();
    rustix::pipe::fcntl_setpipe_size(&writer, payload.len().max(4096)).unwrap();
    let mut writer = File::from(writer);
    writer.write_all(payload).unwrap();
    (reader, writer.into())
}
