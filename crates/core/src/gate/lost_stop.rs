//! Ends of turns of which a log alone tells: the hook of a stop was lost, or is never called.

use super::{Effect, STALE_MS, Step, turn};
use crate::observation::{Fact, Observation};
use crate::seat::{Claim, Held, HeldFact};
use crate::source::Tier;
use crate::status::OutcomeKind;

/// So long behind an answer that calls nothing its hook may still tell the end, or anything that the agent goes on.
/// Milliseconds.
const LOST_MS: i64 = 3_000;

/// Such an answer stands in the log.
pub(super) fn answered(step: &mut Step<'_>, observation: &Observation) -> Effect {
    forget(step);
    let prompt = step.seat.made.as_deref().and_then(|made| made.prompt.as_ref());
    let made_at = observation.made_at;
    let is_older = prompt.is_some_and(|prompt| made_at.is_some_and(|at| at < prompt.made_at));
    if is_older || !may_end(step) {
        return Effect::Confirms;
    }
    let (until, source) = (step.now.plus(LOST_MS), step.evidence.source);
    let (name, what) = (observation.name.clone(), HeldFact::Logged);
    step.seat.held.push(Held { until, source, name, what });
    step.changed = true;
    Effect::Outranked("a hook tells when the turn is over; if none does, this was its end")
}

/// Whatever else a hook or the log tells shows that the agent goes on, or how its turn has ended.
pub(super) fn heard(step: &mut Step<'_>, observation: &Observation) {
    let says_nothing = matches!(
        observation.fact,
        Fact::Nothing | Fact::NotUnderstood { .. } | Fact::History(_) | Fact::AnswerLogged
    );
    if matches!(observation.source.tier(), Tier::Edge | Tier::Transcript) && !says_nothing {
        forget(step);
    }
}

/// Nobody has told anything since. False if it is no end.
pub(super) fn is_over(step: &mut Step<'_>) -> bool {
    let ends = may_end(step);
    if ends {
        turn::rest(step, OutcomeKind::Completed, None);
        turn::note_unlisted(step, true);
    }
    ends
}

/// Does nothing that is known go on beside the main agent's answer?
fn may_end(step: &Step<'_>) -> bool {
    let (seat, earliest) = (&*step.seat, step.now.plus(-STALE_MS));
    let answers = seat.turn.open && !seat.turn.main_stopped && !seat.turn.compacting;
    let is_alone = seat.subagents.is_empty() && seat.prompts.is_empty();
    let shows_more = |claim: &Claim| {
        claim.confirmed_at >= earliest && (claim.word == "working" || claim.word == "blocked")
    };
    answers && is_alone && !seat.claims.iter().any(shows_more)
}

fn forget(step: &mut Step<'_>) {
    let before = step.seat.held.len();
    step.seat.held.retain(|held| held.what != HeldFact::Logged);
    step.changed |= step.seat.held.len() != before;
}
