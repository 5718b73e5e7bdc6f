//! Compactions: within a turn, or a turn of their own (G7).

use super::{Effect, Refusal, Step, level, shown, turn};
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

pub(super) fn ended(step: &mut Step<'_>, manual: bool) -> Result<Effect, Refusal> {
    if !step.seat.turn.compacting {
        return Ok(Effect::Confirms);
    }
    step.seat.turn.compacting = false;
    step.seat.turn.compacts_alone = false;
    step.changed = true;
    if manual {
        turn::rest(step, OutcomeKind::Completed, None);
    } else {
        step.set_base(Turn::Working(WorkingReason::Model), None);
    }
    Ok(Effect::Decides)
}
