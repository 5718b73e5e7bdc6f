//! Conversations side by side: in some programs a turn goes on when a person turns to another conversation. It is the
//! open one no more then, and its end is told as its program tells it, by its own name.

use super::{Effect, Step, prompts};
use crate::event::EventBody;
use crate::observation::{Fact, Observation};
use crate::prompt::Actor;
use crate::seat::{Beside, EndedTurn};
use crate::source::Tier;
use crate::status::{IdleReason, Outcome, OutcomeKind, Turn, WorkingReason};

/// Nobody has so many: of the first one nothing tells the end.
const MOST: usize = 16;

/// A person turns to another conversation of the same process, and the open turn goes on behind that.
pub(super) fn leave(step: &mut Step<'_>) {
    let seat = &mut *step.seat;
    // Where a terminal shows one of them alone, work that only that has shown may be the other one's.
    let is_its = !seat.shows_one || seat.turn.reference.is_some() && !seat.turn.end_logged;
    let is_left = seat.goes_on_beside && seat.turn.open && is_its;
    let Some(left) = seat.session.as_ref().filter(|_| is_left) else { return };
    let session = left.id.clone();
    let turn = &mut seat.turn;
    let (reference, turn_seq) = (turn.reference.take(), turn.seq);
    turn.beside.push(Beside { session, reference, turn_seq });
    turn.open = false;
    turn.main_stopped = false;
    turn.awaits_helpers = false;
    turn.compacts_alone = false;
    turn.before = None;
    seat.ended_calls.clear();
    step.changed = true;
    if step.seat.turn.beside.len() > MOST {
        end(step, 0, None);
    }
}

/// Does a turn go on behind the conversation that is shown?
pub(super) fn goes_on(step: &Step<'_>) -> bool {
    !step.seat.turn.beside.is_empty()
}

/// The conversations that do.
pub(super) fn sessions(step: &Step<'_>) -> Vec<String> {
    step.seat.turn.beside.iter().map(|beside| beside.session.clone()).collect()
}

/// Does this conversation?
pub(super) fn is_one(step: &Step<'_>, session: &str) -> bool {
    step.seat.turn.beside.iter().any(|beside| beside.session == session)
}

/// Is the turn of this name one of them? Its conversation is shown again.
pub(super) fn is_named(step: &Step<'_>, reference: &str) -> bool {
    step.seat.turn.beside.iter().any(|beside| beside.reference.as_deref() == Some(reference))
}

/// Is it the end of one of them, by its own name?
pub(super) fn is_end(step: &Step<'_>, observation: &Observation) -> bool {
    let prompts = matches!(observation.fact, Fact::PromptSubmitted { .. });
    !prompts && place(step, observation).is_some()
}

/// Which of them is it about, if it is of their conversation and names their turn?
fn place(step: &Step<'_>, observation: &Observation) -> Option<usize> {
    let (Fact::PromptSubmitted { turn_ref, .. }
    | Fact::TurnEnded { turn_ref, .. }
    | Fact::TurnFailed { turn_ref, .. }
    | Fact::TurnInterrupted { turn_ref }) = &observation.fact
    else {
        return None;
    };
    let session = observation.session.as_deref();
    let is_edge = observation.source.tier() == Tier::Edge;
    step.seat.turn.beside.iter().position(|beside| {
        let is_its = beside.reference.is_none() || beside.reference == *turn_ref;
        is_edge && is_its && session == Some(beside.session.as_str())
    })
}

/// What is told of one of them; `None`: it is of none.
pub(super) fn told(step: &mut Step<'_>, observation: &Observation) -> Option<Effect> {
    if let Fact::SubagentEnded { id } = &observation.fact {
        return gone(step, id);
    }
    let Some(index) = place(step, observation) else {
        end_before(step, observation);
        return None;
    };
    let outcome = |kind| Some(Outcome::new(kind, observation.at));
    let effect = match &observation.fact {
        Fact::TurnEnded { background, .. } if background.subagents.is_empty() => {
            over(step, index, outcome(OutcomeKind::Completed), None)
        }
        Fact::TurnInterrupted { .. } => over(step, index, outcome(OutcomeKind::Interrupted), None),
        Fact::TurnFailed { code, detail, .. } => {
            let failed = Outcome { code: Some(code.clone()), ..outcome(OutcomeKind::Failed)? };
            over(step, index, Some(failed), detail.as_deref())
        }
        Fact::TurnEnded { .. } => {
            // It goes on in its helpers, and asks nothing itself any more.
            let own = observation.session.as_deref();
            let is_its =
                |actor: &Actor| matches!(actor, Actor::Sub(id) if own == Some(id.as_str()));
            prompts::withdraw(step, |asked| is_its(asked.actor));
            confirmed(step)
        }
        _ => confirmed(step),
    };
    Some(effect)
}

