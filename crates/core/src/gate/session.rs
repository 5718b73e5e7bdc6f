//! Starts, ends and changes of a session.

use super::process::RESTORING;
use super::{
    Effect, Refusal, SETTLE_MS, STALE_MS, STRAGGLERS_MS, Step, beside, broken, prompts, screen,
    shown, stops, turn,
};
use crate::observation::{History, JUST_FAILED, Observation, SessionEnd, SessionStart};
use crate::seat::{Held, HeldFact, Seat, Session};
use crate::source::{Source, Tier};
use crate::status::{
    Attach, Exit, ExitKind, IdleReason, OutcomeKind, Process, StartPhase, Turn, WorkingReason,
};
use crate::time::UnixMs;
use thin_vec::ThinVec;

/// How long a program that was told to go in mid-turn may take from its goodbye to its end.
/// Milliseconds.
pub(super) const LEAVE_MS: i64 = 2_000;

/// How long after what may be its goodbye a program may take to its end. Milliseconds.
const SAY_MS: i64 = 5_000;

/// The seat takes on a session without a new incarnation: its first one.
pub(super) fn enter(step: &mut Step<'_>, id: &str, start_seen: bool) {
    let since = step.now;
    step.seat.session = Some(Session::new(id.to_owned(), since, start_seen));
    step.seat.left_sessions.retain(|left| left.id != id);
    if let Some(ended) = &mut step.seat.turn.ended {
        // Names of turns are a conversation's own, and some programs count them anew.
        ended.before.clear();
    }
    step.entered = true;
    step.changed = true;
}

/// A new life in the same seat: incarnation + 1, nothing of the old one goes on.
pub(super) fn renew(step: &mut Step<'_>, session: Option<&str>, start_seen: bool) {
    let now = step.now;
    close(step, OutcomeKind::Aborted);
    let same = step.seat.session.as_ref().map(|s| s.id.as_str()) == session;
    if !same && session.is_some() {
        step.seat.leave_session(now);
    }
    if let Some(id) = session {
        enter(step, id, start_seen);
    }
    let state = step.seat.process.state;
    if matches!(state, Process::Exited(_)) && !same && session.is_some() {
        // How another conversation ended is no outcome of this one: it would pass for done.
        step.seat.outcome = None;
    }
    if !is_counted(step.seat) {
        begin(step.seat, state == Process::Suspended, now);
    }
    step.seat.process.id = None;
    let attach = match step.seat.process.state {
        Process::Running { attach } => Some(attach),
        _ => None,
    };
    step.ensure_running(attach);
    step.set_base(Turn::Unknown, None);
    step.changed = true;
}

/// A new life in the conversation that is there, of which its start tells. Where that names its process, it is the one
/// in the seat, whose end is waited for.
fn renew_by_start(step: &mut Step<'_>, observation: &Observation) {
    let named = step.seat.process.id.clone().filter(|_| observation.process.is_some());
    let session = step.seat.session.as_ref().map(|session| session.id.clone());
    renew(step, session.as_deref(), true);
    step.seat.process.id = named;
}

/// A life in the seat begins: the witnesses of the one before say nothing of it. `was_away`: that one was put
/// away, and this one takes it up.
pub(super) fn begin(seat: &mut Seat, was_away: bool, now: UnixMs) {
    seat.incarnation += 1;
    seat.was_away = was_away;
    seat.claims.clear();
    seat.last_edge_at = None;
    seat.turn.ended = None;
    seat.about.resumed_at = Some(now);
}

/// Has its start, or whoever took it up again, counted the life that is about to speak?
pub(super) fn is_counted(seat: &Seat) -> bool {
    matches!(seat.process.state, Process::Starting { .. })
}

/// Is the conversation in the seat that of the life before? This one has named none yet.
pub(super) fn is_of_the_life_before(seat: &Seat) -> bool {
    let began = seat.about.resumed_at.filter(|_| !seat.process.state.is_over());
    seat.session.as_ref().zip(began).is_some_and(|(session, began)| session.since < began)
}

