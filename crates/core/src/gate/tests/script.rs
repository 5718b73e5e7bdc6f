//! A seat under test and short words for what may happen to it.

use crate::gate::{self, Decision, Rule};
use crate::id::{AgentId, ProcessId};
use crate::observation::{
    Background, Delivery, Fact, Level, Observation, SessionEnd, SessionStart, Submitter,
};
use crate::prompt::{Actor, Answerable, NewPrompt, PromptKind, ToolRef};
use crate::seat::Seat;
use crate::source::Source;
use crate::status::{BlockedReason, Headline};
use crate::time::UnixMs;
use crate::wire::ExplainDoc;

/// A seat, a clock that only the test moves, and everything that was published.
pub(crate) struct Script {
    pub(crate) seat: Seat,
    pub(crate) now: UnixMs,
    pub(crate) session: Option<String>,
    pub(crate) process: Option<ProcessId>,
    /// When the program says that it makes what it says.
    pub(crate) made_at: Option<UnixMs>,
    pub(crate) delivery: Delivery,
    pub(crate) published: Vec<&'static str>,
    pub(crate) last: Decision,
}

impl Script {
    pub(crate) fn new() -> Self {
        let now = UnixMs(1_000_000);
        let id = AgentId::new("a").unwrap();
        Self {
            seat: Seat::new(id, "agent", Source::Hook, now),
            now,
            session: Some("s1".into()),
            process: None,
            made_at: None,
            delivery: Delivery::Live,
            published: Vec::new(),
            last: Decision::default(),
        }
    }

    /// A seat that sits at its prompt.
    pub(crate) fn idle() -> Self {
        let mut script = Self::new();
        script.hook(start(SessionStart::Startup));
        assert_eq!(script.headline(), Headline::Idle);
        script.published.clear();
        script
    }

    /// A seat in its first turn, `t1`.
    pub(crate) fn working() -> Self {
        let mut script = Self::idle();
        script.hook(prompt("t1"));
        assert_eq!(script.headline(), Headline::Working);
        script.published.clear();
        script
    }

    /// The main agent asks for permission to run `Bash` with input 7.
    pub(crate) fn blocked() -> Self {
        let mut script = Self::working();
        script.hook(tool(&Actor::Main, "c1", 7));
        script.hook(permission(&Actor::Main, 7));
        assert_eq!(script.headline(), Headline::Blocked);
        script.published.clear();
        script
    }

    pub(crate) fn after(&mut self, ms: i64) -> &mut Self {
        self.now = self.now.plus(ms);
        self
    }

    pub(crate) fn said(&mut self, source: Source, fact: Fact) -> &Decision {
        self.now = self.now.plus(10);
        let observation = Observation {
            at: self.now,
            delivery: self.delivery,
            source,
            session: self.session.clone(),
            process: self.process.clone(),
            made_at: self.made_at,
            name: "test".into(),
            fact,
        };
        let decision = gate::admit(&mut self.seat, &observation);
        self.note(decision)
    }

    pub(crate) fn hook(&mut self, fact: Fact) -> &Decision {
        self.said(Source::Hook, fact)
    }

    pub(crate) fn registry(&mut self, level: Level) -> &Decision {
        self.said(Source::Registry, Fact::Level(level))
    }

    pub(crate) fn log(&mut self, fact: Fact) -> &Decision {
        self.said(Source::Transcript, fact)
    }

    pub(crate) fn tick(&mut self, ms: i64) -> &Decision {
        self.now = self.now.plus(ms);
        let decision = gate::tick(&mut self.seat, self.now);
        self.note(decision)
    }

    fn note(&mut self, decision: Decision) -> &Decision {
        self.published.extend(decision.events.iter().map(crate::event::EventBody::kind));
        self.last = decision;
        &self.last
    }

    pub(crate) fn headline(&self) -> Headline {
        self.seat.headline()
    }

    pub(crate) fn phrase(&self) -> String {
        self.seat.turn().phrase()
    }

    pub(crate) fn explained(&self) -> ExplainDoc {
        let history = self.seat.history.as_deref().cloned().unwrap_or_default();
        self.seat.explain(&history, self.now)
    }

