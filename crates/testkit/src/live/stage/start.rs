//! Ways to start the program.

use super::{Agent, Stage};
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
        if self.program.by_run {
            let id = format!("agent-{}", self.truth.borrow().seats.len());
            return self.run_here_with(&id, args);
        }
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

    /// As somebody types it, also where the others are started by `headsup run`. Its seat is the one
    /// that its hooks make.
    #[track_caller]
    pub fn start_by_hand(&self, args: &[&str]) -> Agent<'_> {
        let at = Instant::now();
        let seat = Seat::Named(format!("{}-proj", self.program.kind));
        let agent = self.placed(seat, self.launch(args));
        if !self.program.screen.silent_start {
            agent.mark(at, "idle", Class::Unmeasured, "started");
        }
        agent.ready();
        agent
    }

    /// The same where nothing is told of it before its first prompt; its seat will have this id.
    #[track_caller]
    pub fn start_by_hand_untold(&self, id: &str, args: &[&str]) -> Agent<'_> {
        let agent = self.placed(Seat::Named(id.to_owned()), self.launch(args));
        agent.ready();
        agent
    }

    /// The same of one that first asks something, shown as `words`, of which nothing is told.
    #[track_caller]
    pub fn start_by_hand_to_dialog(&self, id: &str, args: &[&str], words: &str) -> Agent<'_> {
        let agent = self.placed(Seat::Named(id.to_owned()), self.launch(args));
        agent.shows(words);
        agent.settle();
        agent
    }

    /// Starts a run that reads what it is to do from a pipe, line by line as it is typed. Its seat is
    /// the one that its hooks make.
    pub fn start_fed(&self, args: &[&str]) -> Agent<'_> {
        let (command, args) = (self.program.command, (self.program.arguments)(args));
        self.did(Instant::now(), json!({ "do": "start", "args": [command] }));
        let program = self.bin().join(command).display().to_string();
        let mut words = ["sh", "-c", "cat | \"$0\" \"$@\""].map(str::to_owned).to_vec();
        words.extend([program].into_iter().chain(args));
        let pane = self.tmux.start(&self.folder(), &self.env(), &words);
        self.placed(Seat::Named(format!("{}-proj", self.program.kind)), pane)
    }

    fn launch(&self, args: &[&str]) -> Pane<'_> {
        let (command, args) = (self.program.command, (self.program.arguments)(args));
        let mut words = vec![self.bin().join(command).display().to_string()];
        words.extend(args.clone());
        let started = [command.to_owned()].into_iter().chain(args);
        self.did(Instant::now(), json!({ "do": "start", "args": started.collect::<Vec<_>>() }));
        self.tmux.start(&self.folder(), &self.env(), &words)
    }

    /// `headsup run --here` in a terminal.
    #[track_caller]
    pub fn run_here(&self, id: &str) -> Agent<'_> {
        self.run_here_with(id, &[])
    }

    /// The same with these arguments of the program.
    #[track_caller]
    pub fn run_here_with(&self, id: &str, args: &[&str]) -> Agent<'_> {
        let at = Instant::now();
        let pane = self.ran_here(id, args);
        self.launched(pane, id, at)
    }

    /// The same of one that shows its box, and may be unready all the same: it only starts.
    #[track_caller]
    pub fn run_unready(&self, id: &str, args: &[&str]) -> Agent<'_> {
        let at = Instant::now();
        let agent = self.placed(Seat::Named(id.to_owned()), self.ran_here(id, args));
        agent.mark(at, "starting", Class::Unmeasured, "a seat is taken");
        agent.ready();
        agent
    }

    fn ran_here(&self, id: &str, args: &[&str]) -> Pane<'_> {
        self.ran(id, (self.program.arguments)(args))
    }

    fn ran(&self, id: &str, args: Vec<String>) -> Pane<'_> {
        let at = Instant::now();
        let command = self.program.command;
        self.did(at, json!({ "do": "start", "by": "run", "id": id, "args": [command] }));
        let program = self.home.command([""]).get_program().to_string_lossy().into_owned();
        let mut words = vec![program];
        words.extend(["run", "--here", "--id", id, "--", command].map(str::to_owned));
        words.extend(args);
        self.bin();
        self.tmux.start(&self.folder(), &self.env(), &words)
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
        // Whoever looks now and then sees it late.
        let seen = agent.shows(words);
        let shown = agent.pane.eyes().since(at, |screen| screen.contains(words));
        let at = shown.map_or(seen, |shown| shown.min(seen));
        agent.screen_taken();
        agent.mark(at, "blocked", Class::Unhooked, &format!("dialog: {words}"));
        agent.settle();
        agent
    }

    /// A command of headsup's as a person types it beside the agents: in their folder and environment.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.home.command(args);
        command.envs(self.env()).current_dir(self.folder());
        command.env("HEADSUP_TMUX_SOCKET", Tmux::SOCKET).env("TMUX_TMPDIR", self.home.path());
        command
    }

    fn ran_in_tmux(&self, id: &str, args: &[&str]) -> Pane<'_> {
        let name = self.program.command;
        let mut command = self.command(&["run", "--tmux", "--json", "--id", id, "--", name]);
        let words = (self.program.arguments)(args);
        let started = [name.to_owned()].into_iter().chain(words.clone());
        let started: Vec<String> = started.collect();
        self.did(Instant::now(), json!({ "do": "start", "by": "run", "id": id, "args": started }));
        command.args(words);
        self.bin();
        let told = Done::from(command.output().expect("headsup runs")).ok().json();
        let pane = told["tmux"]["pane"].as_str().expect("a pane");
        Pane::of(&self.tmux, pane)
    }

    /// `claude --bg`, which returns at once.
    #[track_caller]
    pub fn start_in_background(&self, prompt: &str) -> usize {
        let mut command = Command::new(self.bin().join(self.program.command));
        command.arg("--bg").args((self.program.arguments)(&[])).arg(prompt);
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

    /// `headsup run --here` of the program without a terminal's box: it has one prompt.
    #[track_caller]
    pub fn start_headless(&self, prompt: &str) -> Agent<'_> {
        let at = Instant::now();
        let words = (self.program.headless)(prompt);
        let agent = self.placed(Seat::Named("headless".to_owned()), self.ran("headless", words));
        agent.mark(at, "starting", Class::Unmeasured, "a seat is taken");
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
        let agent = self.sits(gone.seat, self.launch(args));
        if let Some(Seat::Processes(pids)) = self.truth.borrow_mut().seats.get_mut(gone.seat) {
            pids.push(agent.pane.pid());
        }
        agent.mark(at, headline, Class::Unmeasured, "started again");
        agent.ready();
        agent
    }

    /// `headsup run` once more for the seat of one that is gone: what it had done has not been
    /// looked at, and is not taken for this one's.
    #[track_caller]
    pub fn run_again(&self, gone: &Agent<'_>, args: &[&str]) -> Agent<'_> {
        let at = Instant::now();
        let pane = self.ran_here(&gone.id(), args);
        let agent = self.sits(gone.seat, pane);
        agent.mark(at, "starting", Class::Unmeasured, "started again");
        if !self.program.screen.silent_start {
            agent.mark(at, "idle", Class::Unmeasured, "its box is open");
        }
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
        let seat = truth.seats.len() - 1;
        drop(truth);
        self.sits(seat, pane)
    }

    /// What runs in this pane is in that seat from here on.
    fn sits<'a>(&'a self, seat: usize, pane: Pane<'a>) -> Agent<'a> {
        let eyes = pane.eyes().clone();
        self.truth.borrow_mut().panes.push((seat, Instant::now(), eyes));
        Agent { stage: self, seat, pane }
    }

    /// What the program is started with; hermetic.
    fn env(&self) -> Vec<(String, String)> {
        let mut env = (self.program.env)(self);
        env.retain(|(name, _)| !self.forgotten.borrow().contains(name));
        env.extend(self.lent.borrow().iter().cloned());
        env.extend([
            ("HOME", self.home.path().display().to_string()),
            ("HEADSUP_HOME", self.home.state().display().to_string()),
            ("TMPDIR", self.temporary()),
            // Nested sessions find the program by its name.
            ("PATH", format!("{}:/usr/bin:/bin", self.bin().display())),
        ]);
        env.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
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
        self.installed.link_into(&bin, self.program.command);
        bin
    }
}
