//! Helpers that outlive a stop of their main agent, or its turn (G5). What becomes of that turn is told once they are over.

use super::{Step, beside, broken, notice, prompts, side, stops, turn};
use crate::observation::JUST_FAILED;
use crate::prompt::Actor;
use crate::seat::{Behind, Claim, Failure, HeldLevel};
use crate::source::{Source, Tier};
use crate::status::{IdleReason, Outcome, OutcomeKind, Turn, WorkingReason};
use crate::time::UnixMs;

/// A turn begins: how the one before has failed is told, and whoever ran behind that and runs no more is nobody, also
/// where another one of its name begins.
pub(super) fn begins(step: &mut Step<'_>) {
    let seat = &mut *step.seat;
    let Some(behind) = &mut seat.turn.behind else { return };
    behind.failed = None;
    behind.helpers.retain(|id| seat.subagents.contains(id));
}

/// The main agent has stopped: whatever runs now outlives that. `unlisted`: its stop has not listed them.
pub(super) fn note(step: &mut Step<'_>, unlisted: bool) {
    let helpers = step.seat.subagents.clone();
    let runs = !helpers.is_empty();
    let behind = runs.then(|| Box::new(Behind { helpers, unlisted, failed: None }));
    step.changed |= step.seat.turn.behind != behind;
    step.seat.turn.behind = behind;
}

/// So it does where the main agent was cut short, of which no stop tells.
pub(super) fn note_cut(step: &mut Step<'_>) {
    let is_unlisted = is_unlisted(step);
    note(step, is_unlisted);
}

fn is_unlisted(step: &Step<'_>) -> bool {
    step.seat.turn.behind.as_deref().is_some_and(|behind| behind.unlisted)
}

/// Does a status file tell what goes on? Then it tells of helpers, too.
pub(super) fn is_filed(step: &Step<'_>) -> bool {
    step.seat.claims.iter().any(|claim| claim.source == Source::Registry)
}

/// Does one that has outlived a stop run, as far as is known?
fn runs(step: &Step<'_>) -> bool {
    let Some(behind) = step.seat.turn.behind.as_deref() else { return false };
    let runs = step.seat.subagents.iter().any(|id| behind.helpers.contains(id));
    runs && (!is_filed(step) || stops::shows_work(step))
}

/// The main agent has failed, and with it its turn, unless helpers run that had outlived a stop before.
pub(super) fn fail(step: &mut Step<'_>, code: &str, detail: Option<&str>) {
    let failure =
        Failure { code: Some(code.to_owned()), detail: detail.map(str::to_owned), is_seen: false };
    if goes_on(step, Some(failure)) {
        return;
    }
    turn::rest(step, OutcomeKind::Failed, Some(code));
    if let Some(detail) = detail.filter(|_| matches!(step.seat.turn.base, Turn::Idle(_))) {
        step.set_base(Turn::Idle(IdleReason::TurnEnded), Some(detail));
    }
}

/// A person has stopped the main agent, and with it its turn, unless such helpers run. What is stopped behind a main agent
/// that rests is its helpers.
pub(super) fn interrupt(step: &mut Step<'_>) {
    let turn = &step.seat.turn;
    let is_main_agents = turn.is_answering() || turn.stop.is_cut;
    if !(is_main_agents && goes_on(step, None)) {
        turn::rest(step, OutcomeKind::Interrupted, None);
    }
}

/// The main agent rests, as it has failed or was stopped (`None`), and its turn goes on in the helpers that had outlived a
/// stop before. False if none runs, or nobody has heard of them for long.
fn goes_on(step: &mut Step<'_>, failure: Option<Failure>) -> bool {
    // Where several tell of it, it is one end; and a failure tells more of that than rest does.
    let is_told = step.seat.turn.main_stopped && step.seat.turn.stop.is_cut;
    let were_silent = is_told && step.seat.turn.base == Turn::Unknown;
    if !runs(step) || were_silent {
        return false;
    }
    if !is_told {
        if failure.is_none() {
            stop_others(step);
        }
        notice::cut(step);
        let (is_filed, is_unlisted) = (is_filed(step), is_unlisted(step));
        let turn = &mut step.seat.turn;
        (turn.awaits_helpers, turn.stop.wakes) = (!is_filed, !is_filed && is_unlisted);
    }
    let behind = step.seat.turn.behind.as_deref_mut();
    if let Some(behind) = behind.filter(|behind| behind.failed.is_none()) {
        step.changed |= failure.is_some();
        behind.failed = failure;
    }
    true
}

/// The other helpers belong to the turn that a person has stopped, and are over with it; but whoever asks something.
fn stop_others(step: &mut Step<'_>) {
    let behind = step.seat.turn.behind.as_deref();
    let outlives = |id: &String| behind.is_some_and(|behind| behind.helpers.contains(id));
    let asks = |id: &String| {
        let mut open = step.seat.own_prompts();
        open.any(|open| matches!(&open.actor, Actor::Sub(asking) if asking == id))
    };
    let running = step.seat.subagents.iter();
    let others: Vec<String> = running.filter(|&id| !outlives(id) && !asks(id)).cloned().collect();
    for id in others {
        step.seat.end_helper(&id, step.now);
        let actor = Actor::Sub(id);
        step.seat.drop_calls(|open| open.actor == actor);
        prompts::withdraw(step, |asked| *asked.actor == actor);
        step.changed = true;
    }
}

