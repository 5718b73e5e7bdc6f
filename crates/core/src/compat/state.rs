//! What of an agent other systems have words for.

use crate::seat::Seat;
use crate::status::{
    Attach, BlockedReason, Exit, ExitKind, Headline, HeadlineFacts, IdleReason, OutcomeKind,
    Process, StartPhase, Turn, WorkingReason,
};
use crate::time::UnixMs;
use crate::verdict::Verdict;
use crate::workflow::Stage;

/// The dimensions of one agent at one moment, with what some words carry beside them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    pub process: Process,
    pub turn: Turn,
    pub outcome: Option<OutcomeKind>,
    /// Why the last turn failed, in the reporter's word.
    pub code: Option<String>,
    pub seen: bool,
    pub stage: Option<Stage>,
    /// What it last said of a task.
    pub verdict: Option<Verdict>,
    /// A person is asked, whatever the turn does.
    pub asked: bool,
    /// What the person is asked.
    pub prompt: Option<String>,
    /// Since when the headline is as it is.
    pub since: UnixMs,
    pub incarnation: u32,
    pub stale: bool,
    /// For how long no witness has confirmed it. Milliseconds.
    pub silent_ms: i64,
}

impl State {
    /// A seat as it is now.
    pub fn of(seat: &Seat, now: UnixMs) -> Self {
        let own = seat.own_prompts().next().map(|open| open.ask.title.clone());
        let parked = || seat.prompts.first().map(|open| open.ask.title.clone());
        let stage = seat.stage.as_ref();
        let asks = |stage: Stage| matches!(stage, Stage::AwaitingInput | Stage::Blocked);
        let told = || stage.filter(|status| asks(status.stage))?.message.clone();
        Self {
            process: seat.process.state,
            turn: seat.turn(),
            outcome: seat.outcome.as_ref().map(|outcome| outcome.kind),
            code: seat.outcome.as_ref().and_then(|outcome| outcome.code.clone()),
            seen: seat.seen(),
            stage: stage.map(|status| status.stage),
            verdict: seat.verdicts.last().map(|verdict| verdict.verdict),
            asked: !seat.prompts.is_empty(),
            prompt: own.or_else(parked).or_else(told),
            since: seat.headline_since,
            incarnation: seat.incarnation,
            stale: seat.stale,
            silent_ms: now.since(seat.turn.evidence.confirmed_at).max(0),
        }
    }

    /// The one word of ours.
    pub fn headline(&self) -> Headline {
        Headline::derive(HeadlineFacts {
            process: self.process,
            turn: self.turn,
            outcome: self.outcome,
            seen: self.seen,
            stage: self.stage,
            open_prompt: self.asked,
        })
    }

    /// Has it ended behind a turn that had failed? That its person has seen it makes no other end of it.
    pub fn has_ended_failed(&self) -> bool {
        self.headline() == Headline::Ended && self.outcome == Some(OutcomeKind::Failed)
    }

    /// A process in this state, without a turn.
    pub fn process(process: Process) -> Self {
        Self {
            process,
            turn: Turn::None,
            outcome: None,
            code: None,
            seen: true,
            stage: None,
            verdict: None,
            asked: false,
            prompt: None,
            since: UnixMs(0),
            incarnation: 1,
            stale: false,
            silent_ms: 0,
        }
    }

    /// An agent that runs where a person can type to it.
    pub fn running(turn: Turn) -> Self {
        let asked = matches!(turn, Turn::Blocked(_));
        let process = Process::Running { attach: Attach::Interactive };
        Self { turn, asked, ..Self::process(process) }
    }

    pub fn working() -> Self {
        Self::running(Turn::Working(WorkingReason::Model))
    }

    pub fn blocked(reason: BlockedReason) -> Self {
        Self::running(Turn::Blocked(reason))
    }

    pub fn idle() -> Self {
        Self::running(Turn::Idle(IdleReason::Ready))
    }

    /// Idle behind a turn whose end nobody has seen yet.
    pub fn unseen(outcome: OutcomeKind) -> Self {
        let idle = Self::running(Turn::Idle(IdleReason::TurnEnded));
        Self { outcome: Some(outcome), seen: false, ..idle }
    }

    /// It runs, and nobody says what it does.
    pub fn unknown() -> Self {
        Self::running(Turn::Unknown)
    }

    pub fn starting(phase: StartPhase) -> Self {
        Self::process(Process::Starting { phase })
    }

    pub fn exited(kind: ExitKind) -> Self {
        Self::process(Process::Exited(Exit::of(kind)))
    }
}
