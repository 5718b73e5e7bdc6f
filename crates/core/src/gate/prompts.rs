//! The blocked set: one entry per open prompt and actor (G4, G12).

use super::{Effect, Refusal, Rule, Step, refuse, turn};
use crate::event::EventBody;
use crate::prompt::{Actor, NewPrompt, OpenPrompt, PromptKind, Resolution, ToolRef};
use crate::seat::{Held, HeldFact, HeldLevel};
use crate::source::Tier;
use crate::status::{BlockedReason, Process, Turn, WorkingReason};
use crate::wire::PromptDoc;

/// Milliseconds a request may settle at most before it is published (G12).
const LONGEST_SETTLING_MS: u32 = 1_500;

pub(super) fn opened(
    step: &mut Step<'_>,
    name: &str,
    actor: &Actor,
    prompt: &NewPrompt,
    settle_ms: u32,
) -> Result<Effect, Refusal> {
    if let Some(open) = step.seat.prompts.iter_mut().find(|open| is_same(open, actor, prompt)) {
        if open.ask.tool.is_none() && prompt.tool.is_some() {
            // A level showed it first, without its words.
            open.ask = prompt.clone();
            step.changed = true;
            enrich(step);
        }
        return Ok(Effect::Confirms);
    }
    let is_waiting = |held: &Held| match &held.what {
        HeldFact::Prompt { actor: held_actor, prompt: held } => {
            held_actor == actor && held.tool == prompt.tool && held.kind == prompt.kind
        }
        HeldFact::Level(_) => false,
    };
    if step.seat.held.iter().any(is_waiting) {
        return Ok(Effect::Confirms);
    }
    if settle_ms > 0 {
        let until = step.now.plus(i64::from(settle_ms.min(LONGEST_SETTLING_MS)));
        let what = HeldFact::Prompt { actor: actor.clone(), prompt: prompt.clone() };
        let source = step.evidence.source;
        step.seat.held.push(Held { until, source, name: name.to_owned(), what });
        step.changed = true;
        return Ok(Effect::Outranked("held for a moment: the agent may approve it itself (G12)"));
    }
    open(step, actor, prompt);
    Ok(Effect::Decides)
}

/// The same prompt told again: same actor, and the same key, call, or, where neither is
/// carried, kind. An anonymous one of the same actor is the one a level showed.
fn is_same(open: &OpenPrompt, actor: &Actor, prompt: &NewPrompt) -> bool {
    if open.ask.kind == PromptKind::Input {
        return false;
    }
    let anonymous = open.ask.tool.is_none() && open.ask.key.is_none();
    if anonymous && open.source.tier() == Tier::Own {
        // A level does not say whose prompt it is.
        return true;
    }
    if open.actor != *actor || open.ask.kind != prompt.kind || open.ask.key != prompt.key {
        return false;
    }
    match (&open.ask.tool, &prompt.tool) {
        (Some(open), Some(said)) => open.name == said.name && open.input == said.input,
        (None, None) => true,
        _ => false,
    }
}

fn enrich(step: &mut Step<'_>) {
    let agent = Box::new(step.seat.doc());
    step.emit(EventBody::Updated { agent });
}

/// Publishes a prompt.
pub(super) fn open(step: &mut Step<'_>, actor: &Actor, prompt: &NewPrompt) {
    let starting = matches!(step.seat.process.state, Process::Starting { .. });
    if !starting {
        step.ensure_running(None);
        if !step.seat.turn.open {
            // Its turn's start was not told.
            turn::start(step, None);
            let reason = match actor {
                Actor::Main => WorkingReason::Model,
                Actor::Sub(_) => WorkingReason::Background,
            };
            step.set_base(Turn::Working(reason), None);
        }
    }
    let mut ask = prompt.clone();
    if let Some(tool) = &mut ask.tool
        && tool.id.is_none()
    {
        // Which call it is about decides which end will clear it.
        tool.id = step
            .seat
            .open_tools
            .iter()
            .find(|open| {
                let same_input = open.tool.input == tool.input;
                open.actor == *actor && open.tool.name == tool.name && same_input
            })
            .and_then(|open| open.tool.id.clone());
    }
    step.seat.held.retain(|held| !matches!(held.what, HeldFact::Level(HeldLevel::Blocked { .. })));
    step.seat.prompts_opened += 1;
    let open = OpenPrompt {
        id: format!("{}-p{}", step.seat.id, step.seat.prompts_opened),
        actor: actor.clone(),
        opened_at: step.now,
        source: step.evidence.source,
        ask,
    };
    let doc = Box::new(PromptDoc::new(&step.seat.id, &open, None));
    step.seat.prompts.push(open);
    step.emit(EventBody::PromptOpened { prompt: doc });
}

