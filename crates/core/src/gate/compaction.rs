//! Compactions: within a turn, or a turn of their own (G7).

use super::{Effect, Refusal, Step, level, repeats, shown, turn};
use crate::status::{OutcomeKind, Turn, WorkingReason};

/// Is a compaction under way? Once its summary is in, an end of the turn shows that it is over,
/// even if its own end was not told.
pub(super) fn is_under_way(step: &mut Step<'_>) -> bool {
    if step.seat.turn.summarized && step.seat.turn.compacting {
        step.seat.turn.compacting = false;
        step.changed = true;
    }
    step.seat.turn.compacting
}

/// Is a compaction that is a turn of its own under way behind the turn of this name, which has ended?
pub(super) fn is_behind(step: &Step<'_>, reference: &str) -> bool {
    let turn = &step.seat.turn;
    let ended = turn.ended.as_ref().filter(|_| turn.open && turn.compacts_alone);
    ended.is_some_and(|ended| {
        ended.reference.as_deref() == Some(reference) || ended.follows(reference)
    })
}

pub(super) fn started(step: &mut Step<'_>) -> Result<Effect, Refusal> {
    if step.seat.turn.compacting {
        return Ok(Effect::Confirms);
    }
    level::forget_rest(step);
    // A title may have shown its beginning already.
    let alone = !step.seat.turn.open || shown::is_by_title(step);
    if !step.seat.turn.open {
        turn::start(step, None);
    }
    step.seat.turn.compacts_alone = alone;
    step.seat.turn.compacting = true;
    step.seat.turn.summarized = false;
    step.set_base(Turn::Working(WorkingReason::Compacting), None);
    step.changed = true;
    Ok(Effect::Decides)
}

pub(super) fn ended(step: &mut Step<'_>, manual: Option<bool>) -> Result<Effect, Refusal> {
    if !step.seat.turn.compacting {
        return Ok(Effect::Confirms);
    }
    // Where nothing tells by whose wish it was, one that began at the prompt was a person's.
    let is_a_persons = manual.unwrap_or(step.seat.turn.compacts_alone);
    repeats::compaction_ended(step);
    step.seat.turn.compacting = false;
    step.seat.turn.compacts_alone = false;
    step.changed = true;
    if is_a_persons {
        turn::rest(step, OutcomeKind::Completed, None);
        return Ok(Effect::Decides);
    }
    step.set_base(Turn::Working(WorkingReason::Model), None);
    Ok(match manual {
        Some(_) => Effect::Decides,
        None => Effect::Confirms,
    })
}
