//! What is true, from which moment on, and how fast the hub must tell it.

use super::eyes::Eyes;
use serde::Serialize;
use std::time::{Duration, Instant};

/// How a change can be noticed at all, which bounds how fast it must be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// A hook tells of it.
    Hooked,
    /// Only the status file or the transcript shows it.
    Unhooked,
    /// The process is gone.
    Kill,
    /// The moment itself is not known, only that it is true by the end of the span.
    Unmeasured,
    /// The same, and it may be over before anybody can see it.
    Passing,
    /// No witness tells of it: what was told before grows stale, or is `unknown` at last.
    Silent,
}

impl Class {
    pub const MEASURED: [Self; 3] = [Self::Hooked, Self::Unhooked, Self::Kill];

    pub fn word(self) -> &'static str {
        match self {
            Self::Hooked => "hooked",
            Self::Unhooked => "unhooked",
            Self::Kill => "kill",
            Self::Unmeasured => "unmeasured",
            Self::Passing => "passing",
            Self::Silent => "silent",
        }
    }

    /// The promise for the 99th of 100.
    pub fn limit(self) -> Option<Duration> {
        match self {
            Self::Hooked => Some(Duration::from_millis(100)),
            Self::Unhooked => Some(Duration::from_secs(1)),
            Self::Kill => Some(Duration::from_secs(2)),
            Self::Unmeasured | Self::Passing | Self::Silent => None,
        }
    }

    /// How long a change may stay untold at all.
    pub(super) fn patience(self) -> Duration {
        match self {
            Self::Unmeasured | Self::Passing | Self::Silent => Duration::from_secs(1),
            measured => measured.limit().unwrap_or_default(),
        }
    }
}

/// From this moment on the seat's headline should be this one. The same headline as before says
/// that nothing may change.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) at: Instant,
    pub(super) seat: usize,
    pub(super) headline: &'static str,
    pub(super) class: Class,
    pub(super) why: String,
    /// Where a person can see it, and by which words: all of them at once.
    pub(super) sight: Option<(Eyes, Vec<String>)>,
}

impl Mark {
    /// When the screen showed it. A program needs its time from a key or an answer to that.
    pub(super) fn shown_at(&self) -> Option<Instant> {
        let (eyes, words) = self.sight.as_ref()?;
        eyes.since(self.at, |screen| words.iter().all(|word| screen.contains(word)))
    }
}

/// Whose headline it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seat {
    /// The one in which these processes are, one after the other.
    Processes(Vec<u32>),
    /// The one that was asked for by this id.
    Named(String),
    /// The first child of another seat: `ID.1`.
    ChildOf(usize),
}

/// Everything that is true in one play.
#[derive(Clone, Debug, Default)]
pub(super) struct Truth {
    pub(super) seats: Vec<Seat>,
    pub(super) marks: Vec<Mark>,
    pub(super) end: Option<Instant>,
    /// Conversations of its have turns that go on side by side.
    pub(super) beside: bool,
    /// Where a seat's program is to be seen, and from when on.
    pub(super) panes: Vec<(usize, Instant, Eyes)>,
}

impl Truth {
    /// What the screen of a seat's program showed at this moment.
    pub(super) fn screen(&self, seat: usize, moment: Instant) -> Option<String> {
        let is_its = |(of, since, _): &&(usize, Instant, Eyes)| *of == seat && *since <= moment;
        let (.., eyes) = self.panes.iter().rfind(is_its)?;
        Some(eyes.at(moment))
    }

    /// The marks of one seat, in the order of time.
    pub(super) fn of(&self, seat: usize) -> Vec<&Mark> {
        let mut marks: Vec<&Mark> = self.marks.iter().filter(|mark| mark.seat == seat).collect();
        marks.sort_by_key(|mark| mark.at);
        marks
    }
}
