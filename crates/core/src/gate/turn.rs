//! Turns: how they start, go on and end (G3, G5).

use super::{
    Effect, Refusal, Rule, SETTLE_MS, Step, beside, broken, compaction, late, level, outlived,
    prompts, refuse, repeats, shown, stops, tools,
};
use crate::event::EventBody;
use crate::observation::{Background, BackgroundShells, Submitter};
use crate::prompt::Actor;
use crate::seat::{EndedTurn, Stop, TurnFacts};
use crate::source::{Source, Tier};
use crate::status::{IdleReason, Outcome, OutcomeKind, Turn, WorkingReason};

/// A turn begins.
pub(super) fn start(step: &mut Step<'_>, reference: Option<&str>) {
    step.ensure_running(None);
    shown::has_begun(step);
    if step.seat.stage.as_ref().is_some_and(|status| status.stage.is_terminal()) {
        super::acts::new_run(step);
    }
    step.seat.ended_calls.retain(|call| call.started);
    outlived::begins(step);
    let turn = &mut step.seat.turn;
    turn.seq += 1;
    turn.open = true;
    turn.reference = reference.map(str::to_owned);
    (turn.main_stopped, turn.awaits_helpers, turn.end_logged) = (false, false, false);
    turn.stop = Stop { is_late: turn.stop.is_late, ..Stop::default() };
    turn.woken.clear();
    turn.former.clear();
    turn.by_title = step.evidence.source.tier() == Tier::Title;
    let turn_seq = turn.seq;
    step.seat.turn.before = step.seat.outcome.take().map(Box::new);
    step.seat.counters.turns += 1;
    step.emit(EventBody::TurnStarted { turn_seq });
}

/// The open turn ends; told once.
pub(super) fn close(step: &mut Step<'_>, kind: OutcomeKind, code: Option<&str>) {
    let outcome = outlived::outcome(step, kind, code);
    step.seat.outcome = Some(outcome.clone());
    close_with(step, Some(outcome));
}

/// The open turn ends with this outcome of its own, or with none.
pub(super) fn close_with(step: &mut Step<'_>, outcome: Option<Outcome>) {
    let now = step.now;
    step.seat.held.retain(|held| !held.what.is_over_with_turn());
    let turn = &mut step.seat.turn;
    turn.open = false;
    turn.main_stopped = false;
    turn.awaits_helpers = false;
    turn.compacts_alone = false;
    (turn.stop.is_awaited, turn.stop.waiting, turn.stop.is_cut) = (false, 0, false);
    turn.before = None;
    let woken = turn.is_woken();
    let (reference, names) = turn.take_names();
    let ended = EndedTurn::after(turn.ended.take(), reference, now).with_names(names);
    let Stop { is_doubted: unlisted, is_logged: logged, .. } = turn.stop;
    (turn.stop.is_doubted, turn.stop.is_logged) = (false, false);
    let calls = step.seat.calls_that_ended();
    step.seat.turn.ended = Some(EndedTurn { unlisted, logged, woken, calls, ..ended });
    // A start that nobody has told yet may still come, and begins nothing.
    step.seat.ended_calls.retain(|call| !call.started);
    let turn_seq = step.seat.turn.seq;
    step.emit(EventBody::TurnCompleted { turn_seq, outcome });
}

/// The open turn ends and the agent sits at its prompt, or goes on with a queued one.
pub(super) fn rest(step: &mut Step<'_>, kind: OutcomeKind, code: Option<&str>) {
    if step.seat.turn.open {
        close(step, kind, code);
    }
    step.seat.drop_calls(|open| open.actor.is_main());
    let next = match kind {
        OutcomeKind::Completed if !step.seat.turn.queued.is_empty() => {
            Some(step.seat.turn.queued.remove(0))
        }
        _ => None,
    };
    if let Some(reference) = next {
        start(step, Some(&reference));
        step.set_base(Turn::Working(WorkingReason::Prompt), None);
    } else {
        step.seat.turn.queued.clear();
        match beside::goes_on(step) {
            true => step.set_base(Turn::Working(WorkingReason::Background), None),
            false => outlived::rest(step, code),
        }
    }
}

