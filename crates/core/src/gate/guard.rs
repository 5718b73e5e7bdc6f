//! What may come in at all: replay, age, session, process (G1, G2, G9, G10).

use super::{
    Refusal, Rule, SETTLE_MS, STRAGGLERS_MS, Step, beside, launched, level, lifecycle, process,
    refuse, report, session, side,
};
use crate::arbitrate;
use crate::observation::{
    Delivery, Fact, Level, Observation, ProcessFact, ReportedTurn, SessionEnd, SessionStart,
};
use crate::seat::{Launched, LeftSession};
use crate::source::{Source, Tier};
use crate::status::{ExitKind, OutcomeKind, Process, Turn};

const NOTHING_BEGUN: &str = "from another session, which has begun nothing here";

pub(super) fn check(step: &mut Step<'_>, observation: &Observation) -> Result<(), Refusal> {
    if let Fact::NotUnderstood { why } = &observation.fact {
        appear(step, observation)?;
        level::void(step, observation);
        return refuse(Rule::G11, why.clone());
    }
    let is_history = matches!(observation.fact, Fact::History(_));
    if observation.delivery == Delivery::Replayed && !is_history {
        return refuse(Rule::G2, "read from the past: metadata only");
    }
    if let Delivery::Spooled { reported_at } = observation.delivery
        && step.seat.last_live_at.is_some_and(|last| reported_at < last)
        && !is_end_of_its_process(step, observation)
    {
        return refuse(Rule::G10, "it waited in the spool and later evidence was accepted");
    }
    if is_history {
        side::note_log(step, observation);
        return Ok(());
    }
    if observation.delivery == Delivery::Standing
        && let Fact::Level(level) = &observation.fact
        && report::has_told_since(step.seat, observation.source, level)
    {
        return refuse(Rule::G10, "it only stands still, and a report has told otherwise since");
    }
    let is_being_ended =
        step.seat.process.state == Process::Stopping && step.seat.leaving.is_some();
    if is_being_ended && !matches!(observation.fact, Fact::Process(_)) {
        return refuse(Rule::G9, "it is being ended by a person, and only its end counts now");
    }
    if is_told_exactly(step) && !may_speak_beside(observation.source) {
        return refuse(Rule::Rank, "the protocol that it is driven by tells it exactly");
    }
    let is_unheard = step.seat.session.as_ref().is_some_and(|session| !session.start_seen);
    if step.seat.process.state == process::RESTORING
        && is_unheard
        && matches!(observation.fact, Fact::SessionEnded { .. })
    {
        return refuse(Rule::G1, "the goodbye of the life before");
    }
    let renewed = check_process(step, observation)?;
    if !renewed {
        check_session(step, observation)?;
    }
    revive(step, observation)?;
    note_filed(step, observation);
    side::note_log(step, observation);
    Ok(())
}

/// Keeps that the program's own status file has named the conversation that the seat is in.
fn note_filed(step: &mut Step<'_>, observation: &Observation) {
    let Some(session) = &mut step.seat.session else { return };
    let is_named = observation.session.as_ref() == Some(&session.id);
    if observation.source == Source::Registry && is_named && !session.is_filed {
        session.is_filed = true;
        step.changed = true;
    }
}

/// Does it say how the very process in the seat has ended? That is true however late it comes.
fn is_end_of_its_process(step: &Step<'_>, observation: &Observation) -> bool {
    matches!(observation.fact, Fact::Process(ProcessFact::Exited(_)))
        && observation.process.is_some()
        && observation.process == step.seat.process.id
}

/// Whoever speaks for the first time is there, also where nobody knows what it says.
fn appear(step: &mut Step<'_>, observation: &Observation) -> Result<(), Refusal> {
    let seat = &step.seat;
    let was_none = seat.session.is_none() && seat.left_sessions.is_empty() && seat.turn.seq == 0;
    let is_first = seat.process.state == Process::Absent && was_none;
    let is_past = observation.delivery == Delivery::Replayed || is_told_exactly(step);
    if is_first && !is_past {
        check_process(step, observation)?;
        step.ensure_running(None);
        step.set_base(Turn::Unknown, None);
        if let Some(session) = &observation.session {
            // What comes next of that conversation is its own, and of no other one.
            session::enter(step, session, false);
        }
    }
    Ok(())
}

