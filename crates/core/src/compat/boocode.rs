//! BooCode: the status of an agent in a chat, the events it is told by, and the frames it is shown
//! with.

pub mod event;
pub mod frame;
mod name;

pub use event::Meaning;
pub use frame::{AgentStatusReport, Frame, ReportAnswer, StatusUpdate};
pub use name::{AGENT_LABEL, CHAT_LABEL, seat_id};

use super::scale::scale;
use super::{Scale as _, State};
use crate::event::EventBody;
use crate::status::{BlockedReason, Headline, OutcomeKind, Process, Turn};
use serde::{Deserialize, Serialize};

scale! {
    /// An agent in a chat.
    #[derive(Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
    #[cfg_attr(test, derive(ts_rs::TS), ts(rename = "AgentStatus"))]
    #[serde(rename_all = "snake_case")]
    Status = "boocode" {
        Working = "working",
        /// It waits for a person.
        Blocked = "blocked",
        Idle = "idle",
        /// Its turn failed, or it crashed: the reason tells.
        Error = "error",
    }
    read(status) {
        match status {
            Self::Working => State::working(),
            Self::Blocked => State::blocked(BlockedReason::Permission),
            Self::Idle => State::unseen(OutcomeKind::Completed),
            Self::Error => State::unseen(OutcomeKind::Failed),
        }
    }
    of(state) {
        Some(match state.headline() {
            Headline::Blocked => Self::Blocked,
            Headline::Crashed | Headline::Failed => Self::Error,
            Headline::Working | Headline::Starting => Self::Working,
            Headline::Stopping | Headline::Unknown => Self::Working,
            Headline::Done | Headline::Review | Headline::Idle => Self::Idle,
            Headline::Suspended | Headline::Ended | Headline::Absent => Self::Idle,
        })
    }
}

impl Status {
    /// The word for a state, which every state has, and what it does not tell: the reason beside
    /// it, in our own words.
    pub fn with_reason(state: &State) -> (Self, Option<String>) {
        let status = Self::of(state).unwrap_or(Self::Working);
        let headline = state.headline();
        let word = match (headline, state.process, state.turn) {
            (Headline::Crashed, Process::Exited(exit), _) => exit.kind.word(),
            (Headline::Failed, ..) => {
                return (status, Some(state.code.clone().unwrap_or_else(|| "failed".to_owned())));
            }
            (Headline::Blocked, _, Turn::Blocked(reason)) => reason.word(),
            (Headline::Blocked, ..) => "input",
            (Headline::Working, _, Turn::Working(reason)) => reason.word(),
            (Headline::Idle, ..) => match state.outcome {
                Some(outcome) => outcome.word(),
                None => return (status, None),
            },
            (headline, ..) => headline.word(),
        };
        (status, Some(word.to_owned()))
    }
}

/// What its helper makes of an event, for a client that plays sounds: the edges of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    Working,
    Blocked,
    Done,
}

impl Edge {
    pub const ALL: [Self; 3] = [Self::Working, Self::Blocked, Self::Done];

    pub fn word(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Blocked => "blocked",
            Self::Done => "done",
        }
    }

    /// The type of our event that it is.
    pub fn event_type(self) -> &'static str {
        match self {
            Self::Working => "turn.started",
            Self::Blocked => "prompt.opened",
            Self::Done => "turn.completed",
        }
    }

    /// `None` for events that are no edge of a turn.
    pub fn of(event: &EventBody) -> Option<Self> {
        Self::ALL.into_iter().find(|edge| edge.event_type() == event.kind())
    }
}