/// Is it the end of something in a turn that has ended? It never takes the turn up again.
pub(super) fn is_over(step: &Step<'_>, reference: Option<&str>) -> bool {
    let turn = &step.seat.turn;
    let Some(ended) = &turn.ended else { return false };
    match reference {
        None => !turn.open,
        Some(_) => {
            ended.reference.as_deref() == reference && turn.reference.as_deref() != reference
        }
    }
}

/// Brings the open turn in line with the turn a fact of the main agent belongs to.
///
/// A fact of a turn that has ended is a straggler within the settling time, and a sign that the
/// turn was taken up again after it.
pub(super) fn follow(step: &mut Step<'_>, reference: Option<&str>) -> Result<(), Refusal> {
    let turn = &step.seat.turn;
    let Some(reference) = reference else {
        if !turn.open {
            // Without the agent's own order the order of arrival is the order.
            start(step, None);
        }
        return Ok(());
    };
    stops::check_doubted(step, reference)?;
    let goes_on = broken::goes_on_as(step, Some(reference)).is_some();
    if beside::is_named(step, reference) || turn.is_open_as(reference) || goes_on {
        return Ok(());
    }
    let may_be_its = turn.reference.is_none() && !compaction::is_behind(step, reference);
    if turn.open && may_be_its && !is_queued(step, Some(reference)) {
        step.seat.turn.reference = Some(reference.to_owned());
        step.changed = true;
        return Ok(());
    }
    let ended = step.seat.turn.ended.as_ref();
    let is_last = ended.is_some_and(|ended| ended.reference.as_deref() == Some(reference));
    let is_behind = step.seat.turn.open || straggles(step) || is_logged_end(step, reference);
    if is_past(step, reference) || is_last && is_behind {
        return refuse(Rule::G10, "told after the end of its turn");
    }
    if step.seat.turn.open {
        // It ended in silence: no source told how, so it was not completed. What it had asked is over with
        // it; a level that shows it tells of that itself.
        prompts::withdraw(step, |asked| asked.actor.is_main() && asked.source.tier() == Tier::Edge);
        broken::close_in_silence(step, reference);
        step.seat.drop_calls(|open| open.actor.is_main());
    }
    pass_over(step, reference);
    start(step, Some(reference));
    Ok(())
}

/// Turns run in the order in which they were asked for: behind the queued one of this name, those before it are over,
/// and nobody has told how.
pub(super) fn pass_over(step: &mut Step<'_>, reference: &str) {
    let TurnFacts { queued, ended, .. } = &mut step.seat.turn;
    let Some(at) = queued.iter().position(|queued| queued == reference) else { return };
    let names = queued.drain(..=at).filter(|name| name != reference);
    if let Some(ended) = ended {
        ended.pass_over(names);
    }
}

pub(super) fn is_queued(step: &Step<'_>, reference: Option<&str>) -> bool {
    let queued = &step.seat.turn.queued;
    reference.is_some_and(|said| queued.iter().any(|queued| queued == said))
}

/// Is it the name of a turn of which nothing was heard?
pub(super) fn is_unheard(step: &Step<'_>, reference: &str) -> bool {
    let turn = &step.seat.turn;
    let ended = turn.ended.as_ref().and_then(|ended| ended.reference.as_deref());
    let is_over = ended == Some(reference) || is_past(step, reference);
    let is_there = turn.is_open_as(reference) || beside::is_named(step, reference);
    !is_over && !is_there && !is_queued(step, Some(reference))
}

/// Is it the end of a turn that its own source has only shown, as work that still waits for what explains it?
pub(super) fn ends_shown_work(step: &Step<'_>, reference: Option<&str>) -> bool {
    let ended = step.seat.turn.ended.as_ref().and_then(|ended| ended.reference.as_deref());
    let is_last = reference.is_some() && reference == ended;
    !is_last && level::work_waits(step, step.evidence.source)
}

/// Did the turn of this name end before the last one that has ended?
fn is_past(step: &Step<'_>, reference: &str) -> bool {
    let ended = step.seat.turn.ended.as_ref();
    ended.is_some_and(|ended| ended.follows(reference))
}

/// Has the log told for good that the turn of this name, the last one, is over?
pub(super) fn is_logged_end(step: &Step<'_>, reference: &str) -> bool {
    let ended = step.seat.turn.ended.as_ref();
    ended.is_some_and(|ended| ended.is_logged_as(reference))
}

