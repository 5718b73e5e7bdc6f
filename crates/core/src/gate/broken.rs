//! Turns that end otherwise than they should: they fail, or a person stops them.

use super::turn::{ends_shown_work, follow, is_queued, is_repeated, refuse_if_a_helpers, rest};
use super::{
    Effect, Refusal, Rule, SETTLE_MS, Step, level, overtaken, prompts, refuse, stops, turn,
};
use crate::observation::Observation;
use crate::seat::{Held, HeldFact, HeldLevel, Statement};
use crate::source::{Evidence, Source};
use crate::status::{IdleReason, Outcome, OutcomeKind, Turn, WorkingReason};

/// How long after a silent end its failure may be told. Milliseconds.
const LATE_FAILURE_MS: i64 = 2_000;

const WORKS_SINCE: &str = "the program's own status shows work since then";

pub(super) fn failed(
    step: &mut Step<'_>,
    code: &str,
    detail: Option<&str>,
    reference: Option<&str>,
) -> Result<Effect, Refusal> {
    if is_repeated(step, reference) {
        // A source without errors may have told the end first; the error still counts.
        let outcome = step.seat.outcome.as_ref().map(|outcome| outcome.kind);
        if outcome == Some(OutcomeKind::Interrupted) && fails_late(step) {
            let outcome =
                Outcome { kind: OutcomeKind::Failed, code: Some(code.to_owned()), at: step.now };
            step.seat.outcome = Some(outcome);
            step.changed = true;
            return Ok(Effect::Decides);
        }
        return Ok(Effect::Confirms);
    }
    refuse_if_a_helpers(step, reference)?;
    follow(step, reference)?;
    level::explain_work(step);
    step.seat.turn.compacting = false;
    prompts::withdraw(step, |asked| asked.actor.is_main());
    rest(step, OutcomeKind::Failed, Some(code));
    if let Some(detail) = detail {
        step.set_base(Turn::Idle(IdleReason::TurnEnded), Some(detail));
    }
    Ok(Effect::Decides)
}

/// May the last turn, which seemed interrupted, have failed? A log is written when the program comes
/// to it.
fn fails_late(step: &Step<'_>) -> bool {
    let ended = step.seat.turn.ended.as_ref();
    ended.is_some_and(|ended| step.now.since(ended.at) < LATE_FAILURE_MS)
}

/// Behind the turn that has failed something else fails, which nobody has seen yet.
pub(super) fn fails_again(step: &mut Step<'_>, code: &str) {
    let (kind, at) = (OutcomeKind::Failed, step.now);
    step.seat.outcome = Some(Outcome { kind, code: Some(code.to_owned()), at });
    let before = step.seat.turn.seq.saturating_sub(1);
    step.seat.seen_turn_seq = step.seat.seen_turn_seq.min(before);
    step.set_base(Turn::Idle(IdleReason::TurnEnded), Some(code));
    step.changed = true;
}

pub(super) fn interrupted(step: &mut Step<'_>, reference: Option<&str>) -> Result<Effect, Refusal> {
    let turn = &step.seat.turn;
    // Nothing was heard of it before, or no more than that it works.
    let is_first = turn.base == Turn::Unknown && turn.ended.is_none();
    let has_begun = is_first || ends_shown_work(step, reference);
    if !turn.open && !has_begun {
        return Ok(Effect::Confirms);
    }
    let is_queued = is_queued(step, reference);
    let open = turn.reference.as_deref();
    if let (Some(said), Some(open)) = (reference, open)
        && said != open
        && !is_queued
    {
        return refuse(Rule::G10, "of another turn than the open one");
    }
    if !turn.open || is_queued {
        follow(step, reference)?;
    }
    level::explain_work(step);
    step.seat.turn.compacting = false;
    prompts::withdraw(step, |asked| asked.actor.is_main());
    rest(step, OutcomeKind::Interrupted, None);
    Ok(Effect::Decides)
}

/// An interruption of which the log tells. What the program's status file shows to go on then is something else: a prompt
/// that was queued, or helpers.
pub(super) fn logged(
    step: &mut Step<'_>,
    reference: Option<&str>,
    observation: &Observation,
) -> Result<Effect, Refusal> {
    let works_since = stops::shows_work(step) && overtaken::works_since(step, observation);
    if works_since && is_queued(step, reference) {
        // It bears the name of the prompt that was sent in place of what was stopped.
        level::explain_work(step);
        step.seat.turn.compacting = false;
        prompts::withdraw(step, |asked| asked.actor.is_main());
        step.seat.open_tools.retain(|open| !open.actor.is_main());
        follow(step, reference)?;
        step.set_base(Turn::Working(WorkingReason::Prompt), None);
        return Ok(Effect::Outranked(WORKS_SINCE));
    }
    let effect = interrupted(step, reference)?;
    if step.seat.turn.open || !stops::shows_work(step) {
        return Ok(effect);
    }
    if works_since {
        turn::start(step, None);
        step.set_base(Turn::Working(WorkingReason::Model), None);
        let (source, event, at) = (Source::Registry, "working".into(), step.now);
        step.seat.turn.evidence = Evidence::new(source, at);
        let value = step.seat.turn().phrase().into();
        let history = step.seat.history();
        history.supersede(&"superseded by the later working".into());
        history.remember(Statement { source, event, value, at, lost: None });
        return Ok(Effect::Outranked(WORKS_SINCE));
    }
    if !level::work_waits(step, Source::Registry) {
        let (until, source) = (step.now.plus(SETTLE_MS), Source::Registry);
        let (name, what) = ("it goes on".to_owned(), HeldFact::Level(HeldLevel::Working));
        step.seat.held.push(Held { until, source, name, what });
        step.changed = true;
    }
    Ok(effect)
}

/// Was it told that the turn of this name was stopped, and does the program's status file show work since then? It was the
/// one before.
pub(super) fn is_of_the_one_before(step: &Step<'_>, reference: Option<&str>) -> bool {
    let ended = step.seat.turn.ended.as_ref().and_then(|ended| ended.reference.as_deref());
    let outcome = step.seat.outcome.as_ref().map(|outcome| outcome.kind);
    let is_last = reference.is_some() && reference == ended && !step.seat.turn.open;
    let is_stopped = is_last && outcome == Some(OutcomeKind::Interrupted);
    is_stopped && level::work_waits(step, Source::Registry)
}
