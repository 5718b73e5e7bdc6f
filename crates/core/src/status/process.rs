//! Dimension *process*: is the program there, and how did it go?

use crate::status::turn::words;
use serde::{Deserialize, Serialize};

/// The state of the process in a seat. Each variant carries only what is true in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Process {
    /// No process was ever started in this seat, or the last one was put away.
    Absent,
    Starting {
        phase: StartPhase,
    },
    Running {
        attach: Attach,
    },
    Stopping,
    /// Ended on purpose with a session to come back to.
    Suspended,
    Exited(Exit),
    /// It was known and can no longer be probed.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum StartPhase {
    Queued,
    Booting,
    Restoring,
}

/// Whether a person can type to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Attach {
    Interactive,
    Headless,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    pub kind: ExitKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExitKind {
    /// It said goodbye itself, or returned 0.
    Clean,
    /// A non-zero code, a signal nobody here sent, or gone without a goodbye.
    Crashed,
    OomKilled,
    /// headsup's own stop, or TERM, INT, HUP.
    Killed,
    /// Nothing says how it went: the machine was restarted, the container removed.
    Lost,
    Unspecified,
}

words!(ExitKind {
    Clean = "clean", Crashed = "crashed", OomKilled = "oom_killed", Killed = "killed",
    Lost = "lost", Unspecified = "unspecified",
});

/// What the exit code of a program tells that runs where nobody can type to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Returns {
    /// Nobody knows: one that dies in mid-turn may return anything.
    #[default]
    Anything,
    /// An error of its own; but whoever waits for it returns 1 also where it was killed.
    OneIfKilled,
    /// An error of its own.
    ItsOwn,
}

impl Exit {
    pub fn of(kind: ExitKind) -> Self {
        Self { kind, code: None, signal: None }
    }

    /// Did it end as nobody meant it to?
    pub fn is_crash(&self) -> bool {
        matches!(self.kind, ExitKind::Crashed | ExitKind::OomKilled | ExitKind::Lost)
    }

    /// By KILL, which the system uses as well; a shell whose child it was returns 137.
    pub fn was_killed(&self) -> bool {
        self.signal == Some(9) || (self.signal.is_none() && self.code == Some(137))
    }

    /// Did it return an error of its own? A shell returns 128 + the number of the signal that has ended its child.
    pub fn is_error(&self) -> bool {
        const SIGNALS: std::ops::RangeInclusive<i32> = 129..=143;
        let returned = self.code.is_some_and(|code| code != 0 && !SIGNALS.contains(&code));
        let is_its_own = matches!(self.kind, ExitKind::Clean | ExitKind::Crashed);
        returned && is_its_own && self.signal.is_none()
    }

    /// Reads a wait status. `said_goodbye`: the program announced its end before.
    pub fn from_wait(code: Option<i32>, signal: Option<i32>, said_goodbye: bool) -> Self {
        const HUP: i32 = 1;
        const INT: i32 = 2;
        const TERM: i32 = 15;
        // A shell whose child was ended by a signal returns 128 + its number.
        const SHELL: i32 = 128;
        let kind = match (code, signal) {
            (_, Some(HUP | INT | TERM)) => ExitKind::Killed,
            (Some(code), None) if [HUP, INT, TERM].contains(&(code - SHELL)) => ExitKind::Killed,
            (_, Some(_)) => ExitKind::Crashed,
            (Some(0), None) => ExitKind::Clean,
            (None, None) if said_goodbye => ExitKind::Clean,
            _ => ExitKind::Crashed,
        };
        Self { kind, code, signal }
    }
}

impl Process {
    pub fn is_running(self) -> bool {
        matches!(self, Self::Running { .. })
    }

    pub fn is_over(self) -> bool {
        matches!(self, Self::Exited(_) | Self::Suspended | Self::Absent)
    }

    /// Without what is only known of some ends: an exit code told later is no other end.
    #[must_use]
    pub fn in_short(self) -> Self {
        match self {
            Self::Exited(exit) => Self::Exited(Exit::of(exit.kind)),
            other => other,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Starting { .. } => "starting",
            Self::Running { .. } => "running",
            Self::Stopping => "stopping",
            Self::Suspended => "suspended",
            Self::Exited(_) => "exited",
            Self::Unknown => "unknown",
        }
    }