fn straggles(step: &Step<'_>) -> bool {
    let ended = step.seat.turn.ended.as_ref();
    ended.is_some_and(|ended| step.now.since(ended.at) < SETTLE_MS)
}

/// Has the open turn stopped before a person's prompt of its name? What an agent does by itself may bear the name of
/// the prompt that comes next.
fn is_asked_anew(step: &Step<'_>, by: Submitter) -> bool {
    let turn = &step.seat.turn;
    let is_late = step.now.since(turn.evidence.observed_at) < SETTLE_MS || straggles(step);
    by == Submitter::Person && turn.main_stopped && !is_late
}

pub(super) fn prompted(
    step: &mut Step<'_>,
    by: Submitter,
    reference: Option<&str>,
) -> Result<Effect, Refusal> {
    let has_goal = by == Submitter::Goal;
    let by = if has_goal { Submitter::Program } else { by };
    let is_again = repeats::prompt_again(step, by, reference);
    let turn = &step.seat.turn;
    if let Some(reference) = reference {
        let open = turn.reference.as_deref().filter(|_| turn.open);
        // A log names turns exactly, and may be read late.
        let is_logged = step.evidence.source.tier() == Tier::Transcript;
        let is_open = turn.is_open_as(reference) && (is_logged || !is_asked_anew(step, by));
        if is_open || turn.queued.iter().any(|queued| queued == reference) {
            stops::pursue(step, has_goal && is_open);
            broken::is_asked_for(step, reference);
            return Ok(Effect::Confirms);
        }
        let ended = turn.ended.as_ref().and_then(|ended| ended.reference.as_deref());
        let is_another = open.is_some_and(|open| open != reference);
        let is_told = is_logged || is_logged_end(step, reference);
        let is_behind = is_told || is_again || is_another || straggles(step);
        let is_before = turn.has_stopped_as(reference) || is_past(step, reference);
        if is_before || ended == Some(reference) && is_behind {
            return refuse(Rule::G10, "told after the end of its turn");
        }
        if is_logged && repeats::compacts_as(step, reference) {
            // Its hook was faster.
            step.seat.turn.reference = Some(reference.to_owned());
            step.changed = true;
            return Ok(Effect::Confirms);
        }
    }
    stops::give_way(step, reference);
    step.seat.counters.prompts += 1;
    let is_named = by == Submitter::Person && reference.is_some();
    let shown = shown::is_only_shown(step) || is_named && stops::has_just_begun_next(step);
    if by == Submitter::Person {
        // Whoever types has seen what stands above the prompt.
        step.seat.seen_turn_seq = step.seat.turn.seq.saturating_sub(shown.into());
        let helpers = helpers_that_go_on(step);
        prompts::withdraw_at_prompt(step, &helpers, shown);
        // A compaction whose end was not told has been stopped.
        step.changed |= step.seat.turn.compacting;
        step.seat.turn.compacting = false;
    } else {
        prompts::withdraw(step, |asked| asked.actor.is_main() && asked.source != Source::Acp);
        compaction::gives_way_to_wake(step);
    }
    prompts::keep_held_at_prompt(step);
    let was_open = step.seat.turn.open;
    // A helper's result may come behind an interruption, too: its status file alone tells that helpers go on.
    let is_behind = step.seat.turn.reference.is_none()
        && step.seat.turn.base == Turn::Working(WorkingReason::Background);
    let stopped = step.seat.turn.main_stopped || by == Submitter::Program && is_behind;
    match (was_open, stopped, by, reference) {
        (true, false, _, _) if shown => {
            step.seat.turn.by_title = false;
            step.seat.turn.reference = reference.map(str::to_owned);
        }
        (true, true, Submitter::Program | Submitter::Goal, _) => {
            // A helper's result wakes the same turn.
            step.seat.turn.go_on_as(reference);
        }
        (true, true, Submitter::Person, _) => {
            let kind = step.seat.turn.stopped_as();
            close(step, kind, None);
            start(step, reference);
        }
        (true, false, Submitter::Program, Some(reference)) if stops::has_just_woken(step) => {
            // It tells several things at once: the answer to all is one turn, and its end bears any of their names.
            step.seat.turn.reference = Some(reference.to_owned());
            step.changed = true;
        }
        (true, false, _, Some(reference)) if step.seat.turn.reference.is_some() => {
            // Queued behind the open turn, or that one was stopped in silence: what comes next
            // tells which. Either way the agent works.
            step.seat.turn.queue(reference);
            step.changed = true;
            let compacted = step.seat.turn.base == Turn::Working(WorkingReason::Compacting);
            if compacted || !matches!(step.seat.turn.base, Turn::Working(_)) {
                step.set_base(Turn::Working(WorkingReason::Prompt), None);
            }
            return Ok(tools::decides_unless_blocked(step));
        }
        (true, false, _, _) => {
            // Nothing will ever tell the end of a turn that has no name.
            close(step, OutcomeKind::Interrupted, None);
            start(step, reference);
        }
        (false, _, _, _) => start(step, reference),
    }
    if let (Submitter::Program, Some(reference)) = (by, reference) {
        step.seat.turn.wake(reference);
    }
    stops::pursue(step, has_goal);
    step.set_base(Turn::Working(WorkingReason::Prompt), None);
    Ok(tools::decides_unless_blocked(step))
}

