//! BooCode: the status of an agent in a chat, the events it is told by, and the frames it is shown
//! with.

mod call;
pub mod event;
pub mod frame;
mod name;
mod told;

pub use event::Meaning;
pub use frame::{AgentStatusReport, Frame, ReportAnswer, StatusUpdate};
pub use name::{AGENT_LABEL, CHAT_LABEL, ID_MARK, is_id, seat_id, seat_of};

use super::State;
use super::scale::scale;
use crate::event::{EventBody, StatusChange};
use crate::status::{BlockedReason, ExitKind, Headline, OutcomeKind, Process, Turn};
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
        Some(Self::with_reason(state).0)
    }
}

/// The reason of a failure of which nothing more is known.
const FAILED: &str = "failed";

/// What a status and its reason are told from.
struct Said<'a> {
    headline: Headline,
    exit: Option<ExitKind>,
    /// What it waits for.
    asks: Option<&'a str>,
    outcome: Option<(OutcomeKind, Option<&'a str>)>,
}

impl Status {
    fn of_headline(headline: Headline) -> Self {
        match headline {
            Headline::Blocked => Self::Blocked,
            Headline::Crashed | Headline::Failed => Self::Error,
            Headline::Working | Headline::Starting => Self::Working,
            Headline::Stopping | Headline::Unknown => Self::Working,
            Headline::Done | Headline::Review | Headline::Idle => Self::Idle,
            Headline::Suspended | Headline::Ended | Headline::Absent => Self::Idle,
        }
    }

    /// The word for a state, and what it does not tell: the reason beside it, in our own words.
    pub fn with_reason(state: &State) -> (Self, Option<String>) {
        let exit = match state.process {
            Process::Exited(exit) => Some(exit.kind),
            _ => None,
        };
        let asks = matches!(state.turn, Turn::Blocked(_)).then(|| state.turn.reason()).flatten();
        let outcome = state.outcome.map(|kind| (kind, state.code.as_deref()));
        told(&Said { headline: state.headline(), exit, asks, outcome })
    }

    /// The same for what a change leads to.
    pub fn of_change(to: &StatusChange) -> (Self, Option<String>) {
        let asks = to.turn.reason.as_deref().filter(|_| to.turn.state == "blocked");
        let outcome = to.outcome.as_ref().map(|outcome| (outcome.kind, outcome.code.as_deref()));
        told(&Said { headline: to.to, exit: to.process.kind, asks, outcome })
    }
}

fn told(said: &Said<'_>) -> (Status, Option<String>) {
    let failed = said.outcome.filter(|(kind, _)| *kind == OutcomeKind::Failed);
    // Behind a failure its end is no news.
    let has_failed = said.headline == Headline::Ended && failed.is_some();
    let headline = if has_failed { Headline::Failed } else { said.headline };
    let reason = match headline {
        Headline::Working => None,
        Headline::Blocked => Some(said.asks.unwrap_or("input")),
        Headline::Crashed => Some(said.exit.map_or("crashed", ExitKind::word)),
        Headline::Failed => Some(failed.and_then(|(_, code)| code).unwrap_or(FAILED)),
        // Whether somebody has looked makes no difference there.
        Headline::Done | Headline::Idle => said.outcome.map(|(kind, _)| kind.word()),
        other => Some(other.word()),
    };
    (Status::of_headline(headline), reason.map(str::to_owned))
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