/// A person goes on behind a turn that was stopped: whoever ran in it, and has begun nothing since, was stopped with it,
/// and need not have told so. One that did go on is heard of again. A status file tells of helpers itself, and another
/// conversation is none.
pub(super) fn forget_stopped(step: &mut Step<'_>) {
    if is_filed(step) {
        return;
    }
    let mut others = side::running(step.seat);
    others.extend(beside::sessions(step));
    let running = step.seat.subagents.iter();
    let stopped: Vec<String> = running.filter(|&id| !others.contains(id)).cloned().collect();
    for id in stopped {
        step.seat.subagents.retain(|known| *known != id);
        let actor = Actor::Sub(id);
        step.seat.drop_calls(|open| open.actor == actor);
        step.changed = true;
    }
}

/// Does a level show that the main agent rests? So does its failure, once that was told and its turn goes on in helpers.
pub(super) fn shows_rest(step: &Step<'_>, level: &HeldLevel) -> bool {
    match level {
        HeldLevel::Idle { .. } | HeldLevel::Done => true,
        HeldLevel::Failed { .. } => has_failed(step),
        HeldLevel::Working | HeldLevel::Blocked { .. } => false,
    }
}

/// Has the main agent failed, and does its turn go on in helpers?
pub(super) fn has_failed(step: &Step<'_>) -> bool {
    let turn = &step.seat.turn;
    let failed = turn.behind.as_deref().and_then(|behind| behind.failed.as_ref());
    turn.open && turn.stop.is_cut && failed.is_some()
}

/// Is it, by its name or just behind its failure, the turn that goes on so? A stop of that one is told by who knows of no
/// errors.
pub(super) fn is_failed_one(step: &Step<'_>, reference: Option<&str>) -> bool {
    let turn = &step.seat.turn;
    let ended = turn.ended.as_ref().and_then(|ended| ended.reference.as_deref());
    let is_it = match (reference, &turn.reference) {
        (Some(said), Some(_)) => turn.is_open_as(said),
        (Some(said), None) => ended == Some(said),
        // Once its helpers are over, or later, it may be that of a main agent that was woken.
        (None, _) => {
            turn::goes_on_behind(step) && step.now.since(turn.since) < broken::LATE_FAILURE_MS
        }
    };
    has_failed(step) && is_it
}

/// How a turn ends that ends so: as its main agent has failed, where helpers have gone on behind that.
pub(super) fn outcome(step: &mut Step<'_>, kind: OutcomeKind, code: Option<&str>) -> Outcome {
    let turn = &mut step.seat.turn;
    let is_no_end = matches!(kind, OutcomeKind::Interrupted | OutcomeKind::Aborted);
    let says_little = is_no_end || code == Some(JUST_FAILED);
    let is_its = turn.stop.is_cut && says_little;
    let at = step.now;
    if let Some(behind) = turn.behind.as_deref_mut() {
        match &behind.failed {
            Some(failed) if is_its => {
                if failed.is_seen {
                    step.seat.seen_turn_seq = turn.seq;
                }
                return Outcome { kind: OutcomeKind::Failed, code: failed.code.clone(), at };
            }
            _ => behind.failed = None,
        }
    }
    Outcome { kind, code: code.map(str::to_owned), at }
}

/// The agent rests behind its turn, of which this is said, or what was said as its main agent failed.
pub(super) fn rest(step: &mut Step<'_>, code: Option<&str>) {
    let failed = step.seat.turn.behind.take().and_then(|behind| behind.failed);
    let words = failed.and_then(|failed| failed.detail.or(failed.code));
    step.set_base(Turn::Idle(IdleReason::TurnEnded), words.as_deref().or(code));
}

/// The last helper that was waited for has ended, and with it the turn.
pub(super) fn helpers_are_done(step: &mut Step<'_>) -> bool {
    let own = step.seat.fresh_claim(Tier::Own, UnixMs(i64::MIN));
    let rests = |claim: &Claim| matches!(claim.word.as_str(), "done" | "idle");
    let has_streamed = own.is_some_and(|own| own.source == Source::EventStream && rests(own));
    let turn = &step.seat.turn;
    let is_cut = turn.stop.is_cut && !is_filed(step);
    let rests = turn.open && turn.main_stopped && (has_streamed || is_cut);
    let waits = turn.awaits_helpers || rests;
    let is_done = waits && !turn.compacting && !turn::goes_on_behind(step);
    let (unlisted, kind) = (turn.awaits_helpers, turn.stopped_as());
    if !is_done {
        return false;
    }
    if turn.stop.is_cut && !turn.stop.wakes {
        // No hook tells of the prompt by which that may wake the main agent: its title shows it.
        step.seat.turn.awaits_helpers = false;
        stops::hold(step, "the end of the last helper", notice::WOKEN_MS);
        return false;
    }
    if stops::may_wake(step) {
        return false;
    }
    turn::rest(step, kind, None);
    turn::note_unlisted(step, unlisted);
    true
}

/// A helper goes on behind the turn that has ended. `restores`: once that helper is over, this is how it has ended, too, if
/// it had failed or was stopped.
pub(super) fn go_on_behind(step: &mut Step<'_>, restores: bool) {
    let last = step.seat.outcome.as_ref().filter(|_| restores);
    let kind = last.map(|last| last.kind);
    let last = last.filter(|last| last.kind == OutcomeKind::Failed);
    let detail = step.seat.turn.detail.as_ref();
    let is_seen = step.seat.seen();
    let failed =
        last.map(|last| Failure { code: last.code.clone(), detail: detail.cloned(), is_seen });
    turn::start(step, None);
    note(step, true);
    let turn = &mut step.seat.turn;
    (turn.main_stopped, turn.awaits_helpers) = (true, true);
    turn.stop.is_cut = matches!(kind, Some(OutcomeKind::Failed | OutcomeKind::Interrupted));
    if let Some(behind) = turn.behind.as_deref_mut() {
        behind.failed = failed;
    }
    step.set_base(Turn::Working(WorkingReason::Background), None);
}
