//! What a program says of its own rest, late or without saying how a turn ended.

pub(super) mod unanswered;

use super::{
    Effect, Refusal, Rule, SETTLE_MS, STALE_MS, Step, beside, compaction, late, outlived, prompts,
    refuse, shown, turn,
};
use crate::observation::{Fact, Level, Observation};
use crate::seat::{Held, HeldFact};
use crate::source::{Source, Tier};
use crate::status::{IdleReason, OutcomeKind, Turn, WorkingReason};

/// How long after the end of a turn its notice may come. Milliseconds.
const NOTICE_MS: i64 = 1_500;

/// So long after a program rests its hook may still tell that it was a compaction that has ended. Milliseconds.
pub(super) const COMPACTED_MS: i64 = 3_000;

/// So long behind the last helper of a stop a title shows whether its end has woken the main agent, also on a busy
/// machine. Milliseconds.
pub(super) const WOKEN_MS: i64 = 3_000;

const WAITS: &str = "it waits a moment for the source that tells how";

pub(super) fn tells_of_rest_alone(observation: &Observation) -> bool {
    let rests = matches!(
        observation.fact,
        Fact::IdleNotice { .. }
            | Fact::IdleForLong { .. }
            | Fact::TurnOver
            | Fact::Level(Level::Idle { .. })
    );
    rests && observation.source == Source::Hook
}

/// Is a notice without a name perhaps late, and of the turn before the one that has a name, or that is a
/// compaction?
fn may_be_the_last_ones(step: &Step<'_>) -> bool {
    let turn = &step.seat.turn;
    let is_told = turn.reference.is_some() || turn.compacts_alone;
    let ended = turn.ended.as_ref().filter(|_| is_told);
    ended.is_some_and(|ended| step.now.since(ended.at) < NOTICE_MS)
}

/// The turn is over, and a slower source tells how.
pub(super) fn over(step: &mut Step<'_>, observation: &Observation) -> Result<Effect, Refusal> {
    let name = &observation.name;
    if observation.fact == Fact::TurnUnanswered && unanswered::is_open(step) {
        return Ok(unanswered::wait(step, name));
    }
    if !step.seat.turn.open {
        return rests(step);
    }
    if may_be_the_last_ones(step) {
        return refuse(Rule::G10, "it may be the notice of the turn before");
    }
    // It is that of the stop: a helper that ends a moment later wakes the main agent.
    if step.seat.turn.main_stopped && turn::goes_on_behind(step) {
        return refuse(Rule::G5, "work goes on in the background");
    }
    let compacts = step.seat.turn.compacting && step.seat.turn.compacts_alone;
    let wait = match (compacts, step.seat.turn.main_stopped) {
        (true, _) => COMPACTED_MS,
        (false, true) => WOKEN_MS,
        (false, false) => SETTLE_MS,
    };
    let (until, source) = (step.now.plus(wait), step.evidence.source);
    if step.seat.held.iter().all(|held| held.what != HeldFact::Over) {
        let what = HeldFact::Over;
        step.seat.held.push(Held { until, source, name: name.clone(), what });
        step.changed = true;
    }
    Ok(Effect::Outranked(WAITS))
}

/// The turn is over, and no source has told how. A compaction of its own is over with it.
pub(super) fn rests_at_last(step: &mut Step<'_>) -> Result<Effect, Refusal> {
    if is_woken(step) {
        return refuse(Rule::G5, "its title shows that something behind the stop has woken it");
    }
    if step.seat.turn.compacts_alone {
        step.seat.turn.compacting = false;
    }
    rests(step)
}

/// Does its title show work or a dialog behind the stop, now that no helper runs any more? No hook tells of a prompt by which one
/// has woken the main agent.
fn is_woken(step: &Step<'_>) -> bool {
    let turn = &step.seat.turn;
    let title = step.seat.fresh_claim(Tier::Title, step.now.plus(-STALE_MS));
    let works = title.is_some_and(|title| title.word == "working" || title.word == "blocked")
        || step.seat.own_prompts().next().is_some();
    turn.main_stopped && !turn.stop.wakes && !turn::goes_on_behind(step) && works
}

/// The program says that it sits at its prompt since a turn. It may say so late.
pub(super) fn idle_notice(step: &mut Step<'_>, reference: Option<&str>) -> Result<Effect, Refusal> {
    sits(step, reference, false)
}

