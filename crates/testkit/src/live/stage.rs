//! Where a situation is played: home, hub, model, terminal.

mod agent;
mod start;

pub use agent::Agent;

use super::captured;
use super::cases::With;
use super::judge::Verdict;
use super::moments::Moments;
use super::pane::Tmux;
use super::programs::{Installed, Noted, Program, Screen};
use super::record::{self, Recorder, Row};
use super::truth::{Class, Mark, Seat, Truth};
use super::watcher::{Told, Watcher};
use crate::home::Home;
use crate::hub::Hub;
use crate::model::{Asker, Mark as Seen, Model, What};
use crate::wait;
use rustix::process::{Pid, Signal};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longer than an unhooked change may take: what is not told by then is told too late.
pub(super) const REST: Duration = Duration::from_millis(1_200);

/// How the agent comes to report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hooks {
    /// `headsup hooks install`.
    Installed,
    /// Nothing is installed.
    None,
}

/// One hermetic place with everything in it. All of it ends with this.
pub struct Stage {
    tmux: Tmux,
    watcher: RefCell<Option<Watcher>>,
    hub: RefCell<Option<Hub>>,
    /// A hub went away in mid-play.
    lost: Cell<bool>,
    pub model: Model,
    truth: RefCell<Truth>,
    /// What was done to the program.
    actions: RefCell<Vec<(Instant, Value)>>,
    recorder: Option<Recorder>,
    /// When hooks were called, where no recorder takes that down.
    moments: Option<Moments>,
    /// How many answers of main agents, helpers and compactions have been waited for.
    answers: RefCell<[usize; 3]>,
    /// Variables that the program is started without.
    forgotten: RefCell<Vec<&'static str>>,
    /// Variables that it gets beside its own.
    lent: RefCell<Vec<(&'static str, String)>>,
    program: &'static Program,
    installed: Installed,
    patient: bool,
    start: Instant,
    pub home: Home,
}

impl Stage {
    /// A place for this program, with its settings written.
    ///
    /// # Panics
    /// If there is none to be had.
    pub fn new(program: &'static Program, with: With<'_>, hooks: Hooks) -> Self {
        let home = Home::new(&with.binary.to_string_lossy());
        let mut stage = Self {
            tmux: Tmux::new(home.path()),
            watcher: RefCell::default(),
            hub: RefCell::default(),
            lost: Cell::default(),
            model: Model::start().expect("a model"),
            truth: RefCell::default(),
            actions: RefCell::default(),
            recorder: None,
            moments: None,
            answers: RefCell::default(),
            forgotten: RefCell::default(),
            lent: RefCell::default(),
            program,
            installed: with.program.clone(),
            patient: with.patient,
            start: Instant::now(),
            home,
        };
        fs::create_dir_all(stage.folder()).expect("a folder");
        (program.configure)(&stage);
        if hooks == Hooks::Installed {
            stage.home.run(["hooks", "install", program.kind]).ok();
        }
        if with.record.is_some() {
            stage.note(with.binary);
        }
        stage
    }

    /// From here on it is noted when the program calls its hooks. What is measured is played without.
    fn note(&mut self, binary: &Path) {
        match self.program.noted {
            Noted::SecondHook => {
                record::install(self.home.path());
                self.recorder = Some(Recorder::start(self.home.path(), self.start));
            }
            Noted::Launcher => {
                self.moments = Some(Moments::by_launcher(&self.home, binary, self.start));
            }
            Noted::Plugin(file) => {
                self.moments = Some(Moments::by_plugin(&self.home, file, self.start));
            }
        }
    }

    /// Starts the hub, and with it the taking down of what it tells.
    pub fn hub(&self) {
        self.hub_with(&[]);
    }

    /// The same with further options of `headsup up`.
    pub fn hub_with(&self, options: &[&str]) {
        *self.hub.borrow_mut() = Some(Hub::start_with(&self.home, options));
        if self.watcher.borrow().is_none() {
            *self.watcher.borrow_mut() = Some(Watcher::start(&self.home.socket()));
        }
    }

    /// Conversations of its have turns that go on side by side.
    pub fn side_by_side(&self) {
        self.truth.borrow_mut().beside = true;
    }

    /// The hub dies on the spot.
    pub fn kill_hub(&self) {
        self.lost.set(true);
        drop(self.hub.borrow_mut().take());
    }

    /// The hub stands still, and goes on.
    pub fn pause_hub(&self, stands: bool) {
        let what = if stands { Signal::STOP } else { Signal::CONT };
        self.hub.borrow().as_ref().expect("a hub").signal(what);
    }

    /// What is to be seen of the program.
    pub(super) fn screen(&self) -> &'static Screen {
        &self.program.screen
    }

