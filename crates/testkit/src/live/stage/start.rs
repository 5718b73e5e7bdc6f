//! Ways to start the program.

use super::{Agent, KEY, Stage};
use crate::home::Done;
use crate::live::pane::{Pane, Tmux};
use crate::live::truth::{Class, Seat};
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

impl Stage {
    /// Starts the program and waits for its prompt.
    #[track_caller]
    pub fn start(&self, args: &[&str]) -> Agent<'_> {
        let at = Instant::now();
        let agent = self.seated(self.launch(args));
        agent.mark(at, "idle", Class::Unmeasured, "started");
        agent.ready();
        agent
    }

    /// As [`Self::start`], while there is no hub that could be told.
    #[track_caller]
    pub fn start_untold(&self, args: &[&str]) -> Agent<'_> {
        let agent = self.seated(self.launch(args));
        agent.ready();
        agent
    }

    fn launch(&self, args: &[&str]) -> Pane<'_> {
        let mut words = vec![self.bin().join("claude").display().to_string()];
        words.extend(arguments(args));
        let started = ["claude".to_owned()].into_iter().chain(arguments(args));
        self.did(Instant::now(), json!({ "do": "start", "args": started.collect::<Vec<_>>() }));
        self.tmux.start(&self.folder(), &self.env(), &words)
    }

    /// `headsup run --here` in a terminal.
    #[track_caller]
    pub fn run_here(&self, id: &str) -> Agent<'_> {
        let at = Instant::now();
        self.did(at, json!({ "do": "start", "by": "run", "id": id, "args": ["claude"] }));
        let program = self.home.command([""]).get_program().to_string_lossy().into_owned();
        let mut words = vec![program];
        words.extend(["run", "--here", "--id", id, "--", "claude"].map(str::to_owned));
        words.extend(arguments(&[]));
        self.bin();
        self.launched(self.tmux.start(&self.folder(), &self.env(), &words), id, at)
    }

    /// `headsup run`, which makes a session in tmux.
    #[track_caller]
    pub fn run_in_tmux(&self, id: &str) -> Agent<'_> {
        let at = Instant::now();
        self.launched(self.ran_in_tmux(id, &[]), id, at)
    }

    /// `headsup run` of a program that asks something, shown as `words`, before it begins.
    #[track_caller]
    pub fn run_to_dialog(&self, args: &[&str], words: &str) -> Agent<'_> {
        let at = Instant::now();
        let agent = self.placed(Seat::Named("api".to_owned()), self.ran_in_tmux("api", args));
        agent.mark(at, "starting", Class::Unmeasured, "a seat is taken");
        let at = agent.shows(words);
        agent.screen_taken();
        agent.mark(at, "blocked", Class::Unhooked, &format!("dialog: {words}"));
        agent.settle();
        agent
    }

    fn ran_in_tmux(&self, id: &str, args: &[&str]) -> Pane<'_> {
        let mut command =
            self.home.command(["run", "--tmux", "--json", "--id", id, "--", "claude"]);
        let words = arguments(args);
        let started = ["claude".to_owned()].into_iter().chain(words.clone());
        let started: Vec<String> = started.collect();
        self.did(Instant::now(), json!({ "do": "start", "by": "run", "id": id, "args": started }));
        command.args(words).envs(self.env()).current_dir(self.folder());
        command.env("HEADSUP_TMUX_SOCKET", Tmux::SOCKET).env("TMUX_TMPDIR", self.home.path());
        self.bin();
        let told = Done::from(command.output().expect("headsup runs")).ok().json();
        let pane = told["tmux"]["pane"].as_str().expect("a pane");
        Pane::of(&self.tmux, pane)
    }

    /// `claude --bg`, which returns at once.
    #[track_caller]
    pub fn start_in_background(&self, prompt: &str) -> usize {
        let mut command = Command::new(self.bin().join("claude"));
        command.arg("--bg").args(arguments(&[])).arg(prompt);
        command.env_clear().envs(self.env()).current_dir(self.folder());
        Done::from(command.output().expect("it runs")).ok();
        let mut truth = self.truth.borrow_mut();
        // Its process is the program's own affair.
        truth.seats.push(Seat::Named("claude-code-proj".to_owned()));
        truth.seats.len() - 1
    }

    fn launched<'a>(&'a self, pane: Pane<'a>, id: &str, at: Instant) -> Agent<'a> {
        let agent = self.placed(Seat::Named(id.to_owned()), pane);
        agent.mark(at, "starting", Class::Unmeasured, "a seat is taken");
        agent.mark(at, "idle", Class::Unmeasured, "started");
        agent.ready();
        agent
    }

    /// Starts the program again for the seat of one that is gone.
    #[track_caller]
    pub fn start_again(
        &self,
        gone: &Agent<'_>,
        args: &[&str],
        headline: &'static str,
    ) -> Agent<'_> {
        let at = Instant::now();
        let agent = Agent { stage: self, seat: gone.seat, pane: self.launch(args) };
        if let Some(Seat::Processes(pids)) = self.truth.borrow_mut().seats.get_mut(gone.seat) {
            pids.push(agent.pane.pid());
        }
        agent.mark(at, headline, Class::Unmeasured, "started again");
        agent.ready();
        agent
    }

    /// A new seat for what runs in this pane.
    fn seated<'a>(&'a self, pane: Pane<'a>) -> Agent<'a> {
        self.placed(Seat::Processes(vec![pane.pid()]), pane)
    }

    fn placed<'a>(&'a self, seat: Seat, pane: Pane<'a>) -> Agent<'a> {
        let mut truth = self.truth.borrow_mut();
        truth.seats.push(seat);
        Agent { stage: self, seat: truth.seats.len() - 1, pane }
    }

    /// What the program is started with; hermetic.
    fn env(&self) -> Vec<(String, String)> {
        let home = self.home.path().display().to_string();
        let state = self.home.state().display().to_string();
        let env = [
            ("HOME", home.as_str()),
            ("HEADSUP_HOME", &state),
            ("ANTHROPIC_BASE_URL", &self.model.url()),
            ("ANTHROPIC_API_KEY", KEY),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("TMPDIR", &self.temporary()),
            ("DISABLE_TELEMETRY", "1"),
            ("CLAUDE_CODE_MAX_RETRIES", "3"),
            // Nested sessions find the program by its name.
            ("PATH", &format!("{}:/usr/bin:/bin", self.bin().display())),
        ];
        env.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
    }

    /// The program's sockets and outputs of tools go here.
    fn temporary(&self) -> String {
        let folder = self.home.path().join("tmp");
        fs::create_dir_all(&folder).expect("a folder");
        folder.display().to_string()
    }

    /// A folder with the program under its own name.
    fn bin(&self) -> PathBuf {
        let bin = self.home.path().join("bin");
        fs::create_dir_all(&bin).expect("a folder");
        let link = bin.join("claude");
        if !link.exists() {
            std::os::unix::fs::symlink(&self.program, &link).expect("a link");
        }
        bin
    }
}

/// What the program is always started with, and `args`.
fn arguments(args: &[&str]) -> Vec<String> {
    let mut all = vec!["--model", "claude-sonnet-4-5"];
    if !args.contains(&"--permission-mode") {
        // The default one approves much by itself.
        all.extend(["--permission-mode", "manual"]);
    }
    all.extend(args);
    all.into_iter().map(str::to_owned).collect()
}
