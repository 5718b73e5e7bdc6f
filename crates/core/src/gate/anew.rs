//! Ends that may be none: some programs ask their model once more by themselves where it has failed, or was stopped, behind
//! a call and without a word, and a hook tells of that a moment later. It is one turn.

use super::notice::unanswered;
use super::{Effect, Step, broken, prompts, tools};
use crate::observation::{Fact, Observation, Submitter};
use crate::seat::{Held, HeldFact, HeldLevel, Seat};
use crate::source::{Evidence, Source};
use crate::status::{Turn, WorkingReason};

const WAITS: &str = "it waits a moment: its program may go on by itself";
const HAS_FAILED: &str = "its log tells that the turn has not come to its end";

/// What is made here of an observation, if something is.
pub(super) fn told(step: &mut Step<'_>, observation: &Observation) -> Option<Effect> {
    match &observation.fact {
        Fact::TurnFailed { code, detail, turn_ref: None } => {
            wait(step, observation, Some(code.as_str()), detail.as_deref())
        }
        Fact::TurnInterrupted { turn_ref: None } => wait(step, observation, None, None),
        Fact::TurnEnded { .. } | Fact::TurnUnanswered if waits(step.seat) => {
            Some(Effect::Outranked(HAS_FAILED))
        }
        Fact::PromptSubmitted { by: Submitter::Program, turn_ref: None } => goes_on(step),
        Fact::PromptSubmitted { .. } | Fact::PromptTold => {
            is_over_now(step);
            None
        }
        Fact::ToolStarted { actor, .. } | Fact::ToolGranted { actor, .. } if actor.is_main() => {
            // Its prompt was lost.
            take(step);
            None
        }
        _ => None,
    }
}

/// Does the end of the open turn wait here?
pub(super) fn waits(seat: &Seat) -> bool {
    seat.held.iter().any(is_broken)
}

fn is_broken(held: &Held) -> bool {
    matches!(held.what, HeldFact::Broken { .. })
}

/// The log tells that the turn has failed, or, without a code, was stopped.
fn wait(
    step: &mut Step<'_>,
    observation: &Observation,
    code: Option<&str>,
    detail: Option<&str>,
) -> Option<Effect> {
    let within = step.seat.asks_again_ms.filter(|_| may_go_on(step)).map(i64::from)?;
    if waits(step.seat) {
        return Some(Effect::Confirms);
    }
    // What a title shows is its rest alone.
    step.seat.held.retain(|held| {
        let rests = matches!(held.what, HeldFact::Level(HeldLevel::Idle { .. } | HeldLevel::Done));
        held.what != HeldFact::Unanswered && !(rests && held.source == Source::Title)
    });
    let (code, detail) = (code.map(str::to_owned), detail.map(str::to_owned));
    let (until, source) = (step.now.plus(within), step.evidence.source);
    let (name, what) = (observation.name.clone(), HeldFact::Broken { code, detail });
    step.seat.held.push(Held { until, source, name, what });
    step.changed = true;
    Some(Effect::Outranked(WAITS))
}

/// Is the model asked about what a call has brought, by a program that a person can type to?
fn may_go_on(step: &Step<'_>) -> bool {
    let seat = &*step.seat;
    let is_asked = seat.turn.base == Turn::Working(WorkingReason::Model) && !seat.turn.by_title;
    let is_logged = step.evidence.source == Source::Transcript;
    is_logged && seat.turn.is_answering() && is_asked && !seat.process.headless
}

/// The program asks once more: what has seemed an end was none.
fn goes_on(step: &mut Step<'_>) -> Option<Effect> {
    let ends = waits(step.seat) || unanswered::waits(step.seat);
    if !(ends && step.seat.turn.is_answering()) {
        return None;
    }
    prompts::keep_held_at_prompt(step);
    prompts::withdraw(step, |asked| asked.actor.is_main());
    step.set_base(Turn::Working(WorkingReason::Model), None);
    step.changed = true;
    Some(tools::decides_unless_blocked(step))
}

fn take(step: &mut Step<'_>) -> Option<Held> {
    let at = step.seat.held.iter().position(is_broken)?;
    step.changed = true;
    Some(step.seat.held.remove(at))
}

/// Something else begins, or the program leaves: what waits is over.
pub(super) fn is_over_now(step: &mut Step<'_>) {
    let Some(held) = take(step) else { return };
    if let HeldFact::Broken { code, detail } = &held.what {
        // It is its own source's word.
        let evidence = Evidence::new(held.source, step.now);
        let said = std::mem::replace(&mut step.evidence, evidence);
        is_over(step, code.as_deref(), detail.as_deref());
        step.evidence = said;
    }
}

/// It has not gone on. False if its end has been told otherwise.
pub(super) fn is_over(step: &mut Step<'_>, code: Option<&str>, detail: Option<&str>) -> bool {
    if !step.seat.turn.open {
        return false;
    }
    let ended = match code {
        Some(code) => broken::failed(step, code, detail, None),
        None => broken::interrupted(step, None),
    };
    ended.is_ok()
}