/// Is the agent driven by a protocol that tells all of its status?
pub(super) fn is_told_exactly(step: &Step<'_>) -> bool {
    step.seat.kind.starts_with("acp:")
}

/// Hooks, logs and titles of the same program tell the same a second time, and less of it.
fn may_speak_beside(source: Source) -> bool {
    match source {
        Source::Process | Source::Container | Source::Acp | Source::Report | Source::Quiet => true,
        Source::ProgramStatus | Source::Registry | Source::AppServer | Source::EventStream => false,
        Source::Hook | Source::Plugin | Source::Transcript | Source::Title | Source::Screen => {
            false
        }
    }
}

/// Is it the process in the seat? `Ok(true)`: a new one took the seat.
fn check_process(step: &mut Step<'_>, observation: &Observation) -> Result<bool, Refusal> {
    let Some(said) = &observation.process else {
        return Ok(false);
    };
    let is_end = matches!(observation.fact, Fact::Process(ProcessFact::Exited(_)));
    let Some(known) = step.seat.process.id.clone() else {
        if is_end && step.seat.process.launched.as_ref().is_some_and(|before| before.id == *said) {
            return refuse(Rule::G9, "what was launched in the life before has ended");
        }
        if !is_end {
            step.seat.process.id = Some(said.clone());
            step.changed = true;
            launched::note(step, observation);
        }
        return Ok(false);
    };
    if known == *said {
        if known.host_pid.is_none() && said.host_pid.is_some() {
            // The same one, and now it can be looked at.
            step.seat.process.id = Some(said.clone());
            step.changed = true;
        }
        launched::speaks(step, observation);
        return Ok(false);
    }
    if launched::comes_late(step, observation) {
        return Ok(false);
    }
    let state = step.seat.process.state;
    let is_outer = step.seat.process.outer() == Some(said);
    if is_end && (state.is_over() || !is_outer) {
        return refuse(Rule::G9, "another process than the one in the seat has ended");
    }
    let older = said.pid_namespace == known.pid_namespace && said.start_ticks < known.start_ticks;
    if older && !state.is_over() && !is_outer {
        return refuse(Rule::G1, "from an older process than the one in the seat");
    }
    let was_killed = matches!(state, Process::Exited(exit) if exit.signal.is_some());
    let was_ended = state.is_over() && step.seat.leaving.is_some();
    let says_goodbye = matches!(observation.fact, Fact::SessionEnded { .. });
    let is_left = older && was_ended && !starts(&observation.fact);
    if is_left || says_goodbye && (was_killed || was_ended) {
        return refuse(Rule::G1, "from a process that an ended program has left behind");
    }
    if is_outer {
        // What is told of it is told of the agent that it has started.
        return Ok(false);
    }
    let own = step.seat.session.as_ref().filter(|_| !session::is_of_the_life_before(step.seat));
    let session = own.map(|session| session.id.as_str());
    // Of the same conversation only a launcher has told, which reads along.
    let is_read = step.seat.process.is_unheard() && session == observation.session.as_deref();
    let had_a_voice = state.is_over() || session.is_some() && !is_read;
    let is_its_own = session.is_some() && session == observation.session.as_deref();
    if had_a_voice && is_its_own && is_goodbye(&observation.fact) {
        // Another process of the same program says it: no life begins with that.
        return Ok(false);
    }
    if had_a_voice {
        if !matches!(state, Process::Starting { .. }) {
            step.seat.is_taken_by_hand();
        }
        beside::all_over(step, Some(OutcomeKind::Aborted));
        session::renew(step, observation.session.as_deref(), starts(&observation.fact));
    } else {
        // What was launched has started the agent, and only waits for it.
        step.seat.process.launched = Some(Box::new(Launched::new(known)));
    }
    step.seat.process.id = Some(said.clone());
    step.changed = true;
    launched::note(step, observation);
    Ok(had_a_voice)
}

