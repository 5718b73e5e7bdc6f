//! A conversation that goes on in another process, which has a seat of its own.

use super::{Effect, Refusal, Rule, Step, level, prompts, refuse};
use crate::observation::ELSEWHERE;
use crate::seat::{HeldFact, HeldLevel};
use crate::source::Source;
use crate::status::Turn;

/// While a source shows that it is like this, what another one shows may be of the process where it goes on.
pub(super) fn check(step: &Step<'_>, source: Source) -> Result<(), Refusal> {
    let mut others = step.seat.claims.iter().filter(|claim| claim.source != source);
    match others.find(|claim| claim.word == ELSEWHERE) {
        Some(by) => {
            refuse(Rule::Rank, format!("the {} says that it goes on elsewhere", by.source.word()))
        }
        None => Ok(()),
    }
}

/// The turn is over here. However far it was told, that is no completion: it may go on there.
pub(super) fn moved(step: &mut Step<'_>) -> Effect {
    let is_over = |what: &HeldFact| what.is_turns_end() || matches!(what, HeldFact::Level(_));
    step.seat.held.retain(|held| !is_over(&held.what));
    let asked = prompts::withdraw_all(step);
    if step.seat.shells > 0 {
        step.seat.shells = 0;
        step.changed = true;
    }
    if !asked && !step.seat.turn.open && matches!(step.seat.turn.base, Turn::Idle(_)) {
        return Effect::Confirms;
    }
    step.seat.turn.main_stopped = false;
    step.seat.turn.end_logged = false;
    level::believe(step, &HeldLevel::Idle { shells: 0 });
    Effect::Decides
}
