//! Tool calls and helpers: they move the main agent's turn, or only count (G4, G6).

use super::{
    Effect, Refusal, Rule, SETTLE_MS, Step, beside, broken, dialog, outlived, prompts, refuse,
    repeats, shown, side, stops, turn,
};
use crate::prompt::{Actor, Resolution, ToolRef};
use crate::seat::{Claim, OpenTool};
use crate::source::{Source, Tier};
use crate::status::{BlockedReason, IdleReason, OutcomeKind, Turn, WorkingReason};

/// How long after a helper's end what it did before may be told. Milliseconds.
const LATE_MS: i64 = 2_000;

const MOST_HELPERS: usize = 256;

const SUB_OUTRANKED: &str = "a helper's progress moves counters only (G6)";
const BLOCKED_OUTRANKED: &str = "an open prompt outranks progress (G4)";
pub(super) const TOLD_LATE: &str = "told after the end of its helper";
pub(super) const TOLD_AFTER_CALL: &str = "told after the end of its call";
pub(super) const TOLD_AFTER_TURN: &str = "told after the end of its turn";

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
    if actor.is_main() && begins_again(step, tool, reference) {
        return refuse(Rule::G10, TOLD_AFTER_CALL);
    }
    if actor.is_main() && reference.is_some_and(|name| shown::rests_behind(step, name)) {
        return refuse(Rule::G10, TOLD_AFTER_TURN);
    }
    if !is_open && tool.id.as_ref().is_some_and(|id| step.seat.has_ended(id)) {
        step.changed = true;
        return refuse(Rule::G10, TOLD_AFTER_CALL);
    }
    if let Actor::Sub(id) = actor {
        if is_late(step, id) {
            return refuse(Rule::G10, TOLD_LATE);
        }
        if !is_open {
            dialog::begun(step, actor, tool);
            step.seat.open_tool(actor.clone(), tool.clone());
            step.seat.counters.tools += 1;
            step.changed = true;
        }
        let effect = helper_seen(step, id, false);
        if !is_open {
            repeats::asks_behind(step, actor, tool);
        }
        return effect;
    }
    if is_open {
        return Ok(Effect::Confirms);
    }
    turn::follow(step, reference)?;
    step.seat.counters.tools += 1;
    let was_stopped = std::mem::take(&mut step.seat.turn.main_stopped);
    step.seat.turn.awaits_helpers = false;
    step.seat.turn.compacting = false;
    stops::goes_on(step, was_stopped);
    dialog::begun(step, actor, tool);
    step.seat.open_tool(actor.clone(), tool.clone());
    step.set_base(Turn::Working(WorkingReason::Tool), Some(&tool.name));
    step.changed = true;
    repeats::asks_behind(step, actor, tool);
    Ok(decides_unless_blocked(step))
}

/// Is it the start of a call of the last turn, told once more behind that? One that is taken up again makes new ones.
fn begins_again(step: &Step<'_>, tool: &ToolRef, reference: Option<&str>) -> bool {
    let turn = &step.seat.turn;
    let ended = turn.ended.as_ref().filter(|_| !turn.open && reference.is_some());
    let ended = ended.filter(|ended| ended.reference.as_deref() == reference);
    ended
        .zip(tool.id.as_deref())
        .is_some_and(|(ended, id)| ended.has_called(id) || step.seat.has_ended_heard(id))
}