fn starts(fact: &Fact) -> bool {
    matches!(fact, Fact::SessionStarted { how, .. } if *how != SessionStart::Compact)
}

fn check_session(step: &mut Step<'_>, observation: &Observation) -> Result<(), Refusal> {
    let Some(said) = observation.session.as_deref() else {
        return Ok(());
    };
    if beside::is_end(step, observation) || side::is_heard(step, observation) {
        return Ok(());
    }
    let starts = starts(&observation.fact);
    match &step.seat.session {
        None => {
            let left = step.seat.left_sessions.iter().any(|left| left.id == said);
            if left && goes_on(step, said, observation) {
                session::take_up(step, said);
                return Ok(());
            }
            if leaves(step, said, observation) {
                return Ok(());
            }
            if left && !starts && !is_taken_up(step, said, observation) {
                return refuse(Rule::G1, "from a session that was left");
            }
            let is_another = !step.seat.left_sessions.is_empty();
            if is_another && !is_goodbye(&observation.fact) && !comes_in(step, observation) {
                return refuse(Rule::G1, NOTHING_BEGUN);
            }
            if is_another && !session::is_counted(step.seat) {
                // The one before was cleared.
                step.seat.incarnation += 1;
            }
            session::enter(step, said, starts);
            Ok(())
        }
        Some(session) if session.id == said => {
            if session::is_of_the_life_before(step.seat) {
                session::enter(step, said, starts);
            }
            Ok(())
        }
        Some(_) => {
            let left = step.seat.left_sessions.iter().any(|left| left.id == said);
            if left && !starts && !is_taken_up(step, said, observation) {
                return refuse(Rule::G1, "from a session that was left");
            }
            if !left && is_goodbye(&observation.fact) {
                // Its process tells in a moment whether it has left.
                return Ok(());
            }
            if !left && !comes_in(step, observation) {
                return refuse(Rule::G1, NOTHING_BEGUN);
            }
            if session::is_of_the_life_before(step.seat) {
                // What was seen in this one is of the first conversation that it names.
                step.seat.leave_session(step.now);
                session::enter(step, said, starts);
                return Ok(());
            }
            let process = &step.seat.process;
            let known = process.id.clone().filter(|_| !process.state.is_over());
            // What has started it tells of the one that is there.
            let is_outer =
                process.outer().is_some_and(|it| Some(it) == observation.process.as_ref());
            let own = known.clone().filter(|_| is_outer).or_else(|| observation.process.clone());
            if known.is_some() && (own == known || own.is_none()) {
                beside::leave(step);
            }
            if known.is_some() && own == known {
                // Its process goes on: nothing has died with the conversation.
                session::close(step, OutcomeKind::Interrupted);
            }
            session::renew(step, Some(said), starts);
            // Whoever names no process is taken to be in the one that is there.
            step.seat.process.id = own.or(known);
            Ok(())
        }
    }
}

/// Does a conversation that is not the seat's own begin something here? Any other word of one is late, or a
/// helper's that has a conversation of its own; and so may be a call beside an open turn.
fn comes_in(step: &Step<'_>, observation: &Observation) -> bool {
    let seat = &step.seat;
    let is_over = seat.process.state.is_over();
    let is_gone = is_over && step.now.since(seat.process.since) >= STRAGGLERS_MS;
    // Nobody in this life has spoken yet, or nobody is there to be disturbed.
    let is_free = session::is_counted(seat) && !lifecycle::awaits_its_prompt(seat) || is_gone;
    // A program's own account of itself is of all that it does.
    let is_own = observation.source.tier() == Tier::Own;
    is_free || is_own || opens(&observation.fact) || !seat.turn.open && works(&observation.fact)
}

