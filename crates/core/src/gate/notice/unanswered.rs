//! Turns that are over without an answer: they failed or were stopped, and their end does not say which. The log tells;
//! where it is not to be read, that one rests is no more than half of what is so: nobody knows how it came to it.

use super::{Effect, SETTLE_MS, Step, WAITS, beside, prompts, shown, turn};
use crate::seat::{Held, HeldFact, HeldLevel, Seat};
use crate::source::{Source, Tier};
use crate::status::{IdleReason, Outcome, OutcomeKind, Turn};

/// So long before its end is told a title may have shown it. Milliseconds.
const DRAWN_MS: i64 = 1_500;

/// May the end be that of the main agent's own turn, of which nobody has told how it ended?
pub(in crate::gate) fn is_open(step: &Step<'_>) -> bool {
    let turn = &step.seat.turn;
    let goes_on = turn.main_stopped || turn.compacting || !step.seat.subagents.is_empty();
    stands(step.seat) || is_drawn(step) || turn.open && !goes_on && !shown::is_by_title(step)
}

/// Has its title alone told the end just before? It says nothing of how that came about.
fn is_drawn(step: &Step<'_>) -> bool {
    let (turn, outcome) = (&step.seat.turn, step.seat.outcome.as_ref());
    let at = turn.ended.as_ref().map(|ended| ended.at);
    let is_recent = at.is_some_and(|at| step.now.since(at) < DRAWN_MS);
    let is_its = turn.evidence.source.tier() == Tier::Title && !turn.open;
    is_its && is_recent && outcome.is_some_and(|last| last.kind == OutcomeKind::Interrupted)
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

fn waits(seat: &Seat) -> bool {
    seat.held.iter().any(|held| held.what == HeldFact::Unanswered)
}

/// Nobody has told how. False if somebody has.
pub(in crate::gate) fn is_over(step: &mut Step<'_>) -> bool {
    if !is_open(step) {
        return false;
    }
    step.ensure_running(None);
    prompts::withdraw_all(step);
    beside::all_over(step, None);
    step.seat.outcome = None;
    if step.seat.turn.open {
        turn::close_with(step, None);
    }
    step.seat.open_tools.retain(|open| !open.actor.is_main());
    step.seat.turn.queued.clear();
    if let Some(ended) = &mut step.seat.turn.ended {
        ended.untold = true;
    }
    step.set_base(Turn::Unknown, None);
    true
}

/// Has the last turn, which may be the one of this name, ended so that nobody knows how?
pub(in crate::gate) fn is_untold(seat: &Seat, reference: Option<&str>) -> bool {
    let ended = seat.turn.ended.as_ref().filter(|ended| ended.untold && !seat.turn.open);
    let is_it = |own: Option<&str>| reference.is_none() || reference == own;
    ended.is_some_and(|ended| is_it(ended.reference.as_deref()))
}

/// Is its end all that is known of a turn, or does that wait to be believed?
pub(in crate::gate) fn stands(seat: &Seat) -> bool {
    waits(seat) || is_untold(seat, None) && seat.turn.base == Turn::Unknown
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
    step.set_base(Turn::Idle(IdleReason::TurnEnded), detail.or(code));
    step.changed = true;
}