/// A helper that was not announced is noted as long as the main agent's turn is open, and behind a stop that
/// lists none: then that was no end. Behind a turn that has failed or was stopped one that is first heard of may have been
/// stopped with it, unless it only starts there.
fn helper_seen(step: &mut Step<'_>, id: &str, starts: bool) -> Result<Effect, Refusal> {
    step.seat.turn.helpers_unheard = false;
    if beside::is_one(step, id) {
        return Ok(beside::confirmed(step));
    }
    let known = step.seat.subagents.iter().any(|known| known == id);
    let is_side = side::wakes(step, id);
    let is_broken = !is_side && is_behind_a_broken_turn(step);
    if is_broken && (known || starts) && has_survived(step) {
        go_on_behind(step, id);
        return Ok(decides_unless_blocked(step));
    }
    let outlives = is_side || turn::may_be_outlived(step);
    if !known && (step.seat.turn.open || outlives || is_broken) {
        push_helper(step, id);
    }
    if outlives {
        outlived::go_on_behind(step, !is_side);
        return Ok(decides_unless_blocked(step));
    }
    if step.seat.turn.awaits_helpers && step.seat.turn.base == Turn::Unknown {
        // It was silent for long, and still runs.
        step.set_base(Turn::Working(WorkingReason::Background), None);
        return Ok(Effect::Decides);
    }
    Ok(Effect::Outranked(SUB_OUTRANKED))
}

/// Has the last turn failed, or was it stopped, and may a helper go on behind that? A program's own status tells that better.
fn is_behind_a_broken_turn(step: &Step<'_>) -> bool {
    let seat = &*step.seat;
    let kind = seat.outcome.as_ref().map(|outcome| outcome.kind);
    let is_broken = matches!(kind, Some(OutcomeKind::Failed | OutcomeKind::Interrupted));
    let rests = !seat.turn.open && seat.turn.base == Turn::Idle(IdleReason::TurnEnded);
    let is_own = |claim: &Claim| claim.source.tier() == Tier::Own;
    is_broken && rests && !seat.claims.iter().any(is_own)
}

/// Does a helper begin something there, and not just behind that end? Then it was not stopped with the turn.
fn has_survived(step: &Step<'_>) -> bool {
    let ended = step.seat.turn.ended.as_ref().map(|ended| ended.at);
    ended.is_some_and(|ended| step.now.since(ended) >= SETTLE_MS)
}

/// A helper begins a call, and nothing tells which helper: it is one of those that are known to run.
pub(super) fn some_helper_works(step: &mut Step<'_>) -> Result<Effect, Refusal> {
    match step.seat.subagents.last().cloned() {
        Some(id) => helper_seen(step, &id, false),
        None => Ok(Effect::Confirms),
    }
}

/// Does this helper go on behind a turn that has ended? What a status file shows of that it tells itself.
pub(super) fn has_outlived(step: &Step<'_>, id: &str) -> bool {
    let seat = &*step.seat;
    let is_filed = seat.claims.iter().any(|claim| claim.source == Source::Registry);
    let rests = seat.turn.base == Turn::Idle(IdleReason::TurnEnded);
    let runs = rests && seat.subagents.iter().any(|known| known == id);
    !is_filed && (runs || turn::may_be_outlived(step))
}

/// It asks for something there: until its end it works, and that may wake the main agent.
pub(super) fn go_on_behind(step: &mut Step<'_>, id: &str) {
    if !step.seat.subagents.iter().any(|known| known == id) {
        push_helper(step, id);
    }
    outlived::go_on_behind(step, true);
    step.seat.turn.stop.wakes = true;
}

/// Nobody has more of them: the first has ended unheard.
fn push_helper(step: &mut Step<'_>, id: &str) {
    if step.seat.subagents.len() == MOST_HELPERS {
        step.seat.subagents.remove(0);
    }
    step.seat.subagents.push(id.to_owned());
    step.changed = true;
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
    // Of several at once each was told before, at its start or at its own end.
    let is_alone = ended.len() == 1;
    if let Actor::Sub(_) = actor {
        step.seat.turn.helpers_unheard = false;
        let mut cleared = false;
        for tool in ended {
            cleared |= end(step, actor, tool, is_alone);
        }
        return Ok(if cleared { Effect::Decides } else { Effect::Outranked(SUB_OUTRANKED) });
    }
    // A call that was stopped with its turn may be told behind the start of the next one.
    let own = broken::goes_on_as(step, reference).filter(|_| !interrupted);
    let reference = own.as_deref().or(reference);
    if turn::is_over(step, reference) {
        return refuse(Rule::G10, "told after the end of its turn");
    }
    turn::follow(step, reference)?;
    for tool in ended {
        end(step, actor, tool, is_alone);
    }
    if interrupted {
        prompts::withdraw(step, |asked| asked.actor.is_main());
        outlived::interrupt(step);
        return Ok(Effect::Decides);
    }
    if step.seat.turn.main_stopped || step.seat.turn.compacting {
        return Ok(Effect::Confirms);
    }
    goes_on_with(step);
    Ok(decides_unless_blocked(step))
}

