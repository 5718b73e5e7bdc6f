//! Overdeck, which Panopticon became: what an agent does, and what came of it.

use super::State;
use super::scale::scale;
use crate::status::{
    BlockedReason, ExitKind, Headline, IdleReason, OutcomeKind, Turn, WorkingReason,
};
use crate::workflow::Stage;

scale! {
    /// What it does.
    Activity = "overdeck" {
        Working = "working",
        Thinking = "thinking",
        Waiting = "waiting",
        Idle = "idle",
        Stopped = "stopped",
    }
    read(activity) {
        match activity {
            Self::Working => State::running(Turn::Working(WorkingReason::Tool)),
            Self::Thinking => State::working(),
            Self::Waiting => State::blocked(BlockedReason::Question),
            Self::Idle => State::idle(),
            Self::Stopped => State::exited(ExitKind::Unspecified),
        }
    }
    of(state) {
        Some(match state.headline() {
            Headline::Blocked => Self::Waiting,
            Headline::Crashed | Headline::Ended => Self::Stopped,
            Headline::Suspended | Headline::Absent => Self::Stopped,
            Headline::Starting | Headline::Stopping | Headline::Unknown => Self::Working,
            Headline::Working => match state.turn {
                Turn::Working(WorkingReason::Prompt | WorkingReason::Model) => Self::Thinking,
                Turn::Working(WorkingReason::Compacting | WorkingReason::Retrying) => {
                    Self::Thinking
                }
                _ => Self::Working,
            },
            Headline::Failed | Headline::Review | Headline::Done | Headline::Idle => Self::Idle,
        })
    }
}

scale! {
    /// What came of it.
    Resolution = "overdeck.resolution" {
        Working = "working",
        Done = "done",
        NeedsInput = "needs_input",
        /// It should go on and does not.
        Stuck = "stuck",
        /// The whole task, not only a turn.
        Completed = "completed",
        Unclear = "unclear",
        Abandoned = "abandoned",
        ApiError = "api_error",
    }
    read(resolution) {
        let ended = |outcome| State {
            outcome: Some(outcome),
            ..State::running(Turn::Idle(IdleReason::TurnEnded))
        };
        match resolution {
            Self::Working => State::working(),
            Self::Done => ended(OutcomeKind::Completed),
            Self::NeedsInput => State::blocked(BlockedReason::Question),
            Self::Stuck => State { stale: true, ..State::working() },
            Self::Completed => {
                State { stage: Some(Stage::Completed), ..ended(OutcomeKind::Completed) }
            }
            Self::Unclear => State::unknown(),
            Self::Abandoned => State { stage: Some(Stage::Cancelled), ..State::idle() },
            Self::ApiError => ended(OutcomeKind::Failed),
        }
    }
    of(state) {
        Some(match (state.headline(), state.stage, state.outcome) {
            (Headline::Blocked, ..) => Self::NeedsInput,
            (Headline::Crashed, ..) => Self::Stuck,
            (Headline::Working, ..) if state.stale => Self::Stuck,
            (Headline::Working | Headline::Starting | Headline::Stopping, ..) => Self::Working,
            (Headline::Unknown, ..) => Self::Unclear,
            (_, Some(Stage::Completed), _) => Self::Completed,
            (_, Some(Stage::Cancelled), _) => Self::Abandoned,
            (_, Some(Stage::Failed), _) => Self::Stuck,
            (.., Some(OutcomeKind::Failed)) => Self::ApiError,
            (.., Some(OutcomeKind::Completed)) => Self::Done,
            (.., Some(OutcomeKind::Aborted)) => Self::Abandoned,
            (.., Some(OutcomeKind::Interrupted) | None) => Self::Unclear,
        })
    }
}
