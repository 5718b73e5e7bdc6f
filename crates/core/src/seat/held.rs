//! What waits for its moment in a seat.

use crate::observation::Level;
use crate::prompt::{Actor, NewPrompt};
use crate::source::Source;
use crate::status::BlockedReason;
use crate::time::{UnixMs, stored};
use serde::{Deserialize, Serialize};

/// A fact that waits: the next observations decide whether it still holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Held {
    #[serde(with = "stored")]
    pub until: UnixMs,
    pub source: Source,
    pub name: String,
    pub what: HeldFact,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldFact {
    Prompt {
        actor: Actor,
        prompt: NewPrompt,
        /// A notice has told of it, which does not name it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        by_notice: bool,
    },
    Level(HeldLevel),
    /// The turn is over; how is still to be told.
    Over,
    /// The same without an answer: it failed or was interrupted.
    Unanswered,
    /// It has failed with this code, or, without one, was stopped; perhaps its program goes on by itself.
    Broken {
        code: Option<String>,
        detail: Option<String>,
    },
    /// An answer that calls nothing stands in the log; its hook is still to tell the end.
    Logged,
    /// The wait before another try of a request that has failed.
    AsksAgain,
    /// The conversation was left in mid-turn; whether the program leaves is still to be seen.
    Left,
    /// Something was said that may have been a goodbye.
    Goodbye,
    /// It has said goodbye in mid-turn; its launcher tells in a moment what it returns, and so how the turn has ended.
    Parted,
    /// A dialog went away; perhaps another one follows.
    Answered,
    /// The program has taken back what it said of its status; perhaps it says something else, or leaves.
    TakenBack,
}

impl HeldFact {
    /// Does it tell of the end of the open turn?
    pub(crate) fn is_turns_end(&self) -> bool {
        matches!(self, Self::Over | Self::Unanswered | Self::Broken { .. } | Self::Logged)
    }

    /// Does it say nothing any more once the open turn has ended?
    pub(crate) fn is_over_with_turn(&self) -> bool {
        self.is_turns_end() || *self == Self::AsksAgain
    }
}

/// A level that contradicts a fresher edge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldLevel {
    Idle { shells: u32 },
    Done,
    Working,
    Blocked { reason: BlockedReason, detail: Option<String> },
    Failed { code: String },
}

impl From<&Level> for HeldLevel {
    fn from(level: &Level) -> Self {
        match level {
            Level::Idle { shells } => Self::Idle { shells: *shells },
            // Neither waits as it is: the one is what comes of it here, the other is not believed.
            Level::Elsewhere | Level::MayBeUnready { .. } => Self::Idle { shells: 0 },
            Level::Done => Self::Done,
            Level::Working { .. } => Self::Working,
            Level::Blocked { reason, detail } => {
                Self::Blocked { reason: *reason, detail: detail.clone() }
            }
            Level::Failed { code } => Self::Failed { code: code.clone() },
        }
    }
}
