//! multicode: what the session does, and where the automation of its workspace stands.

use super::State;
use super::scale::scale;
use crate::status::{BlockedReason, Headline, OutcomeKind, StartPhase};
use crate::workflow::Stage;

scale! {
    /// The session's status, its helpers counted in.
    Session = "multicode" { Idle = "Idle", Busy = "Busy", Question = "Question" }
    read(session) {
        match session {
            Self::Idle => State::idle(),
            Self::Busy => State::working(),
            Self::Question => State::blocked(BlockedReason::Question),
        }
    }
    of(state) {
        Some(match state.headline() {
            Headline::Blocked => Self::Question,
            Headline::Working | Headline::Starting => Self::Busy,
            Headline::Stopping | Headline::Unknown => Self::Busy,
            _ => Self::Idle,
        })
    }
}

scale! {
    /// What the automation of a workspace waits for.
    Automation = "multicode.automation" {
        Working = "Working",
        WaitingOnVm = "WaitingOnVm",
        Question = "Question",
        Review = "Review",
        Idle = "Idle",
        /// Nobody knows any more what it does.
        Stale = "Stale",
    }
    read(automation) {
        match automation {
            Self::Working => State::working(),
            Self::WaitingOnVm => State::starting(StartPhase::Queued),
            Self::Question => State::blocked(BlockedReason::Question),
            Self::Review => State {
                stage: Some(Stage::AwaitingReview),
                ..State::unseen(OutcomeKind::Completed)
            },
            Self::Idle => State::idle(),
            Self::Stale => State { stale: true, ..State::unknown() },
        }
    }
    of(state) {
        let awaits_review = state.stage == Some(Stage::AwaitingReview);
        Some(match state.headline() {
            Headline::Blocked => Self::Question,
            Headline::Starting => Self::WaitingOnVm,
            // What was handed in waits, whatever has become of its agent meanwhile.
            Headline::Unknown | Headline::Suspended | Headline::Ended | Headline::Absent
                if awaits_review =>
            {
                Self::Review
            }
            Headline::Crashed | Headline::Unknown => Self::Stale,
            Headline::Working if state.stale => Self::Stale,
            Headline::Working | Headline::Stopping => Self::Working,
            Headline::Review => Self::Review,
            Headline::Done | Headline::Failed | Headline::Idle => Self::Idle,
            Headline::Suspended | Headline::Ended | Headline::Absent => Self::Idle,
        })
    }
}