/// `for_long`: it has sat there for long, so that helpers which run do so behind a main agent that rests.
fn sits(step: &mut Step<'_>, reference: Option<&str>, for_long: bool) -> Result<Effect, Refusal> {
    if is_of_another(step, reference) {
        return refuse(Rule::G10, "of another turn than the open one");
    }
    let earliest = step.now.plus(-STALE_MS);
    let own = step.seat.fresh_claim(Tier::Own, earliest).filter(|claim| claim.word == "working");
    if let Some(own) = own.filter(|_| step.seat.turn.open) {
        return refuse(Rule::Rank, format!("a fresh {} says otherwise", own.source.word()));
    }
    // One that names no turn is of all that runs.
    let is_its = reference.is_some() && step.seat.turn.open;
    if is_its && !step.seat.subagents.is_empty() {
        return match for_long {
            true => rests(step),
            false => refuse(Rule::G5, "helpers go on"),
        };
    }
    if is_its && !for_long && !step.seat.turn.queued.is_empty() {
        return Ok(gives_way(step, reference));
    }
    all_rest(step)
}

/// The same of one that it sends only once it has sat there for long. Just behind a prompt it was on its way before that.
pub(super) fn idle_for_long(
    step: &mut Step<'_>,
    reference: Option<&str>,
) -> Result<Effect, Refusal> {
    let is_prompted = step.seat.turn() == Turn::Working(WorkingReason::Prompt);
    let told = step.seat.last_edge_at.filter(|_| is_prompted);
    if told.is_some_and(|told| step.now.since(told) < SETTLE_MS) {
        return refuse(Rule::G10, "it may be the notice of the turn before");
    }
    sits(step, reference, true)
}

/// The turn was stopped in silence, and what was queued behind it goes on.
fn gives_way(step: &mut Step<'_>, reference: Option<&str>) -> Effect {
    turn::close(step, OutcomeKind::Interrupted, None);
    if let Some(reference) = reference {
        // Where it names one that was queued, that has been stopped, too.
        turn::pass_over(step, reference);
    }
    match step.seat.turn.queued.is_empty() {
        false => {
            let next = step.seat.turn.queued.remove(0);
            turn::start(step, Some(&next));
            step.set_base(Turn::Working(WorkingReason::Prompt), None);
        }
        true => turn::rest(step, OutcomeKind::Interrupted, None),
    }
    Effect::Decides
}

/// Is it of a turn that ended before the open one began? Where nothing but a dialog's notice has begun that, it may be that
/// notice that was late.
fn is_of_another(step: &Step<'_>, reference: Option<&str>) -> bool {
    let turn = &step.seat.turn;
    let ended = turn.ended.as_ref().and_then(|ended| ended.reference.as_deref());
    let Some(said) = reference.filter(|_| turn.open) else { return false };
    match turn.reference.as_deref() {
        Some(_) => !turn.is_open_as(said) && !turn.queued.iter().any(|queued| queued == said),
        None => ended == Some(said) && !late::is_notice_alone(step),
    }
}

/// The main agent sits at its prompt, and nobody has told of a stop: it was cut short. Helpers that run go on.
fn rests(step: &mut Step<'_>) -> Result<Effect, Refusal> {
    let turn = &step.seat.turn;
    let stops = turn.open && !turn.main_stopped && !step.seat.subagents.is_empty();
    if !stops || compaction::is_under_way(step) {
        return all_rest(step);
    }
    cut(step);
    step.seat.turn.awaits_helpers = !outlived::is_filed(step);
    Ok(Effect::Decides)
}

/// The main agent was stopped in mid-turn, and its helpers work on.
pub(super) fn cut(step: &mut Step<'_>) {
    outlived::note_cut(step);
    prompts::withdraw(step, |asked| asked.actor.is_main());
    step.seat.turn.main_stopped = true;
    step.seat.turn.stop.is_cut = true;
    step.seat.drop_calls(|open| open.actor.is_main());
    step.set_base(Turn::Working(WorkingReason::Background), None);
    step.changed = true;
}

/// It sits at its prompt: an authoritative idle, but not of how the turn ended.
fn all_rest(step: &mut Step<'_>) -> Result<Effect, Refusal> {
    if compaction::is_under_way(step) {
        return refuse(Rule::G7, "a compaction is under way");
    }
    if step.seat.turn.main_stopped && turn::goes_on_behind(step) {
        return refuse(Rule::G5, "work goes on in the background");
    }
    step.ensure_running(None);
    let is_notice_alone = late::is_notice_alone(step);
    prompts::withdraw_all(step);
    step.seat.held.clear();
    beside::all_over(step, None);
    if is_notice_alone {
        shown::leave_as_it_was(step);
        return Ok(Effect::Decides);
    }
    if shown::leave(step) {
        return Ok(Effect::Decides);
    }
    if step.seat.turn.open {
        let kind = match step.seat.turn.main_stopped {
            true => step.seat.turn.stopped_as(),
            false => OutcomeKind::Interrupted,
        };
        late::rest_as_shown(step, kind);
        return Ok(Effect::Decides);
    }
    if matches!(step.seat.turn.base, Turn::Idle(_)) {
        return Ok(Effect::Confirms);
    }
    step.set_base(Turn::Idle(IdleReason::Ready), None);
    Ok(Effect::Decides)
}
