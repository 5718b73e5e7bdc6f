//! What is told late behind the end of a turn (G10), where nothing says when it was made: how that has ended, of which no
//! more than rest was known; the notice of a dialog that is over; and the stop of a turn of which nothing was heard.

use super::{Effect, Refusal, Rule, SETTLE_MS, Step, beside, broken, dialog, refuse, tools, turn};
use crate::observation::Background;
use crate::prompt::Actor;
use crate::seat::HeldFact;
use crate::source::Tier;
use crate::status::{OutcomeKind, Turn, WorkingReason};

/// The open turn ends, as something shows that tells of rest alone: whoever knows more may tell it in a moment. Of a main
/// agent that was cut short beside its helpers that was known before.
pub(super) fn rest_as_shown(step: &mut Step<'_>, kind: OutcomeKind) {
    let was_cut = step.seat.turn.stop.is_cut;
    turn::rest(step, kind, None);
    let turn = &mut step.seat.turn;
    let is_assumed = kind == OutcomeKind::Interrupted && !was_cut && !turn.open;
    if let Some(ended) = turn.ended.as_mut().filter(|_| is_assumed) {
        ended.assumed = true;
    }
}

/// It is told that the last turn was interrupted, as it has seemed.
pub(super) fn is_told(step: &mut Step<'_>) {
    if let Some(ended) = &mut step.seat.turn.ended {
        step.changed |= std::mem::take(&mut ended.assumed);
    }
}

/// The end of the last turn is told again. Where it has only seemed a moment ago that it was interrupted, this tells how
/// it has ended, unless something goes on behind it.
pub(super) fn completes(step: &mut Step<'_>, background: &Background) -> Effect {
    let outcome = step.seat.outcome.as_ref().map(|outcome| outcome.kind);
    let ended = step.seat.turn.ended.as_ref();
    let is_assumed = ended.is_some_and(|ended| ended.assumed);
    let seems_stopped = is_assumed && outcome == Some(OutcomeKind::Interrupted);
    if !seems_stopped || !broken::is_told_in_time(step) || turn::goes_on_behind(step) {
        return Effect::Confirms;
    }
    is_told(step);
    broken::ends_otherwise(step, OutcomeKind::Completed, None);
    turn::note_unlisted(step, background.unlisted || background.unclear);
    Effect::Decides
}

/// Is it just behind the end of a turn that a dialog is told of? No turn comes to ask something so fast: it was one of the
/// turn that has ended, and is over. What is asked later, in a turn that has begun, or by whoever else runs, waits.
pub(super) fn check_notice(step: &Step<'_>, actor: &Actor) -> Result<(), Refusal> {
    let seat = &*step.seat;
    let ended = seat.turn.ended.as_ref().filter(|_| !seat.turn.open && actor.is_main());
    let is_just_over =
        ended.is_some_and(|ended| !ended.assumed && step.now.since(ended.at) < SETTLE_MS);
    let asks = seat.held.iter().any(|held| matches!(held.what, HeldFact::Prompt { .. }));
    let is_alone = seat.open_tools.is_empty() && seat.subagents.is_empty();
    // What had to wait for the hub has all come at once.
    let is_late = is_just_over && !step.has_waited;
    match is_late && is_alone && !asks && !beside::goes_on(step) {
        true => refuse(Rule::G10, tools::TOLD_AFTER_TURN),
        false => Ok(()),
    }
}

/// The notice of a dialog has begun the open turn.
pub(super) fn note_begun_by_notice(step: &mut Step<'_>) {
    let begun = (step.seat.turn.seq, step.now);
    step.seat.made.get_or_insert_default().repeats.shown = Some(begun);
}

/// Is the open turn nothing but a dialog of which a notice has told, and of which nothing more was heard? If its program
/// rests then, that notice was late.
pub(super) fn is_notice_alone(step: &Step<'_>) -> bool {
    let (seat, turn) = (&*step.seat, &step.seat.turn);
    let begun = seat.made.as_deref().and_then(|made| made.repeats.shown);
    let Some((_, at)) = begun.filter(|(seq, _)| *seq == turn.seq) else { return false };
    let is_untold = turn.is_answering() && turn.reference.is_none();
    let is_as_begun = is_untold && turn.base == Turn::Working(WorkingReason::Model);
    let mut own = seat.own_prompts();
    is_as_begun && own.any(|open| open.opened_at == at && dialog::is_nameless(open))
}

/// A stop by a name of which neither a hook nor the log has told, where that names each turn: it is none of the open turn,
/// which has a name of its own. One that has stopped may have been woken by that name.
pub(super) fn check_stop(
    step: &Step<'_>,
    background: &Background,
    reference: Option<&str>,
) -> Result<(), Refusal> {
    let turn = &step.seat.turn;
    let is_edge = step.evidence.source.tier() == Tier::Edge;
    let is_named = turn.is_answering() && turn.reference.is_some() && !turn.stop.is_told;
    let is_unheard = reference.is_some_and(|said| turn::is_unheard(step, said));
    match is_edge && background.logged && is_named && is_unheard {
        true => refuse(Rule::G10, "of a turn of which nothing was heard, while another is open"),
        false => Ok(()),
    }
}