/// A person prompts the main agent anew: which helpers are known to go on? Those behind a main agent that
/// rests or has failed. With one that may have been stopped they may have been stopped, too, and with one that was
/// they were.
fn helpers_that_go_on(step: &mut Step<'_>) -> Vec<String> {
    let rests = !step.seat.turn.open;
    let outcome = step.seat.outcome.as_ref().map(|outcome| outcome.kind).filter(|_| rests);
    if outcome == Some(OutcomeKind::Interrupted) {
        outlived::forget_stopped(step);
    }
    let failed = outcome == Some(OutcomeKind::Failed);
    let runs = !step.seat.subagents.is_empty();
    let turn = &mut step.seat.turn;
    let unheard = turn.helpers_unheard;
    let waits = turn.base == Turn::Working(WorkingReason::Background) || turn.awaits_helpers;
    turn.helpers_unheard |= failed && runs;
    if turn.open && turn.main_stopped {
        turn.helpers_unheard |= waits;
        // One that says nothing from one prompt of a person's to the next has ended unheard.
        if !waits || unheard {
            // The stop was the main agent's, and the end of a helper was lost.
            step.seat.subagents.clear();
        }
    }
    match (waits || failed) && !unheard {
        true => step.seat.subagents.to_vec(),
        false => Vec::new(),
    }
}

/// The main agent's stop. With helpers still running it is no end (G5).
pub(super) fn ended(
    step: &mut Step<'_>,
    background: &Background,
    reference: Option<&str>,
) -> Result<Effect, Refusal> {
    if compaction::is_under_way(step) {
        return refuse(Rule::G7, "a compaction is under way");
    }
    if background.anyones && step.seat.turn.open && !step.seat.subagents.is_empty() {
        // It may be the main agent's, too: whoever asks next has seen it rest.
        step.changed |= !step.seat.turn.main_stopped;
        step.seat.turn.main_stopped = true;
        return Ok(Effect::Outranked("it may be the stop of a helper that runs (G6)"));
    }
    let own = broken::goes_on_as(step, reference);
    let reference = own.as_deref().or(reference);
    let goes_on = broken::is_of_the_one_before(step, reference);
    if is_repeated(step, reference) && !goes_on {
        reread(step, background);
        return Ok(late::completes(step, background));
    }
    if outlived::is_failed_one(step, reference) {
        reread(step, background);
        return Ok(match outlived::helpers_are_done(step) {
            true => Effect::Decides,
            false => Effect::Confirms,
        });
    }
    // One that lists what runs behind a main agent that rests is that one's, which was woken.
    let is_listed = !background.unlisted && !background.unclear;
    if !(step.seat.turn.main_stopped && is_listed) {
        refuse_if_a_helpers(step, reference)?;
    }
    late::check_stop(step, background, reference)?;
    match goes_on {
        true => start(step, reference),
        false => follow(step, reference)?,
    }
    step.seat.turn.stop.told_at = Some(step.now);
    level::explain_work(step);
    reread(step, background);
    outlived::note(step, background.unlisted);
    let running = step.seat.subagents.clone();
    let conversations = beside::sessions(step);
    // A level does not say whose dialog it shows: it may be a helper's.
    let shown = prompts::showing_dialogs(step);
    prompts::withdraw(step, |asked| match asked.actor {
        Actor::Main => running.is_empty() || !shown.contains(&asked.source) || asked.is_told(),
        Actor::Sub(id) => !running.contains(id) && !conversations.contains(id),
    });
    if goes_on_behind(step) {
        let turn = &mut step.seat.turn;
        (turn.main_stopped, turn.stop.wakes, turn.stop.is_cut) = (true, background.wakes, false);
        turn.awaits_helpers = background.unlisted && !running.is_empty();
        step.seat.drop_calls(|open| open.actor.is_main());
        step.set_base(Turn::Working(WorkingReason::Background), None);
        step.changed = true;
    } else {
        if let Some(effect) = stops::waits(step, background) {
            return Ok(effect);
        }
        if let Some(effect) = stops::wakes_at_once(step) {
            return Ok(effect);
        }
        if let Some(effect) = stops::doubts_at_terminal(step, background) {
            return Ok(effect);
        }
        rest(step, OutcomeKind::Completed, None);
        note_unlisted(step, background.unlisted || background.unclear);
        stops::doubt(step);
    }
    Ok(Effect::Decides)
}

