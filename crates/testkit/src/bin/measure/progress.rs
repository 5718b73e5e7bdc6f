//! What a measurement that takes its time is doing, on standard error: its results alone stand on
//! standard output.

use std::io::Write as _;
use std::time::{Duration, Instant};

/// Between two words about the same thing.
const PAUSE: Duration = Duration::from_secs(2);

/// Steps that are counted.
#[derive(Debug)]
pub(crate) struct Progress {
    what: String,
    of: u64,
    start: Instant,
    said: Instant,
}

impl Progress {
    /// Says that `of` steps begin.
    pub(crate) fn new(what: impl Into<String>, of: usize) -> Self {
        let now = Instant::now();
        let progress = Self { what: what.into(), of: of as u64, start: now, said: now };
        note(&format!("{}: {of} to come", progress.what));
        progress
    }

    /// So many are done. Said every few seconds.
    pub(crate) fn at(&mut self, done: usize) {
        self.with(done, "");
    }

    /// The same with a word more.
    pub(crate) fn with(&mut self, done: usize, more: &str) {
        if self.said.elapsed() >= PAUSE {
            self.said = Instant::now();
            note(&line(&self.what, done as u64, self.of, self.start.elapsed(), more));
        }
    }
}

/// One line about what is done now.
pub(crate) fn note(line: &str) {
    // Nobody listening is no error.
    let _told = writeln!(std::io::stderr(), "{line}");
}

fn line(what: &str, done: u64, of: u64, took: Duration, more: &str) -> String {
    let seconds = took.as_secs();
    let comma = if more.is_empty() { "" } else { ", " };
    format!("{what}: {done} of {of} in {seconds} s{comma}{more}")
}
