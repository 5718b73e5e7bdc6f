//! Compactions: within a turn, or a turn of their own (G7).

use super::{Effect, Refusal, Step, level, repeats, shown, stops, turn};
use crate::source::{Source, Tier};
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

/// The log tells the end of the turn of this name behind all of its hooks: the one that tells the end of a compaction in
/// it was lost. True if so.
pub(super) fn has_lost_its_end(step: &mut Step<'_>, reference: &str) -> bool {
    let turn = &step.seat.turn;
    let is_its = match repeats::compaction_under_way(step) {
        Some(name) => name == reference,
        None => turn.is_open_as(reference),
    };
    let is_lost = turn.open && turn.compacting && is_its;
    if is_lost {
        repeats::compaction_ended(step);
        step.seat.turn.compacting = false;
        step.changed = true;
    }
    is_lost
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
    if step.seat.turn.open {
        rests_before(step);
    } else {
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
        if manual == Some(true) {
            end_logged(step);
        }
        return Ok(Effect::Confirms);
    }
    // Where nothing tells by whose wish it was, one that began at the prompt was a person's.
    let is_a_persons = manual.unwrap_or(step.seat.turn.compacts_alone);
    let is_behind = is_behind_a_rest(step);
    repeats::compaction_ended(step);
    step.seat.turn.compacting = false;
    step.seat.turn.compacts_alone = false;
    step.changed = true;
    if is_a_persons {
        level::explain_work(step);
        if is_behind && goes_on_behind(step) {
            return Ok(Effect::Decides);
        }
        if let Some(effect) = stops::wakes_at_once(step) {
            return Ok(effect);
        }
        if step.seat.turn.main_stopped && stops::may_wake(step) {
            // Its last helper has ended meanwhile. What a person has asked for since is done.
            step.seat.turn.stop.is_cut = false;
            step.set_base(Turn::Working(WorkingReason::Background), None);
            return Ok(Effect::Decides);
        }
        let unlisted = step.seat.turn.awaits_helpers;
        turn::rest(step, OutcomeKind::Completed, None);
        if unlisted {
            turn::note_unlisted(step, true);
        }
        return Ok(Effect::Decides);
    }
    step.set_base(Turn::Working(WorkingReason::Model), None);
    Ok(match manual {
        Some(_) => Effect::Decides,
        None => Effect::Confirms,
    })
}

/// Whether the main agent rests in the open turn, in which a compaction begins.
fn rests_before(step: &mut Step<'_>) {
    let turn = &mut step.seat.turn;
    match turn.base {
        // A level alone may have shown that, behind a turn that was cut short or has failed.
        Turn::Working(WorkingReason::Background) => {
            turn.stop.is_cut |= !turn.main_stopped;
            turn.main_stopped = true;
        }
        // It was silent for long.
        Turn::Unknown => {}
        // The stop that was told may have been a helper's.
        _ => turn.main_stopped = false,
    }
}

/// Has the main agent rested in the open turn before this began? A compaction with a name of its own tells so also where
/// the stop before it was not heard, or where the log has named the open turn anew.
fn is_behind_a_rest(step: &Step<'_>) -> bool {
    let turn = &step.seat.turn;
    let is_named = repeats::compaction_under_way(step).is_some();
    turn.main_stopped || is_named && !turn.compacts_alone
}

/// Does what has gone on behind a main agent that rests go on behind the compaction, too? Then that was no end (G5).
fn goes_on_behind(step: &mut Step<'_>) -> bool {
    let goes_on = turn::goes_on_behind(step);
    if goes_on {
        // Without a status file nothing but their ends may tell that they are over.
        let is_filed = step.seat.claims.iter().any(|claim| claim.source == Source::Registry);
        let turn = &mut step.seat.turn;
        turn.awaits_helpers |= !turn.main_stopped && !is_filed;
        // What a person has asked for since is done.
        (turn.main_stopped, turn.stop.is_cut) = (true, false);
        step.set_base(Turn::Working(WorkingReason::Background), None);
    }
    goes_on
}

/// A hook tells that something has woken the main agent. Whatever does so waits for the end of a compaction: that is over,
/// perhaps by an Esc of which nothing else tells.
pub(super) fn gives_way_to_wake(step: &mut Step<'_>) {
    if step.seat.turn.compacting && step.evidence.source.tier() == Tier::Edge {
        repeats::compaction_ended(step);
        step.seat.turn.compacting = false;
        step.changed = true;
    }
}

/// The log tells the end of one that a person has asked for, and of whose beginning no hook has told: its program's own
/// status has shown it as work, and tells when that is over. This is how.
fn end_logged(step: &mut Step<'_>) {
    let is_logged = step.evidence.source.tier() == Tier::Transcript;
    let is_unhooked = !step.seat.has_edge_witness() || shown::is_unhooked(step);
    let is_shown = step.seat.turn.is_answering() && stops::shows_work(step);
    if is_logged && is_unhooked && is_shown {
        step.changed |= !step.seat.turn.end_logged;
        step.seat.turn.end_logged = true;
    }
}
