//! Facts about the process: they beat everything (G9).

use super::{
    Effect, Refusal, Rule, Step, beside, broken, launched, refuse, screen, session, stops,
};
use crate::id::ProcessId;
use crate::observation::ProcessFact;
use crate::seat::Leaving;
use crate::source::Source;
use crate::status::{
    Attach, Exit, ExitKind, IdleReason, OutcomeKind, Process, Returns, StartPhase, Turn,
};
use crate::workflow::Stage;

/// Taken up again, and not heard of yet.
pub(super) const RESTORING: Process = Process::Starting { phase: StartPhase::Restoring };

pub(super) fn phrase(fact: ProcessFact) -> Option<String> {
    match fact {
        ProcessFact::Exited(_) | ProcessFact::Suspended | ProcessFact::Stopping => {
            Some("none".to_owned())
        }
        _ => None,
    }
}

/// Does it say that the process leaves?
pub(super) fn is_end(fact: &ProcessFact) -> bool {
    matches!(fact, ProcessFact::Exited(_) | ProcessFact::Suspended | ProcessFact::Stopping)
}

pub(super) fn said(
    step: &mut Step<'_>,
    fact: ProcessFact,
    id: Option<&ProcessId>,
) -> Result<Effect, Refusal> {
    let state = step.seat.process.state;
    let fact = match fact {
        ProcessFact::Exited(exit) if id.is_some() && id == step.seat.process.outer() => {
            return Ok(launched::ended(step, exit));
        }
        ProcessFact::Exited(exit) => ProcessFact::Exited(launched::explained(step, exit)),
        fact => fact,
    };
    if matches!(fact, ProcessFact::Exited(_)) && !state.is_over() {
        stops::believe_last(step);
    }
    let target = match fact {
        ProcessFact::Alive if step.seat.is_over_by_word() && id.is_some() => {
            stays(step);
            return Ok(Effect::Decides);
        }
        ProcessFact::Alive => {
            if state == Process::Unknown {
                Process::Running { attach: step.seat.process.attach() }
            } else {
                return Ok(Effect::Confirms);
            }
        }
        ProcessFact::Orphaned => {
            orphaned(step);
            return Ok(Effect::Confirms);
        }
        ProcessFact::Starting(phase) => Process::Starting { phase },
        ProcessFact::Running { attach, .. } => Process::Running { attach },
        ProcessFact::Stopping => Process::Stopping,
        ProcessFact::Suspended => Process::Suspended,
        // One that a person has stopped at rest is what it was.
        ProcessFact::Unprobeable
            if step.evidence.source == Source::Process
                && !matches!(step.seat.turn(), Turn::Working(_)) =>
        {
            return Ok(Effect::Confirms);
        }
        ProcessFact::Unprobeable => Process::Unknown,
        ProcessFact::Exited(_) if step.seat.leaving == Some(Leaving::Suspend) => Process::Suspended,
        ProcessFact::Exited(exit) if step.seat.leaving == Some(Leaving::Stop) => {
            Process::Exited(ended_by_a_person(state, exit))
        }
        ProcessFact::Exited(exit) if screen::was_refused(step, &exit) => {
            Process::Exited(Exit { kind: ExitKind::Clean, ..exit })
        }
        // It had just said goodbye to its conversation: it left.
        ProcessFact::Exited(exit)
            if exit.kind == ExitKind::Crashed
                && exit.signal.is_none()
                && !state.is_over()
                && session::may_have_left(step) =>
        {
            Process::Exited(Exit { kind: ExitKind::Clean, ..exit })
        }
        ProcessFact::Exited(exit) if broken::fails_unheard(step, exit) => {
            Process::Exited(Exit { kind: ExitKind::Clean, ..exit })
        }
        ProcessFact::Exited(exit) if is_finished_run(step, &exit) || is_failed_run(step, &exit) => {
            Process::Exited(Exit { kind: ExitKind::Clean, ..exit })
        }
        ProcessFact::Exited(exit) if has_handed_in(step, &exit) => {
            Process::Exited(Exit::of(ExitKind::Unspecified))
        }
        ProcessFact::Exited(exit) => Process::Exited(refine(state, exit)),
    };
    if state == target {
        return Ok(Effect::Confirms);
    }
    if state.in_short() == target.in_short() && matches!(target, Process::Exited(_)) {
        // The same end, of which more is known now.
        broken::fails_with(step, target);
        step.seat.process.state = target;
        step.announce = true;
        step.changed = true;
        return Ok(Effect::Confirms);
    }
    if state.is_running() && matches!(target, Process::Starting { .. }) && id.is_some() {
        // It has spoken before its launcher did.
        return Ok(Effect::Confirms);
    }
    let is_of_the_dead = matches!(state, Process::Exited(_)) && id.is_some();
    if is_of_the_dead
        && matches!(target, Process::Starting { .. })
        && (id == step.seat.process.id.as_ref() || id == step.seat.process.outer())
    {
        return refuse(Rule::G9, "this very process has ended already");
    }
    if state == RESTORING && matches!(target, Process::Starting { .. }) {
        // Its launcher does not tell a first start from another.
        return Ok(Effect::Confirms);
    }
    // A proxy has started it itself, and does not name the process of a script.
    let is_known = id.is_some() || step.evidence.source == Source::Acp;
    if state == Process::Absent && matches!(target, Process::Exited(_)) && is_known {
        // Nobody was there to hear that it was started.
        turn_into(step, Process::Starting { phase: StartPhase::Booting });
        step.seat.process.id = id.cloned();
        leave(step, target);
        return Ok(Effect::Decides);
    }
    if !state.may_become(target) {
        let why = format!("a process that is {} cannot become {}", state.word(), target.word());
        return refuse(Rule::Illegal, why);
    }
    if state.is_over() {
        step.seat.leaving = None;
    }
    match target {
        Process::Running { .. } => {
            if state.is_over() {
                step.seat.is_taken_by_hand();
            }
            let again = matches!(state, Process::Exited(_) | Process::Suspended);
            if again {
                // Somebody started it again by hand.
                let session = step.seat.session.as_ref().map(|session| session.id.clone());
                session::renew(step, session.as_deref(), false);
            }
            // Whoever was launched may have started the one that sits here.
            if step.seat.process.id.is_none() {
                step.seat.process.id = id.cloned();
            }
            turn_into(step, target);
            if matches!(step.seat.turn.base, Turn::None) {
                step.set_base(Turn::Unknown, None);
            }
        }
        Process::Starting { .. } => {
            if state.is_over() {
                // The one that sat here is gone; who comes is not known yet.
                step.seat.process.id = id.cloned();
                super::acts::new_run(step);
            }
            if matches!(state, Process::Exited(_)) {
                // How the one before ended is no outcome of this one: it would pass for done.
                step.seat.outcome = None;
            }
            if matches!(state, Process::Exited(_) | Process::Suspended) {
                session::begin(step.seat, state == Process::Suspended, step.now);
            }
            if state == Process::Suspended
                && let Some(session) = &mut step.seat.session
            {
                // Its conversation is to be taken up, and has not told of that.
                session.start_seen = false;
            }
            turn_into(step, target);
        }
        Process::Unknown | Process::Absent => turn_into(step, target),
        Process::Stopping | Process::Suspended | Process::Exited(_) => {
            session::take_up_left(step);
            leave(step, target);
        }
    }
    Ok(Effect::Decides)
}