/// A person has refused this call in words, or has answered what it asks, and the turn goes on: what was asked about it is
/// over, and nothing else.
pub(super) fn refused(
    step: &mut Step<'_>,
    call: &str,
    resolution: &Resolution,
) -> Result<Effect, Refusal> {
    let is_it = |tool: &ToolRef| tool.id.as_deref() == Some(call);
    let open = step.seat.open_tools.iter().position(|open| is_it(&open.tool));
    let refused = open.map(|at| step.seat.open_tools.remove(at).tool);
    if refused.is_some() {
        step.seat.end_call(call, true);
        step.changed = true;
    }
    // Adapters have no clock: when it happened is when it was told.
    let resolution = Resolution { at: step.now, ..resolution.clone() };
    let about = |asked: &prompts::Asked<'_>| asked.ask.tool.as_ref().is_some_and(is_it);
    // What was asked before its call was told does not name it.
    let is_like = |asked: &prompts::Asked<'_>| {
        let tool = asked.ask.tool.as_ref().filter(|tool| tool.id.is_none());
        let both = tool.filter(|_| asked.actor.is_main()).zip(refused.as_ref());
        both.is_some_and(|(tool, refused)| tool.is_like(refused))
    };
    let is_resolved = prompts::resolve_own(step, about, &resolution)
        || prompts::resolve_own(step, is_like, &resolution);
    if !is_resolved {
        return Ok(Effect::Confirms);
    }
    if step.seat.turn.is_answering() {
        goes_on_with(step);
    }
    Ok(decides_unless_blocked(step))
}

/// The main agent works on the calls that are open yet, or on its answer.
pub(super) fn goes_on_with(step: &mut Step<'_>) {
    let still = step.seat.open_tools.iter().find(|open| open.actor.is_main());
    match still.map(|open| open.tool.name.clone()) {
        Some(name) => step.set_base(Turn::Working(WorkingReason::Tool), Some(&name)),
        None => step.set_base(Turn::Working(WorkingReason::Model), None),
    }
}

/// A call ends, and with it what was asked about it. True if that was.
fn end(step: &mut Step<'_>, actor: &Actor, ended: &ToolRef, is_alone: bool) -> bool {
    let is_known = close_tool(step, actor, ended, is_alone);
    let cleared = prompts::clear_by_tool(step, actor, ended);
    cleared || !is_known && dialog::clear_by_unheard(step, actor)
}

/// True if its start, or its end, was told before. Where neither was, it is counted now, and a start that comes later
/// is not; the start of one without an id was counted, whatever its end is called.
fn close_tool(step: &mut Step<'_>, actor: &Actor, ended: &ToolRef, is_alone: bool) -> bool {
    let tools = &mut step.seat.open_tools;
    let by_id = tools
        .iter()
        .position(|open| open.actor == *actor && ended.id.is_some() && open.tool.id == ended.id);
    let by_input = || {
        tools
            .iter()
            .position(|open| open.actor == *actor && ended.id.is_none() && open.tool.is_like(ended))
    };
    let open = by_id.or_else(by_input);
    if let Some(index) = open {
        tools.remove(index);
        step.changed = true;
    }
    let is_new = ended.id.as_ref().is_some_and(|id| step.seat.end_call(id, open.is_some()));
    step.changed |= is_new;
    let may_be_its = |open: &OpenTool| {
        open.actor == *actor && open.tool.id.is_none() && open.tool.name == ended.name
    };
    let is_unheard = is_new && open.is_none() && !step.seat.open_tools.iter().any(may_be_its);
    if is_unheard && is_alone {
        step.seat.counters.tools += 1;
    }
    open.is_some() || ended.id.is_some() && !is_new
}

