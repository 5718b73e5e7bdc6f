//! superset, from which BooCode took its map: what a pane shows, and how its agent left it.

use super::State;
use super::scale::scale;
use crate::status::{BlockedReason, ExitKind, Headline, OutcomeKind, Process};

scale! {
    /// What a pane shows.
    Status = "superset" {
        Working = "working",
        Permission = "permission",
        /// It has ended its turn and nobody has looked.
        Review = "review",
        Failed = "failed",
        Idle = "idle",
    }
    read(status) {
        match status {
            Self::Working => State::working(),
            Self::Permission => State::blocked(BlockedReason::Permission),
            Self::Review => State::unseen(OutcomeKind::Completed),
            Self::Failed => State::unseen(OutcomeKind::Failed),
            Self::Idle => State::idle(),
        }
    }
    of(state) {
        Some(match state.headline() {
            _ if state.has_ended_failed() => Self::Failed,
            Headline::Blocked => Self::Permission,
            Headline::Crashed | Headline::Failed => Self::Failed,
            Headline::Done | Headline::Review => Self::Review,
            Headline::Working | Headline::Starting => Self::Working,
            Headline::Stopping | Headline::Unknown => Self::Working,
            Headline::Idle | Headline::Suspended | Headline::Ended | Headline::Absent => Self::Idle,
        })
    }
}

scale! {
    /// How an agent left its pane, or came back to it.
    End = "superset.end" {
        Detached = "detached",
        /// It died there and can be taken up again.
        TerminalExited = "terminal-exited",
        /// A later incarnation goes on with it.
        Resumed = "resumed",
        Disposed = "disposed",
    }
    read(end) {
        match end {
            Self::Detached => State::exited(ExitKind::Clean),
            Self::TerminalExited => State::exited(ExitKind::Lost),
            Self::Resumed => State { incarnation: 2, ..State::idle() },
            Self::Disposed => State::exited(ExitKind::Killed),
        }
    }
    of(state) {
        match state.process {
            Process::Exited(exit) => Some(match exit.kind {
                ExitKind::Clean | ExitKind::Unspecified => Self::Detached,
                ExitKind::Crashed | ExitKind::OomKilled | ExitKind::Lost => Self::TerminalExited,
                ExitKind::Killed => Self::Disposed,
            }),
            Process::Running { .. } if state.incarnation > 1 => Some(Self::Resumed),
            _ => None,
        }
    }
}