/// Clears the agents' own prompts that `which` picks: they went away where we could not see it.
/// True if there was one.
pub(super) fn clear_own(step: &mut Step<'_>, which: impl Fn(&OpenPrompt) -> bool) -> bool {
    let resolution = Resolution::elsewhere(step.now);
    resolve_own(step, which, &resolution)
}

fn resolve_own(
    step: &mut Step<'_>,
    which: impl Fn(&OpenPrompt) -> bool,
    resolution: &Resolution,
) -> bool {
    let picked = |open: &OpenPrompt| open.ask.kind != PromptKind::Input && which(open);
    let (gone, kept) = std::mem::take(&mut step.seat.prompts).into_iter().partition(picked);
    step.seat.prompts = kept;
    let gone: Vec<OpenPrompt> = gone;
    for open in &gone {
        let doc = PromptDoc::new(&step.seat.id, open, Some(resolution.clone()));
        step.emit(EventBody::PromptResolved { prompt: Box::new(doc) });
    }
    !gone.is_empty()
}

/// The end of a call clears the prompt that was about it. True if it did.
pub(super) fn clear_by_tool(step: &mut Step<'_>, actor: &Actor, ended: &ToolRef) -> bool {
    let about = |tool: &ToolRef| match (&tool.id, &ended.id) {
        (Some(asked), Some(ended)) => asked == ended,
        // Matched to a start, but the end carries no id: name and input must do.
        (Some(_), None) => tool.name == ended.name && tool.input == ended.input,
        // Never matched to a start: any end of the same tool.
        (None, _) => tool.name == ended.name,
    };
    step.seat.held.retain(|held| match &held.what {
        HeldFact::Prompt { actor: held_actor, prompt } => {
            held_actor != actor || !prompt.tool.as_ref().is_some_and(about)
        }
        HeldFact::Level(_) => true,
    });
    clear_own(step, |open| open.actor == *actor && open.ask.tool.as_ref().is_some_and(about))
}

pub(super) fn resolved(
    step: &mut Step<'_>,
    actor: &Actor,
    reason: BlockedReason,
    key: Option<&str>,
    resolution: &Resolution,
) -> Result<Effect, Refusal> {
    let fits = |open: &OpenPrompt| {
        open.actor == *actor
            && open.ask.reason == reason
            && key.is_none_or(|key| open.ask.key.as_deref() == Some(key))
    };
    let own = step.seat.own_prompts();
    let Some(id) = own.filter(|open| fits(open)).map(|open| open.id.clone()).next() else {
        return Ok(Effect::Confirms);
    };
    // Adapters have no clock: when it happened is when it was told.
    let resolution = Resolution { at: step.now, ..resolution.clone() };
    resolve_own(step, |open| open.id == id, &resolution);
    if step.seat.turn.open && !step.seat.turn.main_stopped {
        step.set_base(Turn::Working(WorkingReason::Model), None);
    }
    Ok(Effect::Decides)
}

/// A late notice confirms an open prompt and never opens one.
pub(super) fn confirmed(step: &mut Step<'_>) -> Result<Effect, Refusal> {
    let held = step.seat.held.iter().any(|held| matches!(held.what, HeldFact::Prompt { .. }));
    if step.seat.own_prompts().next().is_some() || held {
        Ok(Effect::Confirms)
    } else {
        refuse(Rule::G4, "a late notice confirms a prompt and never opens one")
    }
}

impl Held {
    /// A request of the main agent that still settles.
    pub(super) fn is_of_main(&self) -> bool {
        match &self.what {
            HeldFact::Prompt { actor, .. } => actor.is_main(),
            HeldFact::Level(_) => false,
        }
    }
}