/// Nobody finds it where it was.
fn orphaned(step: &mut Step<'_>) {
    let process = &mut step.seat.process;
    if process.is_orphan() || process.state.is_over() {
        return;
    }
    process.orphan = process.id.clone().map(Box::new);
    let location = &mut step.seat.about.location;
    (location.tmux, location.tmux_server) = (None, None);
    step.announce = true;
    step.changed = true;
}

/// It has said goodbye, and has not left. At rest it is what it was; what it does else, nobody knows.
pub(super) fn stays(step: &mut Step<'_>) {
    let attach = step.seat.process.attach();
    turn_into(step, Process::Running { attach });
    let base = step.seat.turn.rested.take().map_or(Turn::Unknown, Turn::Idle);
    let failure = step.seat.outcome.as_ref().and_then(|outcome| outcome.code.clone());
    let detail = failure.filter(|_| base == Turn::Idle(IdleReason::TurnEnded));
    step.set_base(base, detail.as_deref());
}

/// A run that nobody can type to is over with its turn: not every program says more than that it
/// ended. Of one that does its silence says that it was killed, and a code or a signal that is known
/// says more.
fn is_finished_run(step: &Step<'_>, exit: &Exit) -> bool {
    let runs = step.seat.process.state == Process::Running { attach: Attach::Headless }
        && !step.seat.parts_with_a_word;
    let is_bare = exit.code.is_none() && exit.signal.is_none();
    let has_ended = step.seat.turn() == Turn::Idle(IdleReason::TurnEnded);
    runs && exit.kind == ExitKind::Crashed && is_bare && has_ended
}