    /// As headsup calls the program.
    pub fn kind(&self) -> &'static str {
        self.program.kind
    }

    /// What a shell is told to have the program work at this prompt without a terminal.
    pub fn headless_command(&self, prompt: &str) -> String {
        let words = (self.program.headless)(prompt);
        let quoted = words.iter().map(|word| match word == prompt {
            true => format!(" '{word}'"),
            false => format!(" {word}"),
        });
        // A shell of an agent's may be without what looks like a credential.
        let env = (self.program.env)(self);
        let env = env.iter().map(|(name, value)| format!("{name}={value}"));
        let program = self.home.path().join("bin").join(self.program.command);
        let words = env.chain([program.display().to_string()]).collect::<Vec<_>>().join(" ");
        words + &quoted.collect::<String>()
    }

    /// Starts the program without these variables of its environment.
    pub fn forget(&self, names: &[&'static str]) {
        self.forgotten.borrow_mut().extend(names);
    }

    /// Starts the program with this variable in its environment.
    pub fn lend(&self, name: &'static str, value: String) {
        self.lent.borrow_mut().push((name, value));
    }

    /// Changes its settings: members of `change` take the place of those in `file`, which is below
    /// the home folder.
    pub fn set(&self, file: &str, change: &Value) {
        let path = self.home.path().join(file);
        let text = fs::read_to_string(&path).unwrap_or_else(|_| "{}".to_owned());
        let mut settings: Value = serde_json::from_str(&text).expect("settings");
        merge(&mut settings, change);
        fs::write(&path, settings.to_string()).expect("settings");
    }

    /// What is to be seen now, for whoever looks into a play that cannot go on.
    pub(super) fn screens(&self) -> Vec<String> {
        let screens = self.tmux.screens();
        screens.iter().flat_map(|screen| screen.lines().map(|line| format!("| {line}"))).collect()
    }

    /// Where agents work.
    pub fn folder(&self) -> PathBuf {
        self.home.path().join("proj")
    }

    fn did(&self, at: Instant, action: Value) {
        self.actions.borrow_mut().push((at, action));
    }

    /// Writes what was recorded. Of a hub that went away nothing is left that could be.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let actions = self.actions.borrow();
        let Some(recorder) = &self.recorder else {
            if self.hub.borrow().is_none() || self.lost.get() {
                return Ok(());
            }
            let play = captured::Play {
                home: &self.home,
                kind: self.program.kind,
                start: self.start,
                truth: &self.truth.borrow(),
                told: &self.told(),
                actions: &actions,
            };
            return play.write(folder);
        };
        let row = |(at, action): &(Instant, Value)| {
            let mut row = json!({ "src": "action" });
            if let (Some(row), Value::Object(action)) = (row.as_object_mut(), action.clone()) {
                row.extend(action);
            }
            Row { t_ms: recorder.since_start(*at), row }
        };
        let actions: Vec<Row> = actions.iter().map(row).collect();
        recorder.write(folder, &self.truth.borrow(), &actions, &self.model.marks().all())
    }

    /// The seat of an agent within this one.
    pub fn child_of(&self, parent: &Agent<'_>) -> usize {
        let mut truth = self.truth.borrow_mut();
        truth.seats.push(Seat::ChildOf(parent.seat));
        truth.seats.len() - 1
    }

    pub(super) fn mark(
        &self,
        seat: usize,
        at: Instant,
        headline: &'static str,
        class: Class,
        why: &str,
    ) {
        let why = why.to_owned();
        let mark = Mark { at, seat, headline, class, why, sight: None };
        self.truth.borrow_mut().marks.push(mark);
    }

    /// The moment at which the next answer for this asker was over, however it ended.
    #[track_caller]
    pub fn answered(&self, asker: &Asker) -> Instant {
        self.over(self.asked(asker))
    }

    /// The moment at which the next request of this asker came.
    #[track_caller]
    pub fn asked_at(&self, asker: &Asker) -> Instant {
        self.came(self.asked(asker))
    }

    /// The moment at which the last answer so far was over. No earlier one counts any more.
    #[track_caller]
    pub fn answered_last(&self, asker: &Asker) -> Instant {
        let all = self.model.requests();
        let mine: Vec<_> = all.iter().filter(|request| request.asker() == *asker).collect();
        self.answers.borrow_mut()[place(asker)] = mine.len();
        self.over(mine.last().expect("an answer").number)
    }

    /// The moment at which this request came.
    #[track_caller]
    pub fn came(&self, request: usize) -> Instant {
        let came = |mark: &Seen| mark.request == request && mark.what == What::Received;
        self.model.marks().wait("a request", came).at
    }

    /// The moment at which the answer to this request was over.
    #[track_caller]
    pub fn over(&self, request: usize) -> Instant {
        self.model.marks().over(request).at
    }

    /// The number of the next request of this asker, as soon as it has come.
    #[track_caller]
    pub fn asked(&self, asker: &Asker) -> usize {
        let place = place(asker);
        let nth = self.answers.borrow()[place];
        self.answers.borrow_mut()[place] += 1;
        self.model.request(asker, nth).number
    }

    /// The moment at which a file in the agents' folder was last written.
    pub fn written(&self, name: &str) -> Instant {
        let written = fs::metadata(self.folder().join(name)).and_then(|file| file.modified());
        let age = written.expect("a file").elapsed().unwrap_or_default();
        Instant::now().checked_sub(age).unwrap_or(self.start)
    }

    /// Lets a state stand for a while.
    pub fn rest(&self, time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end {
            std::thread::park_timeout(end.saturating_duration_since(Instant::now()));
        }
    }

    /// Lets what is true stand until it should have been told.
    pub fn stand(&self) {
        self.stand_for(REST);
    }

    /// Lets what is true stand. A test is not about time: it waits until the truth is told first, and
    /// then for what must not follow.
    fn stand_for(&self, time: Duration) {
        let end = Instant::now() + wait::DEADLINE;
        while self.patient && Instant::now() < end && !self.is_told() {
            std::thread::park_timeout(Duration::from_millis(5));
        }
        self.rest(time);
    }

    /// Waits until what is true has been told, where nobody measures how long that takes.
    fn told_at_last(&self) {
        let end = Instant::now() + wait::DEADLINE;
        while Instant::now() < end && !self.is_told() {
            std::thread::park_timeout(Duration::from_millis(20));
        }
    }

    /// Is the newest mark of every seat what was told last?
    fn is_told(&self) -> bool {
        let truth = self.truth.borrow();
        let verdict = Verdict::new("", &truth, &self.told(), self.start);
        let last = |seat: &str| verdict.spans.iter().rfind(|span| span.seat == seat);
        verdict.spans.iter().all(|span| last(&span.seat).is_none_or(|last| last.right))
    }

    /// Compares what was told with what was true.
    pub fn judge(&self, case: &str) -> Verdict {
        self.stand_for(REST);
        let mut truth = self.truth.borrow().clone();
        truth.end = Some(Instant::now());
        let mut verdict = Verdict::new(case, &truth, &self.told(), self.start);
        verdict.look(&truth, self.program);
        let recorded = self.recorder.as_ref().map(Recorder::rows);
        let noted = || self.moments.as_ref().map(Moments::rows);
        if let Some(signals) = recorded.or_else(noted) {
            verdict.split(&signals, self.program.tells);
        }
        verdict
    }

    fn id_of(&self, seat: usize) -> Option<String> {
        super::judge::id_of(&self.truth.borrow().seats, seat, &self.told())
    }

    fn told(&self) -> Vec<Told> {
        self.watcher.borrow().as_ref().map(Watcher::told).unwrap_or_default()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // A program that still writes would keep its home from going away.
        for seat in &self.truth.borrow().seats {
            let Seat::Processes(pids) = seat else { continue };
            for pid in pids {
                signal(*pid, Signal::KILL).ok();
            }
        }
        // One that runs in the background has left its terminal, and helpers of its own.
        for pid in strays(self.home.path()) {
            signal(pid, Signal::KILL).ok();
        }
    }
}

