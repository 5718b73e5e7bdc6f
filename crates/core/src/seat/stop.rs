//! How the main agent's stop is to be read.

use super::TurnFacts;
use crate::status::OutcomeKind;
use crate::time::UnixMs;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stop {
    /// It was told of the open turn, and what else runs at it may make the agent go on: the program's own status
    /// tells.
    pub is_told: bool,
    /// That has been so before: none is believed at once.
    pub is_late: bool,
    /// The end of the last helper that it leaves behind wakes the main agent.
    pub wakes: bool,
    /// A prompt of the program's own waits for it, and wakes the main agent at once.
    pub is_awaited: bool,
    /// So does a person's, with which the next turn begins at once.
    pub is_followed: bool,
    /// It was told while the terminal went on showing work: what a person has typed meanwhile may begin the next turn at
    /// once.
    pub is_doubted: bool,
    /// It was believed, and its status file has shown work for so long behind it that a turn was begun for that.
    pub was_believed: bool,
    /// Its log has told the end of the turn behind that, by its name.
    pub is_logged: bool,
    /// It was not told: the main agent rests, and its turn was cut short. Helpers go on behind it.
    pub is_cut: bool,
    /// So many prompts of the program's own wait for it, as far as they were told one by one.
    pub waiting: u8,
    /// So many helpers have ended of whose results no such prompt has told yet.
    pub owed: u8,
    /// When it was told last, or reported where it had to wait for a hub.
    #[serde(skip)]
    pub told_at: Option<UnixMs>,
}

impl Stop {
    pub(super) fn is_plain(&self) -> bool {
        Self { told_at: None, ..*self } == Self::default()
    }
}

impl TurnFacts {
    /// How the open turn has ended, once nothing goes on behind its main agent's stop.
    pub(crate) fn stopped_as(&self) -> OutcomeKind {
        if self.stop.is_cut { OutcomeKind::Interrupted } else { OutcomeKind::Completed }
    }

    /// Is a turn open whose main agent has not stopped?
    pub(crate) fn is_answering(&self) -> bool {
        self.open && !self.main_stopped
    }
}