/// Ends whatever was going on: an open turn, prompts, helpers, tools.
pub(super) fn close(step: &mut Step<'_>, open_turn: OutcomeKind) {
    prompts::withdraw_all(step);
    close_all_but_prompts(step, open_turn);
}

fn close_all_but_prompts(step: &mut Step<'_>, open_turn: OutcomeKind) {
    step.seat.held.clear();
    step.seat.subagents.clear();
    step.seat.ended_helpers.clear();
    step.seat.shells = 0;
    step.seat.open_tools.clear();
    step.seat.turn.compacting = false;
    step.seat.turn.queued.clear();
    if step.seat.turn.open {
        turn::close(step, open_turn, None);
    }
}

/// The conversation ends, and the program goes on. What its status file shows to run behind has not ended with it; true:
/// helpers do.
fn close_conversation(step: &mut Step<'_>) -> bool {
    let helpers = match stops::shows_work(step) {
        true => std::mem::take(&mut step.seat.subagents),
        false => ThinVec::new(),
    };
    let is_filed = step.seat.claims.iter().any(|claim| claim.source == Source::Registry);
    let shells = if is_filed { step.seat.shells } else { 0 };
    close(step, OutcomeKind::Interrupted);
    (step.seat.subagents, step.seat.shells) = (helpers, shells);
    !step.seat.subagents.is_empty()
}

/// Nobody has asked for anything yet, but helpers may go on.
fn stand_by(step: &mut Step<'_>, helpers_go_on: bool, reason: IdleReason) {
    if helpers_go_on {
        turn::start(step, None);
        step.set_base(Turn::Working(WorkingReason::Background), None);
    } else if beside::goes_on(step) {
        step.set_base(Turn::Working(WorkingReason::Background), None);
    } else {
        step.set_base(Turn::Idle(reason), None);
    }
}

pub(super) fn started(
    step: &mut Step<'_>,
    how: SessionStart,
    attach: Option<Attach>,
    observation: &Observation,
) -> Result<Effect, Refusal> {
    if how == SessionStart::Compact {
        // It comes in mid-turn and says nothing of the turn, but that the summary is in.
        if step.seat.turn.compacting && !step.seat.turn.summarized {
            step.seat.turn.summarized = true;
            step.changed = true;
        }
        return Ok(Effect::Confirms);
    }
    let known = step.seat.session.as_ref().is_some_and(|session| session.start_seen);
    let entered_now = step.entered;
    let running = step.seat.process.state.is_running();
    // After a goodbye it begins anew: what went on is over, and what it had asked has been answered.
    let anew = step.seat.held.iter().any(|held| held.what == HeldFact::Left);
    if entered_now && running && shows_work(step) {
        // It comes with the first prompt, which the program itself has shown already.
        if let Some(session) = &mut step.seat.session {
            session.start_seen = true;
        }
        return Ok(Effect::Confirms);
    }
    // Of its bus and its plugin either may be heard first.
    let is_shown = step.seat.goes_on_beside && !known && shown::is_only_shown(step);
    let goes_on = !anew && goes_on_in_turn(step, observation);
    if how.is_resume() && running && (is_shown || goes_on || just_begun(step)) {
        // It comes with the first prompt, which the log, or the program itself, has told already; or nothing has
        // ended that would have to begin again.
        if let Some(session) = &mut step.seat.session {
            session.start_seen = true;
        }
        step.changed = true;
        return Ok(Effect::Confirms);
    }
    if how.is_resume() {
        // Someone took the conversation up again: whatever ran before is over, unless this
        // start was told already, or a level has shown the new process before its start was told,
        // and nothing has happened since.
        let has_spoken = step.seat.has_edge_witness();
        let turn = &step.seat.turn;
        // Whoever was not understood before has begun nothing either.
        let was_unclear = !known && !has_spoken && turn.base == Turn::Unknown && turn.seq == 0;
        let rests = turn.base == Turn::Idle(IdleReason::Ready);
        let untouched = (known || !has_spoken) && rests || was_unclear;
        let awaited = step.seat.process.state == RESTORING;
        let told = awaited || entered_now || (untouched && running);
        if !told {
            renew_by_start(step, observation);
        }
    } else if known && !entered_now && running {
        keep_headless(step, attach);
        return Ok(Effect::Confirms);
    } else if step.seat.turn.open && running && !entered_now && !anew {
        // The start was told after what followed it.
        if let Some(session) = &mut step.seat.session {
            session.start_seen = true;
        }
        keep_headless(step, attach);
        step.changed = true;
        return Ok(Effect::Confirms);
    } else if step.seat.process.state.is_over() && step.seat.process.state != Process::Absent {
        let has_ended = matches!(step.seat.process.state, Process::Exited(_));
        renew_by_start(step, observation);
        if has_ended && step.seat.session.is_none() {
            // A conversation that nobody names and nobody takes up again is another one.
            step.seat.outcome = None;
        }
    }
    if let Some(session) = &mut step.seat.session {
        session.start_seen = true;
        session.is_early = how.is_early();
    }
    if anew {
        beside::all_over(step, None);
    }
    let mut helpers_go_on = false;
    match how {
        _ if how.is_early() && !anew && screen::is_at_dialog(step.seat) => {
            close_all_but_prompts(step, OutcomeKind::Interrupted);
        }
        SessionStart::Clear => helpers_go_on = close_conversation(step),
        _ => close(step, OutcomeKind::Interrupted),
    }
    if how.is_prompted() && (!running || entered_now) {
        takes_its_prompt(step);
    }
    // A run that was started with its prompt is not ready for one.
    let has_its_prompt =
        step.seat.process.headless && is_counted(step.seat) && how != SessionStart::Clear;
    if !has_its_prompt {
        step.ensure_running(attach);
    }
    if step.seat.about.started_at.is_none() {
        step.seat.about.started_at = Some(step.now);
    }
    if has_its_prompt {
        step.changed = true;
        return Ok(Effect::Outranked("it was started with its prompt, which it takes at once"));
    }
    if how == SessionStart::Asked {
        step.set_base(Turn::Unknown, None);
        shown::awaits_prompt(step);
        return Ok(Effect::Decides);
    }
    let reason = match how {
        SessionStart::Clear => IdleReason::Cleared,
        _ => IdleReason::Ready,
    };
    stand_by(step, helpers_go_on, reason);
    step.changed = true;
    Ok(Effect::Decides)
}