fn opens(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::SessionStarted { .. }
            | Fact::PromptSubmitted { .. }
            | Fact::PromptTold
            | Fact::PromptOpened { .. }
            | Fact::DialogShown { .. }
            | Fact::Level(Level::Blocked { .. })
    )
}

fn works(fact: &Fact) -> bool {
    match fact {
        Fact::ToolStarted { actor, .. } | Fact::ToolGranted { actor, .. } => actor.is_main(),
        Fact::Level(level) => matches!(level, Level::Working { .. }),
        _ => false,
    }
}

fn is_goodbye(fact: &Fact) -> bool {
    matches!(fact, Fact::SessionEnded { how } if *how != SessionEnd::Clear)
}

/// Does a program that has ended its conversation, and begun none, say goodbye with the name of that one?
fn leaves(step: &Step<'_>, said: &str, observation: &Observation) -> bool {
    let seat = &step.seat;
    let is_last = seat.left_sessions.last().is_some_and(|left| left.id == said);
    let says_goodbye = is_goodbye(&observation.fact);
    is_last && says_goodbye && !seat.turn.open && !seat.process.state.is_over()
}

/// Does the conversation that was left last begin something in the process that it was left in? Then its
/// goodbye meant something else. What was under way when it was told has arrived before.
fn goes_on(step: &Step<'_>, said: &str, observation: &Observation) -> bool {
    let seat = &step.seat;
    let left = seat.left_sessions.last().filter(|left| left.id == said);
    let is_same = seat.process.id.is_some() && observation.process == seat.process.id;
    let is_later = left.is_some_and(|left| is_told_later(step, left, observation));
    is_later && is_same && seat.process.state.is_running() && begins(&observation.fact)
}

/// Is it told well behind the moment in which this conversation was left? What has waited for a hub was told behind all
/// that has waited before it.
fn is_told_later(step: &Step<'_>, left: &LeftSession, observation: &Observation) -> bool {
    let (left_at, at) = match observation.delivery {
        Delivery::Live => (left.at, step.now),
        Delivery::Spooled { reported_at } if arbitrate::is_told_late(step.seat) => {
            (step.seat.spooled_until, reported_at)
        }
        Delivery::Spooled { reported_at } => (left.at, reported_at),
        Delivery::Standing | Delivery::Replayed => return false,
    };
    at.since(left_at) >= SETTLE_MS
}

/// Is something asked in a conversation that was left, in the very process that sits here, and not just behind that?
/// Then it was taken up again, and what said so was not understood. So it was where the program's status file names
/// it anew: that has one conversation after the other, and has named the seat's own since.
fn is_taken_up(step: &Step<'_>, said: &str, observation: &Observation) -> bool {
    let seat = &step.seat;
    let left = seat.left_sessions.iter().find(|left| left.id == said);
    let is_later = left.is_some_and(|left| is_told_later(step, left, observation));
    let is_same = seat.process.id.is_some() && observation.process == seat.process.id;
    let asks = matches!(observation.fact, Fact::PromptSubmitted { .. } | Fact::PromptTold);
    let is_level = matches!(observation.fact, Fact::Level(_));
    let has_named = seat.session.as_ref().is_some_and(|own| own.is_filed);
    let names = observation.source == Source::Registry && is_level && has_named;
    // The protocol that it is driven by names a session only where the seat comes into it.
    let is_exact = asks && observation.source == Source::Acp;
    is_exact || is_later && is_same && (asks || names) && seat.process.state.is_running()
}

/// Does it tell that something begins?
fn begins(fact: &Fact) -> bool {
    match fact {
        Fact::PromptSubmitted { .. } | Fact::PromptTold => true,
        Fact::ToolStarted { actor, .. }
        | Fact::ToolGranted { actor, .. }
        | Fact::PromptOpened { actor, .. }
        | Fact::DialogShown { actor, .. } => actor.is_main(),
        _ => false,
    }
}