/// One of them is gone, and nobody tells how its turn has ended; `None`: it is none.
pub(super) fn gone(step: &mut Step<'_>, session: &str) -> Option<Effect> {
    let index = step.seat.turn.beside.iter().position(|beside| beside.session == session)?;
    Some(over(step, index, None, None))
}

/// A conversation that is prompted anew has come to the end of its turn before.
fn end_before(step: &mut Step<'_>, observation: &Observation) {
    let Fact::PromptSubmitted { .. } = &observation.fact else { return };
    let Some(session) = observation.session.as_deref() else { return };
    if let Some(index) = step.seat.turn.beside.iter().position(|beside| beside.session == session) {
        end(step, index, None);
    }
}

/// One of them is heard of: it goes on.
pub(super) fn confirmed(step: &mut Step<'_>) -> Effect {
    if step.seat.turn.open || matches!(step.seat.turn.base, Turn::Working(_)) {
        return Effect::Confirms;
    }
    // It was silent for long.
    step.set_base(Turn::Working(WorkingReason::Background), None);
    Effect::Decides
}

/// One of them is over, and with the last one the agent rests.
fn over(
    step: &mut Step<'_>,
    index: usize,
    outcome: Option<Outcome>,
    detail: Option<&str>,
) -> Effect {
    let is_shown = end(step, index, outcome);
    if step.seat.turn.open || goes_on(step) {
        return Effect::Outranked("another conversation of it goes on");
    }
    let code = step.seat.outcome.as_ref().and_then(|outcome| outcome.code.clone());
    let detail = detail.filter(|_| is_shown).map(str::to_owned).or(code);
    step.set_base(Turn::Idle(IdleReason::TurnEnded), detail.as_deref());
    Effect::Decides
}

/// All that the program does is over: in this way, or in one that nobody has told.
pub(super) fn all_over(step: &mut Step<'_>, kind: Option<OutcomeKind>) {
    while goes_on(step) {
        let outcome = kind.map(|kind| Outcome::new(kind, step.now));
        end(step, 0, outcome);
    }
}

/// Tells the end of one of them. True if that is how the agent's last turn has ended.
fn end(step: &mut Step<'_>, index: usize, outcome: Option<Outcome>) -> bool {
    let Beside { session, reference, turn_seq } = step.seat.turn.beside.remove(index);
    let is_own = step.seat.session.as_ref().is_some_and(|own| own.id == session);
    let is_main = is_own && !step.seat.turn.open;
    let actor = Actor::Sub(session);
    let is_its = |other: &Actor| *other == actor || is_main && other.is_main();
    step.seat.drop_calls(|open| is_its(&open.actor));
    prompts::withdraw(step, |asked| is_its(asked.actor));
    if let Actor::Sub(session) = &actor {
        step.seat.subagents.retain(|helper| helper != session);
    }
    if is_main && reference.is_some() {
        let last = step.seat.turn.ended.take();
        step.seat.turn.ended = Some(EndedTurn::after(last, reference, step.now));
    }
    step.emit(EventBody::TurnCompleted { turn_seq, outcome: outcome.clone() });
    let is_shown = outcome.is_some_and(|outcome| shows(step, outcome));
    // Whoever follows the events takes the last turn's end for how the agent rests.
    step.announce |= !is_shown && !step.seat.turn.open && turn_seq == step.seat.turn.seq;
    is_shown
}

/// Is it what a person is to see of the agent's last turns? Then they have not seen it yet.
fn shows(step: &mut Step<'_>, outcome: Outcome) -> bool {
    let seat = &mut *step.seat;
    let hidden = !seat.seen();
    let last = seat.outcome.as_ref().map(|last| (weight(last.kind), last.code.clone()));
    let weighs_more = |last: &(u8, _)| hidden && last.0 > weight(outcome.kind);
    if seat.turn.open || last.as_ref().is_some_and(weighs_more) {
        return false;
    }
    if weight(outcome.kind) > 0 {
        seat.seen_turn_seq = seat.seen_turn_seq.min(seat.turn.seq.saturating_sub(1));
    }
    if last != Some((weight(outcome.kind), outcome.code.clone())) {
        seat.outcome = Some(outcome);
    }
    true
}

/// A failure is seen before what is done, and that before what was stopped.
fn weight(kind: OutcomeKind) -> u8 {
    match kind {
        OutcomeKind::Failed => 2,
        OutcomeKind::Completed => 1,
        OutcomeKind::Interrupted | OutcomeKind::Aborted => 0,
    }
}
