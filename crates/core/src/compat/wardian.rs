//! Wardian: the roster's status, whether input is taken, and how a request was replied to.

use super::State;
use super::scale::scale;
use crate::status::{
    Attach, BlockedReason, ExitKind, Headline, OutcomeKind, Process, StartPhase, Turn,
};
use crate::verdict::Verdict;

scale! {
    /// As its roster shows it.
    Status = "wardian" {
        Idle = "Idle",
        Processing = "Processing...",
        ActionNeeded = "Action Needed",
        Starting = "Starting",
        Restoring = "Restoring",
        Pending = "Pending...",
        Off = "Off",
        /// A conversation goes on without a terminal.
        Headless = "Headless",
        Error = "Error",
        Unknown = "unknown",
    }
    read(status) {
        match status {
            Self::Idle => State::idle(),
            Self::Processing => State::working(),
            Self::ActionNeeded => State::blocked(BlockedReason::Permission),
            Self::Starting => State::starting(StartPhase::Booting),
            Self::Restoring => State::starting(StartPhase::Restoring),
            Self::Pending => State::starting(StartPhase::Queued),
            Self::Off => State::exited(ExitKind::Unspecified),
            Self::Headless => {
                State { process: Process::Running { attach: Attach::Headless }, ..State::working() }
            }
            Self::Error => State::unseen(OutcomeKind::Failed),
            Self::Unknown => State::unknown(),
        }
    }
    of(state) {
        Some(match (state.headline(), state.process) {
            (Headline::Blocked, _) => Self::ActionNeeded,
            (Headline::Crashed | Headline::Failed, _) => Self::Error,
            (Headline::Ended, _) if state.has_ended_failed() => Self::Error,
            (Headline::Working, Process::Running { attach: Attach::Headless }) => Self::Headless,
            (Headline::Working | Headline::Stopping, _) => Self::Processing,
            (_, Process::Starting { phase: StartPhase::Booting }) => Self::Starting,
            (_, Process::Starting { phase: StartPhase::Restoring }) => Self::Restoring,
            (_, Process::Starting { phase: StartPhase::Queued }) => Self::Pending,
            (Headline::Ended | Headline::Suspended | Headline::Absent, _) => Self::Off,
            (Headline::Unknown | Headline::Starting, _) => Self::Unknown,
            (Headline::Idle | Headline::Done | Headline::Review, _) => Self::Idle,
        })
    }
}

scale! {
    /// Whether it takes what is sent to it.
    Input = "wardian.input" {
        Unknown = "unknown",
        Booting = "booting",
        Ready = "ready",
        Busy = "busy",
        ActionRequired = "action_required",
        Unavailable = "unavailable",
    }
    read(input) {
        match input {
            Self::Unknown => State::unknown(),
            Self::Booting => State::starting(StartPhase::Booting),
            Self::Ready => State::idle(),
            Self::Busy => State::working(),
            Self::ActionRequired => State::blocked(BlockedReason::Permission),
            Self::Unavailable => State::exited(ExitKind::Unspecified),
        }
    }
    of(state) {
        Some(match (state.process, state.turn) {
            (process, _) if process.is_over() || process == Process::Stopping => Self::Unavailable,
            (_, Turn::Blocked(_)) => Self::ActionRequired,
            (Process::Starting { .. }, _) => Self::Booting,
            (Process::Unknown, _) | (_, Turn::None | Turn::Unknown) => Self::Unknown,
            (_, Turn::Working(_)) => Self::Busy,
            (_, Turn::Idle(_)) => Self::Ready,
        })
    }
}

scale! {
    /// How a request was replied to: a verdict on it.
    Reply = "wardian.reply" { Done = "done", Blocked = "blocked", Failed = "failed" }
    read(reply) {
        let verdict = match reply {
            Self::Done => Verdict::Passed,
            Self::Blocked => Verdict::Blocked,
            Self::Failed => Verdict::Failed,
        };
        State { verdict: Some(verdict), ..State::idle() }
    }
    of(state) {
        match state.verdict? {
            Verdict::InProgress => None,
            Verdict::Passed => Some(Self::Done),
            Verdict::Blocked => Some(Self::Blocked),
            Verdict::Failed => Some(Self::Failed),
        }
    }
}