/// While helpers run, the end of a turn that nobody has asked for may be one of theirs.
pub(super) fn refuse_if_a_helpers(step: &Step<'_>, reference: Option<&str>) -> Result<(), Refusal> {
    let turn = &step.seat.turn;
    let is_named = turn.open && turn.reference.is_some();
    let is_another = is_named && reference.is_some_and(|said| !turn.is_open_as(said));
    if is_another && !is_queued(step, reference) && !step.seat.subagents.is_empty() {
        return refuse(Rule::G6, "of another turn than the open one, while helpers run");
    }
    Ok(())
}

/// Does anything run behind the main agent that keeps its turn open (G5)?
pub(super) fn goes_on_behind(step: &Step<'_>) -> bool {
    let seat = &step.seat;
    let shells = seat.background_shells == BackgroundShells::Working && seat.shells > 0;
    shells || !seat.subagents.is_empty()
}

/// Does the open turn wait for nothing but helpers whose ends alone are told? Who shows the main
/// agent at rest then says nothing of them. Not for ever: an end may have been lost.
pub(super) fn awaits_helpers(step: &Step<'_>) -> bool {
    let turn = &step.seat.turn;
    turn.awaits_helpers && turn.base == Turn::Working(WorkingReason::Background)
}

pub(super) fn note_unlisted(step: &mut Step<'_>, unlisted: bool) {
    if let Some(ended) = &mut step.seat.turn.ended {
        ended.unlisted = unlisted;
    }
}

/// Has the last turn come to its end without a word of what it leaves behind?
pub(super) fn may_be_outlived(step: &Step<'_>) -> bool {
    let turn = &step.seat.turn;
    let unlisted = turn.ended.as_ref().is_some_and(|ended| ended.unlisted);
    unlisted && !turn.open && turn.base == Turn::Idle(IdleReason::TurnEnded)
}

/// An end that was told before.
pub(super) fn is_repeated(step: &Step<'_>, reference: Option<&str>) -> bool {
    let turn = &step.seat.turn;
    let Some(ended) = &turn.ended else {
        return false;
    };
    if turn.open || ends_shown_work(step, reference) {
        return false;
    }
    let idle = matches!(turn.base, Turn::Idle(_));
    idle && (reference.is_none() || ended.reference.as_deref() == reference)
}

/// What runs behind is read anew from each stop that lists it, never only counted up and down.
fn reread(step: &mut Step<'_>, background: &Background) {
    if background.unclear {
        return;
    }
    if step.seat.shells != background.shells {
        step.seat.shells = background.shells;
        step.changed = true;
    }
    if !background.unlisted && !background.subagents.is_empty() {
        // Whoever is listed runs.
        step.seat.turn.helpers_unheard = false;
    }
    let is_known = !background.unlisted || background.leaves_none;
    if is_known && *step.seat.subagents != *background.subagents {
        step.seat.subagents = background.subagents.iter().cloned().collect();
        step.changed = true;
    }
}