/// A fact from a seat whose process is over: a straggler, or a sign of new life.
fn revive(step: &mut Step<'_>, observation: &Observation) -> Result<(), Refusal> {
    if matches!(observation.fact, Fact::Process(_)) || starts(&observation.fact) {
        return Ok(());
    }
    let process = &step.seat.process;
    if process.state == Process::Absent {
        // Whoever speaks is there, whatever it does.
        step.ensure_running(None);
        step.set_base(Turn::Unknown, None);
        return Ok(());
    }
    if process.state == Process::Unknown
        && observation.source.tier() == Tier::Edge
        && observation.delivery == Delivery::Live
    {
        // Whoever speaks goes on.
        step.ensure_running(None);
        return Ok(());
    }
    if !process.state.is_over() {
        return Ok(());
    }
    if let Fact::Reported(reported) = &observation.fact
        && reported.process.is_some_and(|fact| process::is_end(&fact))
    {
        return refuse(Rule::G3, "the process has ended already");
    }
    if is_late_goodbye(step, observation) {
        return Ok(());
    }
    let is_later = step.now.since(process.since) >= SETTLE_MS;
    let is_same = step.seat.is_over_by_word() && observation.process == process.id;
    let is_live = observation.delivery == Delivery::Live;
    if is_same && is_later && is_live && begins(&observation.fact) {
        process::stays(step);
        return Ok(());
    }
    let is_report = observation.source == Source::Report;
    let by_word_alone = is_report && process.id.is_none();
    let has_no_name = by_word_alone || is_nameless(step, observation);
    let begins_anew = has_no_name && begins_a_turn(&observation.fact);
    if !begins_anew && step.now.since(process.since) < STRAGGLERS_MS {
        return refuse(Rule::G1, "a straggler of a process that has ended");
    }
    if is_report && !by_word_alone && !is_word_of_life(step, observation) {
        return refuse(Rule::G9, "its process has ended, and this tells of no other one");
    }
    if matches!(observation.fact, Fact::SessionEnded { .. } | Fact::Nothing) {
        return refuse(Rule::G1, "the process has ended already");
    }
    let session = observation.session.clone();
    session::renew(step, session.as_deref(), false);
    Ok(())
}

/// Where a process was known, a report tells of another one by what begins alone, and not where it comes
/// from what that process has left behind: that may report for ever.
fn is_word_of_life(step: &Step<'_>, observation: &Observation) -> bool {
    let Fact::Reported(reported) = &observation.fact else { return false };
    let is_left = observation.process.is_some() && observation.process == step.seat.process.id;
    let works = matches!(reported.turn, Some(ReportedTurn::Working(_) | ReportedTurn::Blocked(_)));
    let runs = matches!(reported.process, Some(ProcessFact::Running { .. }));
    !is_left && (works || runs)
}

/// Was neither session nor process ever named? Then no name tells a straggler from another life.
fn is_nameless(step: &Step<'_>, observation: &Observation) -> bool {
    let seat = &step.seat;
    let has_no_session =
        observation.session.is_none() && seat.session.is_none() && seat.left_sessions.is_empty();
    has_no_session && observation.process.is_none() && seat.process.id.is_none()
}

/// Just behind an end nothing but a new turn tells that somebody is there again: a question, a rest or a tool's
/// end may have been on its way.
fn begins_a_turn(fact: &Fact) -> bool {
    match fact {
        Fact::PromptSubmitted { .. } | Fact::PromptTold => true,
        Fact::Reported(reported) => {
            let runs = matches!(reported.process, Some(ProcessFact::Running { .. }));
            runs || matches!(reported.turn, Some(ReportedTurn::Working(_)))
        }
        _ => false,
    }
}

/// A death was seen before the goodbye that explains it: it was no crash.
fn is_late_goodbye(step: &Step<'_>, observation: &Observation) -> bool {
    let process = &step.seat.process;
    let unexplained = matches!(process.state, Process::Exited(exit)
        if exit.kind == ExitKind::Crashed && exit.signal.is_none());
    is_goodbye(&observation.fact) && unexplained && step.now.since(process.since) < STRAGGLERS_MS
}