fn merge(into: &mut Value, change: &Value) {
    match (into, change) {
        (Value::Object(into), Value::Object(change)) => {
            for (name, value) in change {
                merge(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (into, change) => *into = change.clone(),
    }
}

/// The processes that were started with this home, but for what is not an agent's.
fn strays(home: &Path) -> Vec<u32> {
    let variable = format!("HOME={}", home.display());
    let is_stray = |pid: &u32| {
        let process = Path::new("/proc").join(pid.to_string());
        let environment = fs::read(process.join("environ")).unwrap_or_default();
        let exe = fs::read_link(process.join("exe")).unwrap_or_default();
        let name = exe.file_name().unwrap_or_default();
        name != "headsup"
            && name != "tmux"
            && environment.split(|byte| *byte == 0).any(|one| one == variable.as_bytes())
    };
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let names = processes.flatten().map(|process| process.file_name());
    let pids = names.filter_map(|name| name.to_str()?.parse().ok());
    pids.filter(is_stray).collect()
}

fn place(asker: &Asker) -> usize {
    match asker {
        Asker::Main => 0,
        Asker::Helper => 1,
        Asker::Compaction | Asker::Side => 2,
    }
}

fn signal(pid: u32, signal: Signal) -> rustix::io::Result<()> {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(rustix::io::Errno::SRCH)?;
    rustix::process::kill_process(pid, signal)
}