/// It has not begun before its prompt is told, whether or not anybody else has told that it starts.
fn takes_its_prompt(step: &mut Step<'_>) {
    if !is_counted(step.seat) {
        let process = &mut step.seat.process;
        process.become_state(Process::Starting { phase: StartPhase::Booting });
        process.since = step.now;
        step.set_base(Turn::None, None);
    }
    step.seat.process.headless = true;
    step.changed = true;
}

/// That nobody can type to it nothing but its start may say, also one that is told late.
fn keep_headless(step: &mut Step<'_>, attach: Option<Attach>) {
    if attach == Some(Attach::Headless) {
        step.ensure_running(attach);
    }
}

/// Did the log tell of the open turn's beginning a moment ago, in a process that has come since the
/// turn before?
fn just_begun(step: &Step<'_>) -> bool {
    let turn = &step.seat.turn;
    let since = step.seat.process.since;
    let is_new = turn.ended.as_ref().is_none_or(|ended| ended.at < since);
    let is_logged = turn.evidence.source == Source::Transcript;
    turn.open && is_new && is_logged && step.now.since(turn.since) < SETTLE_MS
}

/// Does the very process that tells of a start go on with its turn, as its own status or a helper that runs shows? So
/// it does where what followed the start was told before it.
fn goes_on_in_turn(step: &Step<'_>, observation: &Observation) -> bool {
    let seat = &step.seat;
    let is_same = seat.process.id.is_some() && observation.process == seat.process.id;
    let is_unheard = seat.session.as_ref().is_some_and(|session| !session.start_seen);
    let goes_on = seat.turn.open && (is_unheard || !seat.subagents.is_empty());
    is_same && (goes_on || shows_work(step))
}

/// Is a turn open that the program's own status tells of?
fn shows_work(step: &Step<'_>) -> bool {
    let own = step.seat.fresh_claim(Tier::Own, step.now.plus(-STALE_MS));
    step.seat.turn.open && own.is_some_and(|claim| claim.word == "working")
}

