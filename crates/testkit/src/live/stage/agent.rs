//! An agent in its terminal: what a person does to it, and what is true of it.

use super::{REST, Stage, signal};
use crate::live::pane::Pane;
use crate::live::truth::{Class, Mark, Seat};
use crate::model::{Asker, Mark as Seen, What};
use crate::wait;
use rustix::process::Signal;
use serde_json::json;
use std::fs;
use std::time::{Duration, Instant};

/// Longer than what nobody confirms stays fresh.
const SILENCE: Duration = Duration::from_secs(80);

/// One agent in its terminal.
#[derive(Clone)]
pub struct Agent<'a> {
    pub(super) stage: &'a Stage,
    pub(super) seat: usize,
    pub(super) pane: Pane<'a>,
}

impl Agent<'_> {
    /// From `at` on its headline is this one.
    pub fn mark(&self, at: Instant, headline: &'static str, class: Class, why: &str) {
        self.stage.mark(self.seat, at, headline, class, why);
    }

    /// The same of what a hook tells, and of which a person sees `words`.
    fn mark_seen(&self, at: Instant, headline: &'static str, words: &[&str], why: String) {
        let words = words.iter().map(|&word| word.to_owned()).collect();
        let sight = Some((self.pane.eyes().clone(), words));
        let mark = Mark { at, seat: self.seat, headline, class: Class::Hooked, why, sight };
        self.stage.truth.borrow_mut().marks.push(mark);
    }

    /// Waits for the prompt box to be ready for a person.
    #[track_caller]
    pub fn ready(&self) {
        let ready = self.stage.program.screen.ready;
        self.pane.comes_up("the prompt box", |screen| screen.contains(ready));
        if self.stage.program.by_run {
            self.stage.told_at_last();
        }
        self.stage.rest(REST);
    }

    /// Sends a prompt and waits until the model has been asked. From then on it works.
    #[track_caller]
    pub fn prompt(&self, text: &str) {
        let asked = || self.stage.model.count(|one| one.asker() != Asker::Side);
        let before = asked();
        let at = self.submit(text);
        if self.stage.program.screen.silent_start && self.is_new() {
            self.mark(at, "idle", Class::Unmeasured, "told with the first prompt");
        }
        self.mark_seen(
            at,
            "working",
            &[self.stage.program.screen.working],
            format!("prompt sent: {text}"),
        );
        wait::until("the model to be asked", || (asked() > before).then_some(()));
    }

    /// Nothing has been true of it yet but that it starts, or starts again.
    fn is_new(&self) -> bool {
        let truth = self.stage.truth.borrow();
        truth.of(self.seat).last().is_none_or(|mark| mark.headline == "starting")
    }

    /// An ordinary turn, from its prompt to a rest after its end.
    #[track_caller]
    pub fn turn(&self) {
        self.prompt("[[hold go]] [[text Hello.]]");
        self.rest();
        self.stage.model.release("go");
        self.answered();
        self.rest();
    }

    /// The same of an agent without hooks: nothing says how it ended.
    #[track_caller]
    pub fn unhooked_turn(&self) {
        let at = self.submit("[[hold go]] [[text Hello.]]");
        self.mark(at, "working", Class::Unhooked, "prompt sent");
        self.rest();
        self.stage.model.release("go");
        let at = self.stage.answered(&Asker::Main);
        self.mark(at, "done", Class::Unhooked, "answer finished");
        self.rest();
    }

    /// Types a line and presses Enter.
    #[track_caller]
    pub fn submit(&self, text: &str) -> Instant {
        self.submit_by(text, "Enter")
    }

    /// Types a line and presses this key.
    #[track_caller]
    pub fn submit_by(&self, text: &str, key: &str) -> Instant {
        self.pane.text(text);
        let at = self.pane.key(key);
        self.stage.did(at, json!({ "do": "type", "text": text }));
        at
    }

    /// The next answer is the turn's last one: it is done.
    #[track_caller]
    pub fn answered(&self) {
        let at = self.stage.answered(&Asker::Main);
        self.mark(at, "done", Class::Hooked, "answer finished");
    }

    /// The answer that began then is the turn's last one.
    #[track_caller]
    pub fn finished(&self, begun: Instant) {
        let finished = |mark: &Seen| mark.at > begun && mark.what == What::Finished;
        let at = self.stage.model.marks().wait("the answer to be finished", finished).at;
        self.mark(at, "done", Class::Hooked, "answer finished");
    }

    /// The next answer opens a dialog that shows `words`.
    #[track_caller]
    pub fn asks(&self, words: &str) {
        self.asks_since(self.stage.answered(&Asker::Main), words);
    }

    /// The answer that was over at that moment opens a dialog that shows `words`.
    #[track_caller]
    pub fn asks_since(&self, at: Instant, words: &str) {
        self.mark_seen(
            at,
            "blocked",
            &[words, self.stage.program.screen.choice],
            format!("dialog: {words}"),
        );
        self.shows(words);
        self.settle();
    }

    /// A dialog takes no key in its first moments.
    pub fn settle(&self) {
        self.stage.stand_for(self.stage.program.screen.settle);
    }

    #[track_caller]
    pub fn shows(&self, words: &str) -> Instant {
        self.pane.shows(words)
    }

    /// Presses a key that no hook tells of.
    pub fn key(&self, key: &str, headline: &'static str, why: &str) {
        let at = self.press(key);
        self.mark(at, headline, Class::Unhooked, why);
    }

    /// Presses keys, one after the other; the last one does it.
    pub fn keys(&self, keys: &[&str], headline: &'static str, why: &str) {
        let (last, before) = keys.split_last().expect("a key");
        for key in before {
            self.press(key);
        }
        let at = self.press(last);
        self.mark(at, headline, Class::Unhooked, why);
    }

    /// The same of keys whose last one is noticed in another way.
    pub fn keys_class(&self, keys: &[&str], headline: &'static str, class: Class, why: &str) {
        let at = keys.iter().fold(Instant::now(), |_, key| self.press(key));
        self.mark(at, headline, class, why);
    }

    /// Stops the turn.
    #[track_caller]
    pub fn interrupt(&self, why: &str) {
        let screen = self.stage.screen();
        let (last, before) = screen.interrupt.split_last().expect("a key");
        for key in before {
            self.press(key);
            screen.again.map(|words| self.shows(words));
        }
        let at = self.press(last);
        self.mark(at, "idle", Class::Unhooked, why);
    }

    pub fn stage(&self) -> &Stage {
        self.stage
    }

    pub fn press(&self, key: &str) -> Instant {
        let at = self.pane.key(key);
        self.stage.did(at, json!({ "do": "keys", "keys": [key] }));
        at
    }

    pub fn signal(&self, what: Signal) -> Instant {
        let pid = self.pid();
        let at = Instant::now();
        signal(pid, what).expect("a living agent");
        let name = format!("SIG{}", format!("{what:?}").trim_start_matches("Signal::"));
        self.stage.did(at, json!({ "do": "kill", "signal": name }));
        at
    }

    /// It stands still, and goes on.
    pub fn pause(&self, stands: bool) {
        let what = if stands { Signal::STOP } else { Signal::CONT };
        signal(self.pid(), what).expect("a living agent");
        // Whoever has started it stands still with it, and goes on first.
        if !stands && self.stage.program.by_run {
            signal(self.pane.pid(), what).expect("a living launcher");
        }
    }

    /// The program's own process; in its pane there may be `headsup run` above it.
    pub fn pid(&self) -> u32 {
        let named = matches!(self.stage.truth.borrow().seats[self.seat], Seat::Named(_));
        let told = || self.stage.home.run(["show", self.id().as_str(), "--json"]).json();
        match named.then(|| told()["location"]["pid"].as_u64()).flatten() {
            Some(pid) => u32::try_from(pid).expect("a pid"),
            None => self.pane.pid(),
        }
    }

    /// That process, and all that it and those have started.
    pub fn family(&self) -> Vec<u32> {
        let mut family = vec![self.pid()];
        let mut next = 0;
        while let Some(pid) = family.get(next) {
            family.extend(children(*pid));
            next += 1;
        }
        family
    }

    /// The id of its seat.
    pub fn id(&self) -> String {
        self.stage.id_of(self.seat).expect("a seat")
    }

    /// It has gone over into another state, and no witness tells of that: waits until what was told before is marked
    /// stale, or is told no more.
    pub fn falls_silent(&self, at: Instant, headline: &'static str, why: &str) {
        self.mark(at, headline, Class::Silent, why);
        let id = self.id();
        let told = || self.stage.home.run(["show", id.as_str(), "--json"]).json();
        let before = told()["headline"].clone();
        wait::within(SILENCE, "a word of its silence", || {
            self.stage.rest(REST);
            let told = told();
            (told["stale"] == true || told["headline"] != before).then_some(())
        });
    }

    /// The terminal goes away.
    pub fn hang_up(&self) -> Instant {
        let at = self.pane.hang_up();
        self.stage.did(at, json!({ "do": "tmux kill-pane" }));
        at
    }

    pub fn screen(&self) -> String {
        self.pane.screen()
    }

    /// The same with all that a person sees of it: colours, title, cursor, modes.
    pub fn painted(&self) -> String {
        self.pane.painted()
    }

    /// Keeps what is on the screen for the recording.
    pub fn screen_taken(&self) {
        let text = self.screen();
        self.stage.did(Instant::now(), json!({ "src": "screen", "text": text }));
    }

    /// Lets what is true stand until it should have been told.
    pub fn rest(&self) {
        self.stage.stand_for(REST);
    }
}

/// What the threads of a process have started.
fn children(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let pids = |list: String| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect();
    lists.flat_map(|list| -> Vec<u32> { pids(list) }).collect()
}
