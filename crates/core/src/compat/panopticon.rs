//! Panopticon: what an agent does, what a specialist found, and how long it has been silent.

mod wire;

pub use wire::{ActivityDoc, ActivityEntry, HeartbeatBody, ReportStatusBody, TakeUpBody};

use super::State;
use super::scale::scale;
use crate::status::{Headline, IdleReason, Process, Turn, WorkingReason};
use crate::verdict::Verdict;

const MINUTE_MS: i64 = 60_000;

scale! {
    /// What its hooks tell of an agent. Who is idle may be suspended or given work, so only that
    /// is idle here which is idle for certain.
    Activity = "panopticon" {
        Active = "active",
        Idle = "idle",
        /// Its session is kept, so that it can be taken up again.
        Suspended = "suspended",
        /// Nothing is there to tell of.
        Uninitialized = "uninitialized",
    }
    read(activity) {
        match activity {
            Self::Active => State::running(Turn::Working(WorkingReason::Tool)),
            Self::Idle => State::running(Turn::Idle(IdleReason::TurnEnded)),
            Self::Suspended => State::process(Process::Suspended),
            Self::Uninitialized => State::process(Process::Absent),
        }
    }
    of(state) {
        Some(match state.process {
            Process::Suspended => Self::Suspended,
            Process::Absent | Process::Exited(_) | Process::Starting { .. } => Self::Uninitialized,
            Process::Running { .. } | Process::Stopping | Process::Unknown => {
                let is_idle = matches!(state.turn, Turn::Idle(_));
                match state.headline() {
                    Headline::Blocked => Self::Active,
                    _ if is_idle && state.process.is_running() => Self::Idle,
                    _ => Self::Active,
                }
            }
        })
    }
}

scale! {
    /// What a specialist reports of a task.
    Report = "panopticon.report" {
        Passed = "passed",
        /// It found problems: nobody's turn is blocked by that.
        Blocked = "blocked",
        Failed = "failed",
        InProgress = "in-progress",
    }
    read(report) {
        State { verdict: Some(report.verdict()), ..State::idle() }
    }
    of(state) {
        Some(match state.verdict? {
            Verdict::Passed => Self::Passed,
            Verdict::Blocked => Self::Blocked,
            Verdict::Failed => Self::Failed,
            Verdict::InProgress => Self::InProgress,
        })
    }
}

impl Report {
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Passed => Verdict::Passed,
            Self::Blocked => Verdict::Blocked,
            Self::Failed => Verdict::Failed,
            Self::InProgress => Verdict::InProgress,
        }
    }
}

scale! {
    /// How long nobody has heard of it: 5, 15 and 30 minutes.
    Health = "panopticon.health" {
        Active = "active", Stale = "stale", Warning = "warning", Stuck = "stuck",
    }
    read(health) {
        let minutes = match health {
            Self::Active => 0,
            Self::Stale => 5,
            Self::Warning => 15,
            Self::Stuck => 30,
        };
        State { silent_ms: minutes * MINUTE_MS, ..State::working() }
    }
    of(state) {
        Some(match state.silent_ms / MINUTE_MS {
            ..5 => Self::Active,
            5..15 => Self::Stale,
            15..30 => Self::Warning,
            30.. => Self::Stuck,
        })
    }
}