    /// Is a move from this state to `to` legal? Staying in the same state always is.
    pub fn may_become(self, to: Self) -> bool {
        use Process as P;
        if std::mem::discriminant(&self) == std::mem::discriminant(&to) {
            return true;
        }
        match self {
            // Discovery of a process that already runs: absent or put away to running.
            P::Absent => matches!(to, P::Starting { .. } | P::Running { .. }),
            P::Starting { .. } => matches!(to, P::Running { .. } | P::Exited(_) | P::Unknown),
            P::Running { .. } => {
                matches!(to, P::Stopping | P::Suspended | P::Exited(_) | P::Unknown)
            }
            P::Stopping => matches!(to, P::Suspended | P::Exited(_)),
            P::Suspended => matches!(to, P::Starting { .. } | P::Absent | P::Running { .. }),
            P::Exited(_) => matches!(to, P::Starting { .. } | P::Absent | P::Running { .. }),
            P::Unknown => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUNNING: Process = Process::Running { attach: Attach::Interactive };
    const BOOTING: Process = Process::Starting { phase: StartPhase::Booting };
    const EXITED: Process =
        Process::Exited(Exit { kind: ExitKind::Clean, code: Some(0), signal: None });

    #[test]
    fn every_pair_of_process_states_is_legal_or_not_as_designed() {
        use Process::{Absent, Stopping, Suspended, Unknown};
        let all = [Absent, BOOTING, RUNNING, Stopping, Suspended, EXITED, Unknown];
        let legal: &[(Process, &[Process])] = &[
            (Absent, &[BOOTING, RUNNING]),
            (BOOTING, &[RUNNING, EXITED, Unknown]),
            (RUNNING, &[Stopping, Suspended, EXITED, Unknown]),
            (Stopping, &[Suspended, EXITED]),
            (Suspended, &[BOOTING, Absent, RUNNING]),
            (EXITED, &[BOOTING, Absent, RUNNING]),
            (Unknown, &all),
        ];
        for (from, targets) in legal {
            for to in all {
                let expected = *from == to || targets.contains(&to);
                assert_eq!(from.may_become(to), expected, "{} -> {}", from.word(), to.word());
            }
        }
    }

    #[test]
    fn a_wait_status_says_how_it_ended() {
        let kind = |code, signal, bye| Exit::from_wait(code, signal, bye).kind;
        assert_eq!(kind(Some(0), None, false), ExitKind::Clean);
        assert_eq!(kind(Some(3), None, false), ExitKind::Crashed);
        assert_eq!(kind(None, Some(15), false), ExitKind::Killed);
        assert_eq!(kind(Some(143), None, false), ExitKind::Killed);
        assert_eq!(kind(Some(137), None, false), ExitKind::Crashed);
        assert_eq!(kind(None, Some(9), true), ExitKind::Crashed);
        assert_eq!(kind(None, None, true), ExitKind::Clean);
        assert_eq!(kind(None, None, false), ExitKind::Crashed);
    }

    #[test]
    fn an_error_is_what_a_program_returns_by_itself() {
        let is_error = |code, signal| Exit::from_wait(code, signal, false).is_error();
        for code in [1, 3, 53, 126, 144, 173, 255] {
            assert!(is_error(Some(code), None), "{code}");
            // It said goodbye before.
            assert!(Exit { code: Some(code), ..Exit::of(ExitKind::Clean) }.is_error(), "{code}");
            for kind in [ExitKind::Killed, ExitKind::OomKilled] {
                assert!(!Exit { code: Some(code), ..Exit::of(kind) }.is_error(), "{code}");
            }
        }
        for code in [0, 129, 130, 137, 139, 143] {
            assert!(!is_error(Some(code), None), "{code}");
        }
        assert!(!is_error(None, Some(9)) && !is_error(None, Some(6)) && !is_error(None, None));
    }
}
