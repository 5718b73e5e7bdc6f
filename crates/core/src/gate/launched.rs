//! What was launched for a seat and is not the agent itself: a program that starts itself anew, a script around it.
//! What is told of it is told of the agent that it waits for.

use super::{Effect, STRAGGLERS_MS, Step, process};
use crate::id::ProcessId;
use crate::observation::{Fact, Observation, ProcessFact};
use crate::seat::{Launched, LaunchedEnd, Seat};
use crate::source::Source;
use crate::status::{Exit, ExitKind, OutcomeKind, Process};
use crate::time::UnixMs;

/// Within this time a process and what has started it end together. Milliseconds.
const TOGETHER_MS: i64 = 3_000;

/// Of which process it is the end that `process` has ended: what was launched for a seat ends with the agent that it
/// has started and waits for, unless that lives on, or has been gone for long. A shell goes on behind it, and a script:
/// what those return later tells of nobody. One that has only said goodbye may still be leaving.
pub fn whose_end(
    seat: &Seat,
    process: &ProcessId,
    now: UnixMs,
    is_alive: impl Fn(&ProcessId) -> bool,
) -> ProcessId {
    let facts = &seat.process;
    let late = if seat.is_over_by_word() { STRAGGLERS_MS } else { TOGETHER_MS };
    let is_recent = !facts.state.is_over() || now.since(facts.since) < late;
    let waits = is_recent && facts.outer() == Some(process);
    let agent = facts.id.as_ref().filter(|&agent| waits && !is_alive(agent));
    agent.unwrap_or(process).clone()
}

/// Does a launcher tell which process it has started?
fn is_launch(observation: &Observation) -> bool {
    let starts = matches!(
        observation.fact,
        Fact::Process(ProcessFact::Starting(_) | ProcessFact::Running { .. })
    );
    starts && observation.source == Source::Process
}

/// The process that its launcher names is the one in the seat.
pub(super) fn note(step: &mut Step<'_>, observation: &Observation) {
    if let Some(said) = observation.process.as_ref().filter(|_| is_launch(observation)) {
        step.seat.process.launched = Some(Box::new(Launched::new(said.clone())));
        step.changed = true;
    }
}

/// The agent has spoken before its launcher did. True: this is the launcher's word.
pub(super) fn comes_late(step: &mut Step<'_>, observation: &Observation) -> bool {
    let (known, said) = (step.seat.process.id.as_ref(), observation.process.as_ref());
    let (Some(known), Some(said)) = (known, said) else { return false };
    // Whoever has started the agent was there before it.
    let precedes =
        said.pid_namespace == known.pid_namespace && said.start_ticks <= known.start_ticks;
    let is_late = is_launch(observation) && precedes && !step.seat.process.state.is_over();
    if is_late {
        note(step, observation);
    }
    is_late
}

/// What was launched speaks for itself: it is the agent.
pub(super) fn speaks(step: &mut Step<'_>, observation: &Observation) {
    let is_its_own = matches!(observation.source, Source::Hook | Source::Plugin | Source::Registry);
    if is_its_own && step.seat.process.is_unheard() {
        step.seat.process.launched = None;
        step.changed = true;
    }
}

/// It has ended, and what it has started has not, as far as is known.
pub(super) fn ended(step: &mut Step<'_>, exit: Exit) -> Effect {
    let at = step.now;
    if let Some(launched) = &mut step.seat.process.launched {
        launched.end = Some(LaunchedEnd { exit, at });
        step.changed = true;
    }
    Effect::Outranked("the agent that it has started lives on")
}

/// How the agent has ended, of which nobody knows more than that it is gone, or what it returned: as what has started it
/// did a moment ago.
pub(super) fn explained(step: &Step<'_>, exit: Exit) -> Exit {
    if let Some(own) = seen(step, exit) {
        return own;
    }
    let launched = step.seat.process.launched.as_ref();
    let end = launched.and_then(|launched| launched.end.as_ref());
    let end = end.filter(|end| step.now.since(end.at) < TOGETHER_MS);
    let is_bare = exit.code.is_none() && exit.signal.is_none();
    let has_parted = exit.kind == ExitKind::Clean && is_bare;
    let exit = if has_parted && never_came(step) { Exit::of(ExitKind::Crashed) } else { exit };
    // It was told to go, and with it the agent: an error that this returns then is no crash.
    let is_sent = |end: &LaunchedEnd| end.exit.kind == ExitKind::Killed && exit.is_error();
    let told = match end.filter(|end| is_bare || is_sent(end)) {
        Some(_) if !is_bare => Exit { kind: ExitKind::Killed, ..exit },
        // Why, its launcher does not know.
        Some(end) if exit.kind == ExitKind::OomKilled => Exit { kind: exit.kind, ..end.exit },
        Some(end) => process::refine(Process::Exited(end.exit), exit),
        None => exit,
    };
    match told.kind {
        ExitKind::Clean if !has_parted && dies_unheard(step) => {
            Exit { kind: ExitKind::Crashed, ..told }
        }
        _ => told,
    }
}

/// The signal by which it was seen to end, where `exit` is the code of what has started it: that tells of a script around
/// it alone. One that says that it was told to go (128 and the number of TERM, INT or HUP) counts as ever.
fn seen(step: &Step<'_>, exit: Exit) -> Option<Exit> {
    let facts = &step.seat.process;
    let Process::Exited(own) = facts.state else { return None };
    let is_code = exit.code.is_some() && exit.signal.is_none();
    let is_return = is_code && matches!(exit.kind, ExitKind::Clean | ExitKind::Crashed);
    (facts.outer().is_some() && is_return && own.signal.is_some()).then_some(own)
}

/// Is it gone in mid-turn, without the goodbye that it always says and that would have been heard? What a script
/// around it returns says nothing of that. Of one at a terminal that takes its status file away as it leaves so it is
/// at rest, too.
fn dies_unheard(step: &Step<'_>) -> bool {
    let seat = &*step.seat;
    let facts = &seat.process;
    let Some(session) = seat.session.as_ref().filter(|session| session.start_seen) else {
        return false;
    };
    let keeps_a_file = session.is_filed && !facts.headless;
    let is_missed = match facts.state {
        // It was seen to be gone before.
        Process::Exited(said) => {
            let outcome = seat.outcome.as_ref().filter(|outcome| outcome.at == facts.since);
            let in_turn = outcome.is_some_and(|outcome| outcome.kind == OutcomeKind::Aborted);
            said.is_crash() && (in_turn || keeps_a_file)
        }
        state => seat.turn.open || keeps_a_file && state.is_running(),
    };
    facts.outer().is_some() && seat.parts_with_a_word && is_missed
}

/// Was it to take its conversation up, and has it told of nothing, nor asked anything? Then it has not parted from it,
/// also where its status file went with it.
fn never_came(step: &Step<'_>) -> bool {
    let seat = &step.seat;
    let was_awaited = seat.process.state == process::RESTORING;
    was_awaited && step.evidence.source == Source::Process && seat.own_prompts().next().is_none()
}
