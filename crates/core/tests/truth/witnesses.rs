//! Who tells of what really happens, how late, how often and in which order.

use crate::reference::{Real, Truth};
use headsup_core::id::ProcessId;
use headsup_core::observation::{
    Background, Delivery, Fact, Level, Observation, ProcessFact, SessionEnd, SessionStart,
    Submitter,
};
use headsup_core::prompt::{Actor, NewPrompt, PromptKind, ToolRef};
use headsup_core::source::Source;
use headsup_core::status::{BlockedReason, Exit, ExitKind};
use headsup_core::time::UnixMs;
use proptest::prelude::*;

/// Which sources there are beside hooks, transcript and process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Present {
    registry: bool,
    server: bool,
}

impl Present {
    pub(crate) fn own_status(self) -> bool {
        self.registry || self.server
    }
}

pub(crate) fn present() -> impl Strategy<Value = Present> {
    (any::<bool>(), any::<bool>()).prop_map(|(registry, server)| Present { registry, server })
}

/// How the evidence of one transition travels.
#[derive(Clone, Debug)]
pub(crate) struct Chance {
    /// Delays in milliseconds, one per witness.
    delays: [i64; 6],
    /// Which witnesses tell twice, a moment later.
    doubled: [bool; 6],
    pub(crate) restart: bool,
    /// A hook that the agent does not wait for comes only with the next change.
    pub(crate) late: bool,
}

pub(crate) fn chance() -> impl Strategy<Value = Chance> {
    let delays = prop::array::uniform6(0_i64..240);
    (delays, any::<[bool; 6]>(), prop::bool::weighted(0.15), any::<bool>())
        .prop_map(|(delays, doubled, restart, late)| Chance { delays, doubled, restart, late })
}

const HOOK: usize = 0;
const REGISTRY: usize = 1;
const SERVER: usize = 2;
const TRANSCRIPT: usize = 3;
const PROCESS: usize = 4;
/// A hook that the agent does not wait for.
const UNAWAITED: usize = 5;

/// Everything that is told of one transition, in the order it arrives.
pub(crate) fn of(
    real: Real,
    before: &Truth,
    after: &Truth,
    present: Present,
    chance: &Chance,
    at: UnixMs,
) -> Vec<Observation> {
    let mut told: Vec<(usize, Source, Fact)> = Vec::new();
    if let Some(fact) = hook(real, before, after) {
        let witness = if real == Real::ToolStart { UNAWAITED } else { HOOK };
        told.push((witness, Source::Hook, fact));
    }
    if let Some(level) = level(real, after) {
        if present.registry {
            told.push((REGISTRY, Source::Registry, Fact::Level(level.clone())));
        }
        if present.server {
            told.push((SERVER, Source::AppServer, Fact::Level(level)));
        }
    }
    if matches!(real, Real::Escape | Real::Deny) {
        let fact = Fact::TurnInterrupted { turn_ref: None };
        told.push((TRANSCRIPT, Source::Transcript, fact));
    }
    if let Some(fact) = process(real) {
        told.push((PROCESS, Source::Process, fact));
    }
    let session = Some(format!("s{}", after.session));
    let id = ProcessId::new(after.session, u64::from(after.session));
    let mut observations = Vec::new();
    for (witness, source, fact) in told {
        let observation = Observation {
            at: at.plus(chance.delays[witness]),
            delivery: Delivery::Live,
            source,
            session: session.clone(),
            process: Some(id.clone()),
            made_at: None,
            name: format!("{real:?}"),
            fact,
        };
        if chance.doubled[witness] {
            observations.push(Observation { at: observation.at.plus(50), ..observation.clone() });
        }
        observations.push(observation);
    }
    observations.sort_by_key(|observation| observation.at);
    observations
}

fn turn_ref(truth: &Truth) -> Option<String> {
    Some(format!("t{}", truth.turn))
}

fn call(number: u32) -> ToolRef {
    let input = Some(u64::from(number));
    ToolRef { name: "Bash".into(), id: Some(format!("c{number}")), input }
}

fn hook(real: Real, before: &Truth, after: &Truth) -> Option<Fact> {
    let turn_ref = turn_ref(after);
    Some(match real {
        Real::Start => Fact::SessionStarted { how: SessionStart::Startup, attach: None },
        Real::Prompt => Fact::PromptSubmitted { by: Submitter::Person, turn_ref },
        Real::ToolStart => {
            let tool = call(after.tools);
            Fact::ToolStarted { actor: Actor::Main, tool, turn_ref }
        }
        Real::ToolEnd => {
            let actor = match before.by_helper {
                true => Actor::Sub("h".into()),
                false => Actor::Main,
            };
            let tools = vec![call(before.tool?)];
            Fact::ToolsEnded { actor, tools, interrupted: false, turn_ref }
        }
        Real::Ask => asks(Actor::Main, after.tool?),
        Real::HelperAsks => asks(Actor::Sub("h".into()), after.tool?),
        Real::Finish => Fact::TurnEnded { background: Background::default(), turn_ref },
        Real::Fail => Fact::TurnFailed { code: "overloaded".into(), detail: None, turn_ref },
        Real::Exit => Fact::SessionEnded { how: SessionEnd::Exit },
        Real::Unannounced | Real::Grant | Real::Deny | Real::Escape | Real::Kill => return None,
    })
}

fn asks(actor: Actor, number: u32) -> Fact {
    let prompt = NewPrompt {
        kind: PromptKind::Permission,
        reason: BlockedReason::Permission,
        key: None,
        tool: Some(ToolRef { id: None, ..call(number) }),
        title: "Bash".into(),
        body: None,
        options: Vec::new(),
        multi_select: false,
        answerable: Vec::new(),
    };
    Fact::PromptOpened { actor, prompt, settle_ms: 0, turn_ref: None }
}

/// What the program's own status shows after a change; `None` where it does not move.
fn level(real: Real, after: &Truth) -> Option<Level> {
    match real {
        Real::ToolStart | Real::Kill | Real::Exit => None,
        Real::ToolEnd if after.turn_open => None,
        _ if !after.running() => None,
        _ if after.blocked => {
            Some(Level::Blocked { reason: BlockedReason::Permission, detail: None })
        }
        _ if after.turn_open => Some(Level::Working { reason: None }),
        _ => Some(Level::Idle { shells: 0 }),
    }
}

fn process(real: Real) -> Option<Fact> {
    let exit = match real {
        Real::Kill => Exit::of(ExitKind::Crashed),
        Real::Exit => Exit { kind: ExitKind::Clean, code: Some(0), signal: None },
        _ => return None,
    };
    Some(Fact::Process(ProcessFact::Exited(exit)))
}
