//! Turns that are over without an answer: they failed or were stopped, and their end does not say which. The log tells;
//! where it is not to be read, that one rests is no more than half of what is so: nobody knows how it came to it.

use super::{Effect, SETTLE_MS, Step, WAITS, beside, prompts, shown, turn};
use crate::gate::anew;
use crate::seat::{Held, HeldFact, HeldLevel, Seat};
use crate::source::{Source, Tier};
use crate::status::{IdleReason, Outcome, OutcomeKind, Turn};

/// So long before its end is told a title may have shown it. Milliseconds.
const DRAWN_MS: i64 = 1_500;

/// May the end be that of the main agent's own turn, of which nobody has told how it ended?
pub(in crate::gate) fn is_open(step: &Step<'_>) -> bool {
    let turn = &step.seat.turn;
    let goes_on = turn.main_stopped || turn.compacting || !step.seat.subagents.is_empty();
    let at = turn.ended.as_ref().map(|ended| ended.at);
    let is_recent = at.is_some_and(|at| step.now.since(at) < DRAWN_MS);
    let is_drawn = is_recent && is_by_title_alone(step.seat);
    stands(step.seat) || is_drawn || turn.open && !goes_on && !shown::is_by_title(step)
}

/// Has its title alone told the end? It says nothing of how that came about.
fn is_by_title_alone(seat: &Seat) -> bool {
    let (turn, outcome) = (&seat.turn, seat.outcome.as_ref());
    let is_its = turn.evidence.source.tier() == Tier::Title && !turn.open;
    is_its && outcome.is_some_and(|last| last.kind == OutcomeKind::Interrupted)
}

/// The log tells that it was interrupted, as its title has let seem before.
pub(in crate::gate) fn is_told(step: &mut Step<'_>) {
    if step.evidence.source != Source::Transcript || !is_by_title_alone(step.seat) {
        return;
    }
    step.seat.held.retain(|held| held.what != HeldFact::Unanswered);
    step.seat.turn.evidence = step.evidence.clone();
    step.changed = true;
}

/// The log has a moment.
pub(in crate::gate) fn wait(step: &mut Step<'_>, name: &str) -> Effect {
    if is_untold(step.seat, None) {
        return Effect::Confirms;
    }
    // What a title shows is its rest alone.
    let rests = |held: &Held| {
        let level = matches!(held.what, HeldFact::Level(HeldLevel::Idle { .. } | HeldLevel::Done));
        level && held.source == Source::Title
    };
    step.seat.held.retain(|held| !rests(held));
    if !waits(step.seat) {
        let (until, source) = (step.now.plus(SETTLE_MS), step.evidence.source);
        let (name, what) = (name.to_owned(), HeldFact::Unanswered);
        step.seat.held.push(Held { until, source, name, what });
    }
    step.changed = true;
    Effect::Outranked(WAITS)
}

/// Does its end wait to be believed?
pub(in crate::gate) fn waits(seat: &Seat) -> bool {
    seat.held.iter().any(|held| held.what == HeldFact::Unanswered)
}

/// Nobody has told how. False if somebody has.
pub(in crate::gate) fn is_over(step: &mut Step<'_>) -> bool {
    // What its title alone had told was so when this was held, and no later turn has begun since.
    if !is_open(step) && !is_by_title_alone(step.seat) {
        return false;
    }
    step.ensure_running(None);
    // What only the screen shows may be asked behind it, and goes when it is not seen any more.
    prompts::withdraw(step, |asked| asked.source != Source::Screen);
    beside::all_over(step, None);
    step.seat.outcome = None;
    if step.seat.turn.open {
        turn::close_with(step, None);
    }
    step.seat.drop_calls(|open| open.actor.is_main());
    step.seat.turn.queued.clear();
    if let Some(ended) = &mut step.seat.turn.ended {
        ended.untold = true;
    }
    step.set_base(Turn::Unknown, None);
    true
}

/// Has the last turn, which may be the one of this name, ended so that nobody knows how?
pub(in crate::gate) fn is_untold(seat: &Seat, reference: Option<&str>) -> bool {
    let stands = matches!(seat.turn.base, Turn::Unknown | Turn::None) && !seat.turn.open;
    let ended = seat.turn.ended.as_ref().filter(|ended| ended.untold && stands);
    let is_it = |own: Option<&str>| reference.is_none() || reference == own;
    ended.is_some_and(|ended| is_it(ended.reference.as_deref()))
}

/// Is its end all that is known of a turn, or does that wait to be believed?
pub(in crate::gate) fn stands(seat: &Seat) -> bool {
    let is_unknown = is_untold(seat, None) && seat.turn.base == Turn::Unknown;
    waits(seat) || anew::waits(seat) || is_unknown
}

/// How it ended is told at last.
pub(in crate::gate) fn told(
    step: &mut Step<'_>,
    kind: OutcomeKind,
    code: Option<&str>,
    detail: Option<&str>,
) {
    let outcome = Outcome { kind, code: code.map(str::to_owned), at: step.now };
    step.seat.outcome = Some(outcome);
    if let Some(ended) = &mut step.seat.turn.ended {
        ended.untold = false;
    }
    // One that has left does nothing.
    if !step.seat.process.state.is_over() {
        step.set_base(Turn::Idle(IdleReason::TurnEnded), detail.or(code));
    }
    step.changed = true;
}
