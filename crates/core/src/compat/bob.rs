//! Bob: where the session stands, where its workflow stands, and the words of its task board.

use super::State;
use super::scale::scale;
use crate::status::{ExitKind, Headline, OutcomeKind, Process, StartPhase, Turn};
use crate::workflow;

scale! {
    /// The session that the agent runs in.
    Session = "bob" {
        Provisioning = "provisioning",
        Starting = "starting",
        Running = "running",
        Idle = "idle",
        Stopping = "stopping",
        Stopped = "stopped",
        Completed = "completed",
        /// It ended behind a turn that had failed.
        Failed = "failed",
        /// It ended as it should not have.
        Error = "error",
    }
    read(session) {
        match session {
            Self::Provisioning => State::starting(StartPhase::Queued),
            Self::Starting => State::starting(StartPhase::Booting),
            Self::Running => State::working(),
            Self::Idle => State::idle(),
            Self::Stopping => State::process(Process::Stopping),
            Self::Stopped => State::exited(ExitKind::Unspecified),
            Self::Completed => State::exited(ExitKind::Clean),
            Self::Failed => State {
                outcome: Some(OutcomeKind::Failed),
                ..State::exited(ExitKind::Unspecified)
            },
            Self::Error => State::exited(ExitKind::Crashed),
        }
    }
    of(state) {
        Some(match state.process {
            Process::Starting { phase: StartPhase::Queued } => Self::Provisioning,
            Process::Starting { .. } => Self::Starting,
            Process::Stopping => Self::Stopping,
            Process::Absent | Process::Suspended => Self::Stopped,
            Process::Exited(exit) => match exit.kind {
                ExitKind::Crashed | ExitKind::OomKilled | ExitKind::Lost => Self::Error,
                _ if state.has_ended_failed() => Self::Failed,
                ExitKind::Clean => Self::Completed,
                ExitKind::Killed | ExitKind::Unspecified => Self::Stopped,
            },
            // Nobody is to be given work while a person is asked.
            Process::Running { .. } if state.headline() == Headline::Blocked => Self::Running,
            Process::Running { .. } if matches!(state.turn, Turn::Idle(_)) => Self::Idle,
            Process::Running { .. } | Process::Unknown => Self::Running,
        })
    }
}

scale! {
    /// The workflow that the agent reports. The turn is untouched by it.
    Stage = "bob.stage" {
        Started = "started",
        Working = "working",
        AwaitingInput = "awaiting_input",
        Blocked = "blocked",
        AwaitingReview = "awaiting_review",
        Completed = "completed",
    }
    read(stage) {
        let stage = match stage {
            Self::Started => workflow::Stage::Started,
            Self::Working => workflow::Stage::Working,
            Self::AwaitingInput => workflow::Stage::AwaitingInput,
            Self::Blocked => workflow::Stage::Blocked,
            Self::AwaitingReview => workflow::Stage::AwaitingReview,
            Self::Completed => workflow::Stage::Completed,
        };
        State { stage: Some(stage), ..State::working() }
    }
    of(state) {
        match state.stage? {
            workflow::Stage::Started => Some(Self::Started),
            workflow::Stage::Working => Some(Self::Working),
            workflow::Stage::AwaitingInput => Some(Self::AwaitingInput),
            workflow::Stage::Blocked => Some(Self::Blocked),
            workflow::Stage::AwaitingReview => Some(Self::AwaitingReview),
            workflow::Stage::Completed => Some(Self::Completed),
            // Only people set these, and there are no words for them.
            workflow::Stage::Paused | workflow::Stage::Failed | workflow::Stage::Cancelled => None,
        }
    }
}

/// The words of its task board. A task's status is a tracker's and passes through as it is.
pub const TASK: [&str; 4] = ["todo", "in_progress", "in_review", "done"];