pub(super) fn subagent_started(step: &mut Step<'_>, id: &str) -> Result<Effect, Refusal> {
    let late = is_late(step, id);
    // One that has run, and has ended, begins anew.
    let ended = step.seat.forget_ended_helper(id);
    if late && ended.is_some_and(|ended| !ended.started) {
        step.changed = true;
        return refuse(Rule::G10, TOLD_LATE);
    }
    helper_seen(step, id, true)
}

/// Has this helper ended, a moment ago?
pub(super) fn is_late(step: &Step<'_>, id: &str) -> bool {
    let ended = step.seat.ended_helper(id);
    ended.is_some_and(|ended| step.now.since(ended.at) < LATE_MS)
}

pub(super) fn subagent_ended(step: &mut Step<'_>, id: &str) -> Result<Effect, Refusal> {
    step.seat.turn.helpers_unheard = false;
    stops::owe(step, id);
    step.seat.end_helper(id, step.now);
    repeats::run_ended(step, id);
    step.changed = true;
    let actor = Actor::Sub(id.to_owned());
    step.seat.drop_calls(|open| open.actor == actor);
    let cleared = prompts::withdraw(step, |asked| *asked.actor == actor);
    let cleared = outlived::helpers_are_done(step) || cleared;
    Ok(if cleared { Effect::Decides } else { Effect::Confirms })
}

/// Its program's server shows that a helper waits for nothing any more: all is answered that it has asked before. What has
/// just been asked is still to be shown there.
pub(super) fn ask_no_more(step: &mut Step<'_>, actor: &Actor, reason: BlockedReason) {
    let before = step.now.plus(-SETTLE_MS);
    prompts::withdraw(step, |asked| {
        let is_older = asked.since.is_some_and(|since| since <= before);
        is_older && asked.actor == actor && asked.ask.reason == reason
    });
}

fn namesakes(step: &Step<'_>, name: &str) -> usize {
    step.seat.subagents.iter().filter(|known| *known == name).count()
}

/// One more helper of a name: those that have it are only counted.
pub(super) fn namesake_started(step: &mut Step<'_>, name: &str) -> Result<Effect, Refusal> {
    let running = namesakes(step, name);
    let effect = subagent_started(step, name)?;
    if running > 0 && step.seat.turn.open {
        push_helper(step, name);
    }
    Ok(effect)
}

/// One of those of this name has ended, and the others go on.
pub(super) fn namesake_ended(step: &mut Step<'_>, name: &str) -> Result<Effect, Refusal> {
    let one = step.seat.subagents.iter().rposition(|known| known == name);
    match one {
        Some(one) if namesakes(step, name) > 1 => {
            step.seat.subagents.remove(one);
            step.seat.turn.helpers_unheard = false;
            step.changed = true;
            Ok(Effect::Confirms)
        }
        _ => subagent_ended(step, name),
    }
}

/// A turn was stopped. While helpers run it may be that of one of them, and is never taken for the main agent's:
/// one that was interrupted is over with it, and one that has failed may be tried again.
pub(super) fn someone_stopped(
    step: &mut Step<'_>,
    failed: Option<&(String, Option<String>)>,
) -> Result<Effect, Refusal> {
    match failed {
        _ if !step.seat.subagents.is_empty() => {
            step.seat.turn.helpers_unheard = false;
            if failed.is_none() {
                step.seat.subagents.pop();
                step.changed = true;
                if outlived::helpers_are_done(step) {
                    return Ok(Effect::Decides);
                }
            }
            Ok(Effect::Outranked("it may be the stop of a helper that runs (G6)"))
        }
        Some((code, detail)) => broken::failed(step, code, detail.as_deref(), None),
        None => broken::interrupted(step, None),
    }
}