    pub(crate) fn outcome(&self) -> Option<&'static str> {
        self.seat.outcome.as_ref().map(|outcome| outcome.kind.word())
    }

    #[track_caller]
    pub(crate) fn refused(&self, rule: Rule) {
        assert_eq!(self.last.refused.as_ref().map(|refusal| refusal.rule), Some(rule));
        assert!(self.last.events.is_empty(), "{:?}", self.last.events);
    }

    #[track_caller]
    pub(crate) fn silent(&self) {
        assert!(self.last.events.is_empty(), "{:?}", self.last.events);
    }

    pub(crate) fn count(&self, kind: &str) -> usize {
        self.published.iter().filter(|published| **published == kind).count()
    }
}

pub(crate) fn start(how: SessionStart) -> Fact {
    Fact::SessionStarted { how, attach: None }
}

pub(crate) fn exit() -> Fact {
    Fact::SessionEnded { how: SessionEnd::Exit }
}

pub(crate) fn prompt(turn: &str) -> Fact {
    Fact::PromptSubmitted { by: Submitter::Person, turn_ref: Some(turn.into()) }
}

pub(crate) fn wake(turn: &str) -> Fact {
    Fact::PromptSubmitted { by: Submitter::Program, turn_ref: Some(turn.into()) }
}

pub(crate) fn sub(id: &str) -> Actor {
    Actor::Sub(id.into())
}

fn call(id: &str, input: u64) -> ToolRef {
    ToolRef { name: "Bash".into(), id: Some(id.into()), input: Some(input) }
}

pub(crate) fn tool(actor: &Actor, id: &str, input: u64) -> Fact {
    let turn_ref = None;
    Fact::ToolStarted { actor: actor.clone(), tool: call(id, input), turn_ref }
}

pub(crate) fn tool_of(turn: &str, id: &str) -> Fact {
    let turn_ref = Some(turn.to_owned());
    Fact::ToolStarted { actor: Actor::Main, tool: call(id, 0), turn_ref }
}

pub(crate) fn tool_end(actor: &Actor, id: &str, input: u64) -> Fact {
    let tools = vec![call(id, input)];
    Fact::ToolsEnded { actor: actor.clone(), tools, interrupted: false, turn_ref: None }
}

pub(crate) fn permission(actor: &Actor, input: u64) -> Fact {
    settling_permission(actor, input, 0)
}

pub(crate) fn settling_permission(actor: &Actor, input: u64, settle_ms: u32) -> Fact {
    let tool = Some(ToolRef { name: "Bash".into(), id: None, input: Some(input) });
    let prompt = NewPrompt {
        kind: PromptKind::Permission,
        reason: BlockedReason::Permission,
        key: None,
        tool,
        title: format!("Bash: input {input}"),
        body: None,
        options: Vec::new(),
        multi_select: false,
        answerable: vec![Answerable::Terminal],
    };
    Fact::PromptOpened { actor: actor.clone(), prompt, settle_ms, turn_ref: None }
}

pub(crate) fn stop_without_a_name() -> Fact {
    Fact::TurnEnded { background: Background::default(), turn_ref: None }
}

pub(crate) fn stop(turn: &str) -> Fact {
    stop_with(turn, &[], 0)
}

pub(crate) fn stop_with(turn: &str, subagents: &[&str], shells: u32) -> Fact {
    let subagents = subagents.iter().map(|id| (*id).to_owned()).collect();
    Fact::TurnEnded {
        background: Background { subagents, shells, ..Background::default() },
        turn_ref: Some(turn.to_owned()),
    }
}

pub(crate) fn unlisted_stop(turn: &str) -> Fact {
    Fact::TurnEnded { background: Background::unlisted(), turn_ref: Some(turn.to_owned()) }
}

pub(crate) fn fail(turn: &str, code: &str) -> Fact {
    let turn_ref = Some(turn.to_owned());
    Fact::TurnFailed { code: code.into(), detail: None, turn_ref }
}

pub(crate) fn busy() -> Level {
    Level::Working { reason: None }
}

pub(crate) fn at_rest() -> Level {
    Level::Idle { shells: 0 }
}

pub(crate) fn waiting() -> Level {
    Level::Blocked { reason: BlockedReason::Permission, detail: None }
}