pub(super) fn ended(
    step: &mut Step<'_>,
    how: SessionEnd,
    observation: &Observation,
) -> Result<Effect, Refusal> {
    if stops::is_doubted(step) {
        stops::stands(step);
    }
    let in_turn = step.seat.turn.open || beside::goes_on(step);
    let process = &step.seat.process;
    // One in a pid namespace of which the hub sees nothing is watched by nobody.
    let can_be_seen = process.id.as_ref().is_some_and(|id| id.pid_here().is_some());
    let is_watched = can_be_seen && !process.state.is_over();
    let own = step.seat.session.as_ref().map(|session| &session.id);
    let is_of_another =
        own.zip(observation.session.as_ref()).is_some_and(|(own, said)| own != said);
    let how = match how {
        // It may be that of a helper that has a conversation of its own.
        _ if is_of_another => SessionEnd::Unclear,
        SessionEnd::Exit | SessionEnd::Failed | SessionEnd::Either | SessionEnd::Closed
            if is_watched && observation.process.is_none() && was_just_taken_up(step) =>
        {
            // It may be the goodbye of the life before.
            SessionEnd::Unclear
        }
        how => how,
    };
    if matches!(how, SessionEnd::Exit | SessionEnd::Clear) {
        shown::ends_by_command(step);
    }
    match how {
        SessionEnd::Either | SessionEnd::Closed
            if is_watched && (in_turn || screen::is_at_dialog(step.seat)) =>
        {
            // Whoever leaves in mid-turn or at a dialog mostly was told to go, and is gone in a moment.
            let effect = wait_for_process(step, &observation.name, HeldFact::Left, LEAVE_MS);
            leave_with_a_goodbye(step);
            if let Some(left) = step.seat.left_sessions.last_mut() {
                left.is_closed = how == SessionEnd::Closed;
            }
            return Ok(effect);
        }
        SessionEnd::Unclear if !step.seat.process.state.is_over() => {
            return Ok(wait_for_process(step, &observation.name, HeldFact::Goodbye, SAY_MS));
        }
        SessionEnd::Exit if is_watched && broken::may_tell_by_its_code(step.seat) => {
            return Ok(wait_for_process(step, &observation.name, HeldFact::Parted, LEAVE_MS));
        }
        // Its process will tell.
        SessionEnd::Either | SessionEnd::Closed if is_watched => {
            cleared(step);
            leave_with_a_goodbye(step);
            if !was_left(step) {
                // Of no conversation: it has begun none yet.
                let within = parts_within(step.seat);
                wait_for_process(step, &observation.name, HeldFact::Goodbye, within);
            }
        }
        SessionEnd::Clear => cleared(step),
        SessionEnd::Exit
        | SessionEnd::Failed
        | SessionEnd::Either
        | SessionEnd::Closed
        | SessionEnd::Unclear => {
            part(step, how == SessionEnd::Failed);
        }
    }
    Ok(Effect::Decides)
}

/// It leaves, as it has said.
pub(super) fn part(step: &mut Step<'_>, fails: bool) {
    if fails && step.seat.turn.open {
        prompts::withdraw_all(step);
        turn::close(step, OutcomeKind::Failed, Some(JUST_FAILED));
    }
    let code = match step.seat.process.state {
        Process::Exited(exit) => exit.code,
        _ => None,
    };
    let exit = Exit { code, ..Exit::of(ExitKind::Clean) };
    step.seat.turn.rested = match step.seat.turn() {
        Turn::Idle(reason) => Some(reason),
        Turn::None | Turn::Unknown | Turn::Working(_) | Turn::Blocked(_) => None,
    };
    super::process::leave(step, Process::Exited(exit));
}

/// What may be a goodbye is one once the process is gone, within so many milliseconds from the last time it was said.
fn wait_for_process(step: &mut Step<'_>, name: &str, what: HeldFact, ms: i64) -> Effect {
    let (until, source) = (step.now.plus(ms), step.evidence.source);
    step.seat.held.retain(|held| held.what != what);
    step.seat.held.push(Held { until, source, name: name.to_owned(), what });
    step.changed = true;
    Effect::Outranked("its process tells in a moment whether it has left")
}

