//! A hermetic environment: nothing of the machine's user is read or written.

use crate::wait;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{ffi::OsStr, io::Write};
use tempfile::TempDir;

/// A home folder of its own, and commands that see nothing but it.
#[derive(Debug)]
pub struct Home {
    folder: TempDir,
    binary: PathBuf,
}

/// What a command did.
#[derive(Clone, Debug)]
pub struct Done {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Home {
    /// A fresh home for `binary`, which is `env!("CARGO_BIN_EXE_headsup")` in a test.
    ///
    /// # Panics
    /// If no temporary folder can be made.
    #[expect(clippy::expect_used, reason = "a test without a folder cannot go on")]
    pub fn new(binary: &str) -> Self {
        let folder = tempfile::Builder::new().prefix("headsup-").tempdir().expect("a folder");
        Self { folder, binary: PathBuf::from(binary) }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Where the hub of this home keeps its state.
    pub fn state(&self) -> PathBuf {
        self.path().join("state")
    }

    pub fn socket(&self) -> PathBuf {
        self.state().join("headsup.sock")
    }

    /// A `headsup` command in this environment and no other. Programs in its own `bin` come first.
    pub fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .args(args)
            .env_clear()
            .env("HOME", self.path())
            .env("HEADSUP_HOME", self.state())
            .env("COLUMNS", "100")
            .env("NO_COLOR", "1")
            .env("PATH", format!("{}/bin:/usr/bin:/bin", self.path().display()))
            .current_dir(self.path())
            .stdin(Stdio::null());
        command
    }

    /// Runs a command to its end.
    ///
    /// # Panics
    /// If it cannot be started.
    #[expect(clippy::expect_used, reason = "a test without its program cannot go on")]
    pub fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Done {
        Done::from(self.command(args).output().expect("headsup runs"))
    }

    /// Runs a command with `input` on its standard input.
    ///
    /// # Panics
    /// If it cannot be started.
    #[expect(clippy::expect_used, reason = "a test without its program cannot go on")]
    pub fn feed(&self, mut command: Command, input: &[u8]) -> Done {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("headsup runs");
        if let Some(mut stdin) = child.stdin.take() {
            // A hook that has seen enough may close its end.
            let _closed = stdin.write_all(input);
        }
        Done::from(child.wait_with_output().expect("headsup ends"))
    }

    /// Waits until the hub has fetched what hooks and launchers have left for it: on a busy
    /// machine it does not hear all of it in time.
    ///
    /// # Panics
    /// If it does not fetch it.
    #[track_caller]
    pub fn is_told(&self) {
        let spool = self.state().join("spool");
        wait::until("the hub to fetch what was spooled", || {
            let left = std::fs::read_dir(&spool).map_or(0, Iterator::count);
            (left == 0).then_some(())
        });
    }

    /// Fires one hook: `kind`, event name, payload, and what the agent adds to the environment.
    pub fn hook(&self, kind: &str, payload: &str, env: &[(&str, &str)]) -> Done {
        let mut command = self.command(["hook", kind]);
        command.envs(env.iter().copied());
        self.feed(command, payload.as_bytes())
    }
}

impl From<Output> for Done {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Done {
    /// The JSON document it printed.
    ///
    /// # Panics
    /// If it printed something else.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        match serde_json::from_str(&self.stdout) {
            Ok(value) => value,
            Err(error) => panic!("not one JSON document ({error}): {self:?}"),
        }
    }

    /// # Panics
    /// If it did not end with 0.
    #[track_caller]
    pub fn ok(&self) -> &Self {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }
}
