//! jackin: the status of a container's agent, with what some words carry; and its later public
//! words, where what is done is what nobody has seen.

use super::State;
use super::scale::scale;
use crate::status::{
    BlockedReason, Exit, ExitKind, Headline, OutcomeKind, Process, StartPhase, Turn,
};
use crate::time::UnixMs;

/// What a shell adds to a signal's number to make an exit code of it.
const SIGNALS: i32 = 128;

scale! {
    /// Its first vocabulary. `Busy`, `Question` and `Crashed` carry [`Fields`].
    Status = "jackin" {
        Initializing = "Initializing",
        Idle = "Idle",
        Busy = "Busy",
        Question = "Question",
        Crashed = "Crashed",
        OomKilled = "OomKilled",
        Unknown = "Unknown",
    }
    read(status) {
        match status {
            Self::Initializing => State::starting(StartPhase::Booting),
            Self::Idle => State::idle(),
            Self::Busy => State::working(),
            Self::Question => State::blocked(BlockedReason::Question),
            Self::Crashed => State::exited(ExitKind::Crashed),
            Self::OomKilled => State::exited(ExitKind::OomKilled),
            Self::Unknown => State::unknown(),
        }
    }
    of(state) {
        Some(match (state.headline(), state.process) {
            (Headline::Crashed, Process::Exited(Exit { kind: ExitKind::OomKilled, .. })) => {
                Self::OomKilled
            }
            (Headline::Crashed, _) => Self::Crashed,
            (Headline::Blocked, _) => Self::Question,
            (Headline::Starting, _) => Self::Initializing,
            (Headline::Working | Headline::Stopping, _) => Self::Busy,
            (Headline::Unknown | Headline::Absent, _) => Self::Unknown,
            // A process that has ended leaves a shell behind, which is idle.
            (Headline::Ended | Headline::Suspended, _) => Self::Idle,
            (Headline::Failed | Headline::Review | Headline::Done | Headline::Idle, _) => {
                Self::Idle
            }
        })
    }
}

/// What a word carries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// `Busy` and `Question`: since when.
    pub since: Option<UnixMs>,
    /// `Question`: what is asked.
    pub prompt: Option<String>,
    /// `Crashed`: the code it returned, or 128 and the signal's number. `None`: nobody knows.
    pub exit_code: Option<i32>,
}

impl Fields {
    /// What the word for this state carries.
    pub fn of(state: &State) -> Self {
        use super::Scale as _;
        let since = Some(state.since);
        match (Status::of(state), state.process) {
            (Some(Status::Busy), _) => Self { since, ..Self::default() },
            (Some(Status::Question), _) => {
                let prompt = Some(state.prompt.clone().unwrap_or_default());
                Self { since, prompt, exit_code: None }
            }
            (Some(Status::Crashed), Process::Exited(exit)) => {
                let by_signal = exit.signal.map(|signal| SIGNALS + signal);
                Self { exit_code: exit.code.or(by_signal), ..Self::default() }
            }
            _ => Self::default(),
        }
    }

    /// The word with what it carries, in our dimensions.
    pub fn read(&self, status: Status) -> State {
        use super::Scale as _;
        let mut state = status.read();
        state.since = self.since.unwrap_or(state.since);
        state.prompt.clone_from(&self.prompt);
        if let Process::Exited(exit) = &mut state.process {
            exit.code = self.exit_code;
        }
        state
    }
}

scale! {
    /// Its later public words.
    Public = "jackin.public" {
        Working = "working",
        Blocked = "blocked",
        /// It has ended its turn, or has crashed, and nobody has looked.
        Done = "done",
        Idle = "idle",
        Unknown = "unknown",
    }
    read(public) {
        match public {
            Self::Working => State::working(),
            Self::Blocked => State::blocked(BlockedReason::Permission),
            Self::Done => State::unseen(OutcomeKind::Completed),
            Self::Idle => State::idle(),
            Self::Unknown => State::unknown(),
        }
    }
    of(state) {
        Some(match state.headline() {
            Headline::Blocked => Self::Blocked,
            Headline::Working | Headline::Starting | Headline::Stopping => Self::Working,
            Headline::Unknown | Headline::Absent => Self::Unknown,
            // A process that is gone leaves a shell behind, which is idle. It has no word for a crash, either.
            Headline::Crashed if !state.seen => Self::Done,
            Headline::Ended if state.has_ended_failed() && !state.seen => Self::Done,
            Headline::Ended | Headline::Suspended | Headline::Crashed => Self::Idle,
            Headline::Done | Headline::Failed | Headline::Review | Headline::Idle => {
                let idle = matches!(state.turn, Turn::Idle(_));
                // Whoever stops a turn is there and sees it. There is no word for one that failed.
                let stopped = state.outcome == Some(OutcomeKind::Interrupted);
                let is_new = idle && !state.seen && state.outcome.is_some() && !stopped;
                if is_new { Self::Done } else { Self::Idle }
            }
        })
    }
}

scale! {
    /// What lies over the public word: it should go on and nobody confirms that it does.
    Overlay = "jackin.overlay" { Stuck = "stuck" }
    read(_stuck) {
        State { stale: true, ..State::working() }
    }
    of(state) {
        (state.stale && state.headline() == Headline::Working).then_some(Self::Stuck)
    }
}
