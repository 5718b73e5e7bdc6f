//! A home, and terminals with agents in them.

use headsup_testkit::home::Home;
use headsup_testkit::pty::Pty;
use headsup_testkit::wait;
use serde_json::Value;
use std::path::PathBuf;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_headsup");
/// What we ask our terminal.
pub(crate) const QUERY: &str = "\x1b]7501;?\x1b\\";

pub(crate) struct Rig {
    pub(crate) home: Home,
}

impl Drop for Rig {
    /// A hub that `run` has started by itself goes with its home.
    fn drop(&mut self) {
        self.home.run(["down"]);
    }
}

impl Rig {
    pub(crate) fn new() -> Self {
        Self { home: Home::new(BINARY) }
    }

    /// `sh -c SCRIPT` as the agent `api`, in a terminal.
    pub(crate) fn agent(&self, script: &str) -> Pty {
        self.run(&["sh", "-c", script])
    }

    pub(crate) fn run(&self, words: &[&str]) -> Pty {
        self.run_on("xterm-256color", words)
    }

    /// On a terminal that calls itself so.
    pub(crate) fn run_on(&self, term: &str, words: &[&str]) -> Pty {
        let own = ["run", "--here", "--id", "api", "--"];
        let mut command = self.home.command(own.iter().chain(words));
        command.env_remove("COLUMNS").env("HEADSUP", BINARY).env("TERM", term);
        Pty::start(&command).unwrap()
    }

    /// A shell with job control in a terminal; `$HEADSUP` is the program.
    pub(crate) fn shell(&self, script: &str) -> Pty {
        let like = self.home.command([""; 0]);
        let mut command = std::process::Command::new("bash");
        command.args(["--norc", "-c", script]).current_dir(self.home.path());
        let set = like.get_envs().filter_map(|(name, value)| Some((name, value?)));
        command.envs(set).env("HEADSUP", BINARY);
        Pty::start(&command).unwrap()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// The lines of a file, once they are there.
    pub(crate) fn lines(&self, name: &str, count: usize) -> Vec<String> {
        let path = self.file(name);
        wait::until(name, || {
            let text = std::fs::read_to_string(&path).ok()?;
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            (text.ends_with('\n') && lines.len() >= count).then_some(lines)
        })
    }

    /// Makes a file that somebody waits for.
    pub(crate) fn touch(&self, name: &str) {
        std::fs::write(self.file(name), "").unwrap();
    }

    pub(crate) fn doc(&self) -> Value {
        self.home.is_told();
        self.home.run(["show", "api", "--json", "--no-start"]).json()
    }

    /// Waits for this headline.
    #[track_caller]
    pub(crate) fn comes_to(&self, headline: &str) {
        wait::until(headline, || {
            let done = self.home.run(["show", "api", "--json", "--no-start"]);
            (done.code == 0 && done.json()["headline"] == headline).then_some(())
        });
    }
}

/// Whether this process runs no more, whoever has yet to collect it.
pub(crate) fn has_ended(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.map_or(true, |stat| stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z')))
}