/// Was it put away, and taken up again a moment ago?
fn was_just_taken_up(step: &Step<'_>) -> bool {
    let since = step.seat.about.resumed_at.filter(|_| step.seat.was_away);
    since.is_some_and(|at| step.now.since(at) < STRAGGLERS_MS)
}

/// What seemed a goodbye was none: the process goes on. In mid-turn nobody knows whether the turn does, unless it was
/// said that this has ended.
pub(super) fn stays(step: &mut Step<'_>) {
    let left = step.seat.left_sessions.last().filter(|_| was_left(step));
    let is_closed = left.is_some_and(|left| left.is_closed);
    if is_closed || !step.seat.turn.open && !beside::goes_on(step) {
        cleared(step);
        return;
    }
    beside::all_over(step, None);
    prompts::withdraw_all(step);
    take_up_left(step);
    step.set_base(Turn::Unknown, None);
    if let Some(within) = step.seat.leaves_within_ms {
        // It may still leave.
        wait_for_process(step, "goodbye", HeldFact::Goodbye, i64::from(within) - LEAVE_MS);
    }
}

/// The conversation is left, and the program goes on.
fn cleared(step: &mut Step<'_>) {
    let helpers_go_on = close_conversation(step);
    step.seat.leave_session(step.now);
    stand_by(step, helpers_go_on, IdleReason::Cleared);
}

/// The conversation that was left last has not been left.
pub(super) fn take_up(step: &mut Step<'_>, id: &str) {
    step.seat.held.retain(|held| held.what != HeldFact::Left);
    enter(step, id, true);
}

/// What may be the program's goodbye, to the conversation that it was in last.
fn leave_with_a_goodbye(step: &mut Step<'_>) {
    let now = step.now;
    step.seat.leave_session(now);
    if let Some(left) = step.seat.left_sessions.last_mut() {
        (left.at, left.is_goodbye) = (now, true);
    }
    step.changed = true;
}

/// Has the program ended its last conversation, and begun none?
fn was_left(step: &Step<'_>) -> bool {
    step.seat.session.is_none() && !step.seat.left_sessions.is_empty()
}

/// Has it said a moment ago what may have been its goodbye? A hub that was away cannot tell when it left.
pub(super) fn may_have_left(step: &Step<'_>) -> bool {
    let seat = &step.seat;
    let left = seat.left_sessions.last().filter(|left| was_left(step) && left.is_goodbye);
    let said = left.map(|left| left.at.max(seat.ageing_from));
    let is_goodbye = |held: &Held| matches!(held.what, HeldFact::Goodbye | HeldFact::Parted);
    let held = seat.held.iter().any(is_goodbye);
    held || said.is_some_and(|at| step.now.since(at) < parts_within(seat))
}

/// So long a program may take at rest from its goodbye to its end. Milliseconds.
pub(super) fn parts_within(seat: &Seat) -> i64 {
    seat.parts_within_ms.map_or(SAY_MS, i64::from)
}

/// Whoever leaves after a goodbye has left with that conversation: it can be resumed.
pub(super) fn take_up_left(step: &mut Step<'_>) {
    if !was_left(step) {
        return;
    }
    let (since, start_seen) = (step.now, true);
    let left = step.seat.left_sessions.pop();
    step.seat.session = left.map(|left| Session::new(left.id, since, start_seen));
    step.changed = true;
}

/// Metadata read from a log: never an edge (G2).
pub(super) fn history(step: &mut Step<'_>, history: &History) -> Result<Effect, Refusal> {
    let about = &mut step.seat.about;
    let fill = |slot: &mut Option<Box<str>>, value: &Option<String>| {
        if slot.is_none() {
            *slot = value.as_deref().map(Into::into);
        }
    };
    fill(&mut about.log_path, &history.log_path);
    fill(&mut about.model, &history.model);
    fill(&mut about.title, &history.title);
    about.started_at = about.started_at.or(history.started_at);
    let counters = &mut step.seat.counters;
    counters.prompts = counters.prompts.max(history.prompts);
    step.changed = true;
    Ok(Effect::Confirms)
}
