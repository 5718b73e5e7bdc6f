//! Work that only a level has shown, and that was no turn of the agent's.

use super::{Step, turn};
use crate::source::Tier;
use crate::status::{IdleReason, Turn, WorkingReason};

/// Has the open turn only been seen, by a level, and not been told of? A prompt that comes late is
/// the one it began with.
pub(super) fn is_only_shown(step: &Step<'_>) -> bool {
    let turn = &step.seat.turn;
    let seen = matches!(turn.evidence.source.tier(), Tier::Own | Tier::Title);
    let is_new = turn.open && !turn.main_stopped && turn.reference.is_none();
    seen && is_new && turn.base == Turn::Working(WorkingReason::Model)
}

/// Has the program's own status alone told of the open turn, and no hook said anything since? They may be there no more.
pub(super) fn is_unhooked(step: &Step<'_>) -> bool {
    let turn = &step.seat.turn;
    let is_own = turn.evidence.source.tier() == Tier::Own && is_only_shown(step);
    is_own && step.seat.last_edge_at.is_none_or(|at| at < turn.since)
}

/// The open turn is over in silence. True if it was none of the agent's: then how the turn before it ended, and
/// whether a person has seen that, is as it was.
pub(super) fn leave(step: &mut Step<'_>) -> bool {
    if step.evidence.source.tier() == Tier::Own || !(is_a_persons_command(step) || is_vain(step)) {
        return false;
    }
    let (seq, seen_seq) = (step.seat.turn.seq, step.seat.seen_turn_seq);
    let before = step.seat.turn.before.take();
    turn::close_with(step, None);
    if seen_seq.saturating_add(1) >= seq {
        step.seat.seen_turn_seq = seq;
    }
    let reason = match before {
        Some(_) => IdleReason::TurnEnded,
        None => IdleReason::Ready,
    };
    let detail = before.as_ref().and_then(|outcome| outcome.code.clone());
    step.seat.outcome = before.map(|outcome| *outcome);
    step.set_base(Turn::Idle(reason), detail.as_deref());
    true
}

/// Has a title shown the open turn, and nothing else told of it?
pub(super) fn is_by_title(step: &Step<'_>) -> bool {
    step.seat.turn.by_title && is_only_shown(step)
}

/// Where hooks tell of every prompt, work that a title alone shows is a command of the person's own.
fn is_a_persons_command(step: &Step<'_>) -> bool {
    step.seat.has_edge_witness() && is_by_title(step)
}

/// A compaction that nobody has told the end of came to nothing.
fn is_vain(step: &Step<'_>) -> bool {
    let turn = &step.seat.turn;
    turn.open && turn.compacts_alone
}