/// A run that nobody can type to, that has told that its turn has failed, and that returns an error of its own: it tells
/// the same twice, also where no goodbye is heard in between. That it is gone may have been seen before.
fn is_failed_run(step: &Step<'_>, exit: &Exit) -> bool {
    let seat = &*step.seat;
    let before = seat.process.state;
    let is_news = !before.is_over() || before == Process::Exited(Exit::of(ExitKind::Crashed));
    let has_failed = seat.outcome.as_ref().is_some_and(|last| last.kind == OutcomeKind::Failed);
    let returns_errors = seat.process.headless && seat.returns != Returns::Anything;
    is_news && has_failed && !seat.turn.open && returns_errors && exit.is_error()
}

/// One that has told that all of its work is done, and is then gone, has ended: nobody has seen how. Of a program that
/// never leaves without a word, and whose words are heard, its silence says that it was killed.
fn has_handed_in(step: &Step<'_>, exit: &Exit) -> bool {
    let seat = &*step.seat;
    let is_bare = *exit == Exit::of(ExitKind::Crashed);
    let is_completed = seat.stage.as_ref().is_some_and(|status| status.stage == Stage::Completed);
    let owes_a_word = seat.parts_with_a_word && seat.session.is_some();
    let is_at_work = seat.turn.open || matches!(seat.turn(), Turn::Working(_) | Turn::Blocked(_));
    let before = seat.process.state;
    let is_news = !matches!(before, Process::Exited(said) if said.kind != ExitKind::Unspecified);
    is_bare && is_completed && is_news && !owes_a_word && !is_at_work
}

/// However it went: a person has wanted it. What is known of it is only added to.
fn ended_by_a_person(state: Process, exit: Exit) -> Exit {
    let (code, signal) = match state {
        Process::Exited(said) => (said.code, said.signal),
        _ => (None, None),
    };
    let kind = ExitKind::Killed;
    Exit { kind, code: exit.code.or(code), signal: exit.signal.or(signal) }
}

/// A goodbye stays one whatever code follows it, but for a signal; and an exit of which more is
/// known is not made less of.
pub(super) fn refine(state: Process, exit: Exit) -> Exit {
    let Process::Exited(said) = state else { return exit };
    let knows_more = exit.code.is_some() || exit.signal.is_some();
    let is_goodbye = said.kind == ExitKind::Clean;
    match exit.signal {
        _ if said.kind == ExitKind::OomKilled => Exit { kind: said.kind, ..exit },
        // Why it was killed.
        None if exit.kind == ExitKind::OomKilled && !knows_more && said.was_killed() => {
            Exit { kind: exit.kind, ..said }
        }
        Some(_) => exit,
        None if is_goodbye => Exit { code: exit.code.or(said.code), ..said },
        None if !knows_more && (said.code.is_some() || said.signal.is_some()) => said,
        None => exit,
    }
}

pub(super) fn turn_into(step: &mut Step<'_>, target: Process) {
    let process = &mut step.seat.process;
    process.become_state(target);
    process.unseen = matches!(target, Process::Exited(exit) if exit.is_crash());
    process.since = step.now;
    process.evidence = step.evidence.clone();
    step.changed = true;
}

/// Leaving `running`: no turn without a process; an open one was aborted.
pub(super) fn leave(step: &mut Step<'_>, target: Process) {
    stops::believe_last(step);
    beside::all_over(step, Some(OutcomeKind::Aborted));
    broken::fails_with(step, target);
    session::close(step, OutcomeKind::Aborted);
    if target == Process::Suspended {
        step.seat.about.suspended_at = Some(step.now);
    }
    turn_into(step, target);
    step.set_base(Turn::None, None);
}
