//! Tool calls and helpers: they move the main agent's turn, or only count (G4, G6).

use super::{Effect, Refusal, Rule, Step, prompts, refuse, turn};
use crate::prompt::{Actor, ToolRef};
use crate::status::{OutcomeKind, Turn, WorkingReason};

const SUB_OUTRANKED: &str = "a helper's progress moves counters only (G6)";
const BLOCKED_OUTRANKED: &str = "an open prompt outranks progress (G4)";

pub(super) fn started(
    step: &mut Step<'_>,
    actor: &Actor,
    tool: &ToolRef,
    reference: Option<&str>,
) -> Result<Effect, Refusal> {
    let is_open = step
        .seat
        .open_tools
        .iter()
        .any(|open| open.actor == *actor && tool.id.is_some() && open.tool.id == tool.id);
    if !is_open && tool.id.as_ref().is_some_and(|id| step.seat.has_ended(id)) {
        step.changed = true;
        return refuse(Rule::G10, "told after the end of its call");
    }
    if let Actor::Sub(id) = actor {
        if !is_open {
            prompts::moved_on(step, actor, tool);
            step.seat.open_tool(actor.clone(), tool.clone());
            step.seat.counters.tools += 1;
            step.changed = true;
        }
        return helper_seen(step, id);
    }
    if is_open {
        return Ok(Effect::Confirms);
    }
    turn::follow(step, reference)?;
    step.seat.counters.tools += 1;
    step.seat.turn.main_stopped = false;
    step.seat.turn.awaits_helpers = false;
    step.seat.turn.compacting = false;
    step.seat.open_tool(actor.clone(), tool.clone());
    step.set_base(Turn::Working(WorkingReason::Tool), Some(&tool.name));
    step.changed = true;
    Ok(decides_unless_blocked(step))
}

/// A helper that was not announced is noted as long as the main agent's turn is open.
fn helper_seen(step: &mut Step<'_>, id: &str) -> Result<Effect, Refusal> {
    step.seat.turn.helpers_unheard = false;
    let known = step.seat.subagents.iter().any(|known| known == id);
    if !known && step.seat.turn.open {
        step.seat.subagents.push(id.to_owned());
        step.changed = true;
    }
    if step.seat.turn.awaits_helpers && step.seat.turn.base == Turn::Unknown {
        // It was silent for long, and still runs.
        step.set_base(Turn::Working(WorkingReason::Background), None);
        return Ok(Effect::Decides);
    }
    Ok(Effect::Outranked(SUB_OUTRANKED))
}

pub(super) fn decides_unless_blocked(step: &Step<'_>) -> Effect {
    match step.seat.turn() {
        Turn::Blocked(_) => Effect::Outranked(BLOCKED_OUTRANKED),
        _ => Effect::Decides,
    }
}

pub(super) fn ended(
    step: &mut Step<'_>,
    actor: &Actor,
    ended: &[ToolRef],
    interrupted: bool,
    reference: Option<&str>,
) -> Result<Effect, Refusal> {
    if let Actor::Sub(_) = actor {
        step.seat.turn.helpers_unheard = false;
        let mut cleared = false;
        for tool in ended {
            close_tool(step, actor, tool);
            cleared |= prompts::clear_by_tool(step, actor, tool);
        }
        return Ok(if cleared { Effect::Decides } else { Effect::Outranked(SUB_OUTRANKED) });
    }
    if turn::is_over(step, reference) {
        return refuse(Rule::G10, "told after the end of its turn");
    }
    turn::follow(step, reference)?;
    for tool in ended {
        close_tool(step, actor, tool);
        prompts::clear_by_tool(step, actor, tool);
    }
    if interrupted {
        prompts::withdraw(step, |asked| asked.actor.is_main());
        turn::rest(step, OutcomeKind::Interrupted, None);
        return Ok(Effect::Decides);
    }
    if step.seat.turn.main_stopped || step.seat.turn.compacting {
        return Ok(Effect::Confirms);
    }
    let still = step.seat.open_tools.iter().find(|open| open.actor.is_main());
    match still.map(|open| open.tool.name.clone()) {
        Some(name) => step.set_base(Turn::Working(WorkingReason::Tool), Some(&name)),
        None => step.set_base(Turn::Working(WorkingReason::Model), None),
    }
    Ok(decides_unless_blocked(step))
}

fn close_tool(step: &mut Step<'_>, actor: &Actor, ended: &ToolRef) {
    let tools = &mut step.seat.open_tools;
    let by_id = tools
        .iter()
        .position(|open| open.actor == *actor && ended.id.is_some() && open.tool.id == ended.id);
    let by_input = || {
        tools.iter().position(|open| {
            let same = open.tool.name == ended.name && open.tool.input == ended.input;
            open.actor == *actor && ended.id.is_none() && same
        })
    };
    let open = by_id.or_else(by_input);
    if let Some(index) = open {
        tools.remove(index);
        step.changed = true;
    }
    if let Some(id) = &ended.id {
        step.changed |= step.seat.end_call(id, open.is_some());
    }
}

pub(super) fn subagent_started(step: &mut Step<'_>, id: &str) -> Result<Effect, Refusal> {
    helper_seen(step, id)
}

pub(super) fn subagent_ended(step: &mut Step<'_>, id: &str) -> Result<Effect, Refusal> {
    step.seat.turn.helpers_unheard = false;
    let before = step.seat.subagents.len();
    step.seat.subagents.retain(|known| known != id);
    step.changed |= step.seat.subagents.len() != before;
    let actor = Actor::Sub(id.to_owned());
    step.seat.open_tools.retain(|open| open.actor != actor);
    let cleared = prompts::withdraw(step, |asked| *asked.actor == actor);
    let cleared = turn::helpers_are_done(step) || cleared;
    Ok(if cleared { Effect::Decides } else { Effect::Confirms })
}
