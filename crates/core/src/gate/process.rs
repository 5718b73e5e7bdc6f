//! Facts about the process: they beat everything (G9).

use super::{Effect, Refusal, Rule, Step, refuse, session};
use crate::id::ProcessId;
use crate::observation::ProcessFact;
use crate::status::{Attach, Exit, ExitKind, OutcomeKind, Process, Turn};

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
    let target = match fact {
        ProcessFact::Alive => {
            if state == Process::Unknown {
                Process::Running { attach: Attach::Interactive }
            } else {
                return Ok(Effect::Confirms);
            }
        }
        ProcessFact::Starting(phase) => Process::Starting { phase },
        ProcessFact::Running { attach, .. } => Process::Running { attach },
        ProcessFact::Stopping => Process::Stopping,
        ProcessFact::Suspended => Process::Suspended,
        ProcessFact::Unprobeable => Process::Unknown,
        ProcessFact::Exited(exit) => Process::Exited(refine(state, exit)),
    };
    if state == target {
        return Ok(Effect::Confirms);
    }
    if !state.may_become(target) {
        let why = format!("a process that is {} cannot become {}", state.word(), target.word());
        return refuse(Rule::Illegal, why);
    }
    match target {
        Process::Running { .. } => {
            let again = matches!(state, Process::Exited(_) | Process::Suspended);
            if again {
                // Somebody started it again by hand.
                let session = step.seat.session.as_ref().map(|session| session.id.clone());
                session::renew(step, session.as_deref(), false);
            }
            if id.is_some() {
                step.seat.process.id = id.cloned();
            }
            turn_into(step, target);
            if matches!(step.seat.turn.base, Turn::None) {
                step.set_base(Turn::Unknown, None);
            }
        }
        Process::Starting { .. } | Process::Unknown | Process::Absent => turn_into(step, target),
        Process::Stopping | Process::Suspended | Process::Exited(_) => leave(step, target),
    }
    Ok(Effect::Decides)
}

/// What was a clean goodbye stays one unless the exit itself says more.
fn refine(state: Process, exit: Exit) -> Exit {
    match state {
        Process::Exited(said) if said.kind == ExitKind::Clean && exit.code.is_none() => {
            if exit.signal.is_some() { exit } else { said }
        }
        _ => exit,
    }
}

fn turn_into(step: &mut Step<'_>, target: Process) {
    let process = &mut step.seat.process;
    process.state = target;
    process.since = step.now;
    process.evidence = step.evidence.clone();
    step.changed = true;
}

/// Leaving `running`: no turn without a process; an open one was aborted.
pub(super) fn leave(step: &mut Step<'_>, target: Process) {
    session::close(step, OutcomeKind::Aborted);
    if target == Process::Suspended {
        step.seat.about.suspended_at = Some(step.now);
    }
    turn_into(step, target);
    step.set_base(Turn::None, None);
}
