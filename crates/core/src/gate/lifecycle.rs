//! What people do with an agent's process: put it away, take it up again, end it.

use super::acts::act;
use super::process::{self, RESTORING};
use super::{Decision, Step, session};
use crate::seat::{Leaving, Seat};
use crate::source::{Confidence, Evidence, Source};
use crate::status::{Exit, ExitKind, Process, Turn};
use crate::time::UnixMs;

/// Why an agent's process is left as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("{}", not_running(.0))]
    NotRunning(&'static str),
    #[error("it is {0}, not suspended")]
    NotSuspended(&'static str),
    #[error("nobody knows its process, so it cannot be ended")]
    NoProcess,
    #[error("nobody knows its session, so nothing could take it up again")]
    NoSession,
    /// The same of one that was put away: it tells no session any more.
    #[error("nobody knows its session, so nothing could take it up again")]
    NothingToResume,
    #[error("it is in a turn ({0})")]
    InTurn(&'static str),
    #[error("it waits for an answer in a prompt of its own")]
    OpenPrompt,
    #[error("it has work in the background: {subagents} subagents, {shells} shells")]
    Background { subagents: usize, shells: u32 },
    #[error("nothing sure says that it is idle")]
    Unsure,
}

fn not_running(state: &str) -> String {
    match state {
        "exited" => "it has ended".to_owned(),
        state => format!("it is {state}, not running"),
    }
}

impl Unfit {
    /// What a person may do then.
    pub fn hint(self) -> &'static str {
        match self {
            Self::NotRunning("suspended") => "`headsup resume` takes it up again",
            Self::NotRunning("starting") => "wait for it; `headsup stop` ends it at once",
            Self::NotRunning(_) | Self::NotSuspended("ended" | "crashed") => {
                "`headsup run` starts an agent in its place"
            }
            Self::NotSuspended("starting") => {
                "wait for it; where nothing has come of its start, that can be tried again after 15 s"
            }
            Self::NotSuspended(_) => "it needs no taking up; `headsup next` leads to whoever waits",
            Self::NoProcess => {
                "end it where it runs; `headsup forget ID --force` takes it off the list"
            }
            Self::NoSession => "it tells its session with its next prompt",
            Self::NothingToResume => "`headsup forget ID` takes it off the list",
            Self::InTurn(_) => {
                "wait for its end: `headsup wait ID --until idle`; `headsup stop` ends it at once"
            }
            Self::OpenPrompt => "answer it first: `headsup inbox`; `headsup stop` ends it at once",
            Self::Background { .. } => "wait until that is done; `headsup stop` ends it at once",
            Self::Unsure => "look at it: `headsup show`; `headsup stop` ends it at once",
        }
    }

    /// The stable word for it.
    pub fn code(self) -> &'static str {
        match self {
            Self::NotRunning(_) => "not_running",
            Self::NotSuspended(_) => "not_suspended",
            Self::NoProcess => "no_process",
            Self::NoSession | Self::NothingToResume => "no_session",
            Self::InTurn(_) => "in_turn",
            Self::OpenPrompt => "open_prompt",
            Self::Background { .. } => "background_work",
            Self::Unsure => "not_surely_idle",
        }
    }
}

/// Whether an agent may be put away now: it rests, surely, and can be come back to. A question to a
/// person that its agent does not wait for in a turn is no hindrance.
///
/// # Errors
/// It may not.
pub fn may_suspend(seat: &Seat) -> Result<(), Unfit> {
    if !seat.process.state.is_running() {
        return Err(Unfit::NotRunning(seat.process.state.word()));
    }
    if seat.own_prompts().next().is_some() {
        return Err(Unfit::OpenPrompt);
    }
    match seat.turn() {
        Turn::Idle(_) => {}
        turn @ (Turn::Working(_) | Turn::Blocked(_)) => return Err(Unfit::InTurn(turn.word())),
        Turn::Unknown | Turn::None => return Err(Unfit::Unsure),
    }
    if !seat.subagents.is_empty() || seat.shells > 0 {
        let (subagents, shells) = (seat.subagents.len(), seat.shells);
        return Err(Unfit::Background { subagents, shells });
    }
    // What has to settle first may say something else.
    let is_sure = seat.turn.evidence.confidence >= Confidence::Strong;
    if !is_sure || seat.stale || seat.turn.open || !seat.held.is_empty() {
        return Err(Unfit::Unsure);
    }
    if seat.session.is_none() {
        return Err(Unfit::NoSession);
    }
    seat.process.id.as_ref().map(drop).ok_or(Unfit::NoProcess)
}

/// A person puts an agent away: its process is to be ended, and is suspended once it is gone.
///
/// # Errors
/// [`may_suspend`] says why; nothing changes.
pub fn suspend(seat: &mut Seat, now: UnixMs) -> Result<Decision, Unfit> {
    may_suspend(seat)?;
    Ok(leave(seat, Leaving::Suspend, now))
}

/// Whether there is a process that could be ended.
///
/// # Errors
/// There is none, or nobody knows it.
pub fn may_stop(seat: &Seat) -> Result<(), Unfit> {
    if seat.process.state.is_over() {
        return Err(Unfit::NotRunning(seat.process.state.word()));
    }
    seat.process.id.as_ref().map(drop).ok_or(Unfit::NoProcess)
}

/// A person ends an agent, whatever it does.
///
/// # Errors
/// [`may_stop`] says why; nothing changes.
pub fn stop(seat: &mut Seat, now: UnixMs) -> Result<Decision, Unfit> {
    may_stop(seat)?;
    Ok(leave(seat, Leaving::Stop, now))
}

fn leave(seat: &mut Seat, leaving: Leaving, now: UnixMs) -> Decision {
    let before = seat.status_key();
    let mut step = act(seat, now);
    if step.seat.leaving != Some(leaving) {
        step.seat.leaving = Some(leaving);
        step.changed = true;
    }
    // One that only starts stays so until it is gone.
    if step.seat.process.state.may_become(Process::Stopping)
        && step.seat.process.state != Process::Stopping
    {
        process::leave(&mut step, Process::Stopping);
    }
    step.finish(&before)
}

/// What a launcher says of a program that could not be run, as a shell does.
pub const CANNOT_RUN: i32 = 126;
/// Whoever starts an agent, or takes one up again, has told its process by then. Milliseconds.
const LAUNCHED_WITHIN_MS: i64 = 15_000;

/// Whether a seat may be taken for another start: it has ended, or nothing has come of the start that it
/// was taken for.
pub fn is_free(seat: &Seat, now: UnixMs) -> bool {
    let process = &seat.process;
    let is_late = now.since(process.since) > LAUNCHED_WITHIN_MS;
    process.state.is_over() || process.state != RESTORING && is_late && is_unheard_start(seat)
}

/// Was it to be started, and nobody has told of it since, nor which process it is?
pub(super) fn is_unheard_start(seat: &Seat) -> bool {
    let starts = matches!(seat.process.state, Process::Starting { .. });
    starts && seat.process.id.is_none() && !is_heard_of(seat)
}

/// Was its process started, and has it told nothing of itself since, nor has anybody seen what it does? It may have
/// come up long ago.
pub(super) fn is_mute(seat: &Seat) -> bool {
    let starts = matches!(seat.process.state, Process::Starting { .. });
    starts && seat.process.id.is_some() && seat.turn() == Turn::None && !is_heard_of(seat)
}

/// Was it started with its prompt, and has nobody told of that since its conversation began?
pub(super) fn awaits_its_prompt(seat: &Seat) -> bool {
    let starts = matches!(seat.process.state, Process::Starting { .. });
    let has_begun = seat.session.as_ref().is_some_and(|session| session.start_seen);
    starts && seat.process.headless && has_begun && seat.turn() == Turn::None
}

/// Has anybody told of the agent since it was to be started?
fn is_heard_of(seat: &Seat) -> bool {
    let since = seat.process.since;
    let has_entered = seat.session.as_ref().is_some_and(|session| session.since > since);
    let has_spoken = seat.last_edge_at.is_some_and(|at| at > since);
    has_entered || has_spoken || seat.claims.iter().any(|claim| claim.confirmed_at > since)
}

/// A free seat is taken. A start of which nothing has come begins anew, and has as long as the first.
pub fn start_over(seat: &mut Seat, now: UnixMs) -> Decision {
    let before = seat.status_key();
    let state = seat.process.state;
    let mut step = Step::new(seat, Evidence::new(Source::Process, now), now);
    if matches!(state, Process::Starting { .. }) {
        process::turn_into(&mut step, state);
    }
    step.finish(&before)
}

/// A free seat goes to somebody else, of another kind: nothing of the one before is theirs. How that one left, the lives
/// that are counted there and what people are asked there are the seat's.
pub fn succeed(before: &Seat, newcomer: Seat, now: UnixMs) -> Seat {
    let mut seat = Seat {
        incarnation: before.incarnation,
        registered_at: before.registered_at,
        process: before.process.clone(),
        stage: before.stage.clone(),
        runs: before.runs,
        prompts: before.prompts.clone(),
        prompts_opened: before.prompts_opened,
        headline_since: before.headline_since,
        last_status_at: before.last_status_at,
        ..newcomer
    };
    drop(start_over(&mut seat, now));
    seat
}

/// The process in the seat is that of several conversations: that it lives on says nothing of one that has
/// said goodbye. True: this one had, and has no process any more.
pub fn part(seat: &mut Seat) -> bool {
    let parts = seat.is_over_by_word();
    if parts {
        seat.process.id = None;
    }
    parts
}

/// The process in the seat has gone over to a conversation that has a seat of its own: nobody sits here now.
pub fn vacate(seat: &mut Seat, now: UnixMs) -> Decision {
    let before = seat.status_key();
    let left = Process::Exited(Exit::of(ExitKind::Clean));
    let mut step = Step::new(seat, Evidence::new(Source::Process, now), now);
    if step.seat.process.state.may_become(left) {
        process::leave(&mut step, left);
        step.seat.process.id = None;
    }
    step.finish(&before)
}

/// Whether an agent can be taken up again.
///
/// # Errors
/// It is not suspended, or nobody knows in which session it was.
pub fn may_resume(seat: &Seat, now: UnixMs) -> Result<(), Unfit> {
    if seat.process.state != Process::Suspended && !is_lost_on_the_way(seat, now) {
        return Err(Unfit::NotSuspended(seat.headline().word()));
    }
    seat.session.as_ref().map(drop).ok_or(Unfit::NothingToResume)
}

/// Was it to be taken up, by a resume or by a launch in its seat, and nothing came of that? Its conversation is as it
/// was when it was put away.
fn is_lost_on_the_way(seat: &Seat, now: UnixMs) -> bool {
    let is_unheard = seat.session.as_ref().is_some_and(|session| !session.start_seen);
    let was_wanted = seat.about.suspended_at.is_some() && is_unheard;
    was_wanted
        && match seat.process.state {
            Process::Exited(exit) => exit.code == Some(CANNOT_RUN),
            state => {
                (state == RESTORING || seat.was_away && is_unheard_start(seat))
                    && seat.process.id.is_none()
                    && now.since(seat.process.since) > LAUNCHED_WITHIN_MS
            }
        }
}

/// As [`resume`], with words of a person's to go on with: whoever says what is next has seen what was last.
///
/// # Errors
/// [`may_resume`] says why; nothing changes.
pub fn resume_with_words(seat: &mut Seat, token: &str, now: UnixMs) -> Result<Decision, Unfit> {
    may_resume(seat, now)?;
    seat.seen_turn_seq = seat.turn.seq;
    resume(seat, token, now)
}

/// A person takes up an agent that was put away: the same seat and session, another life. `token` is a
/// digest of the one by which its calls are known from now on.
///
/// # Errors
/// [`may_resume`] says why; nothing changes.
pub fn resume(seat: &mut Seat, token: &str, now: UnixMs) -> Result<Decision, Unfit> {
    may_resume(seat, now)?;
    let before = seat.status_key();
    let mut step = act(seat, now);
    session::begin(step.seat, true, now);
    step.seat.leaving = None;
    step.seat.process.id = None;
    if let Some(session) = &mut step.seat.session {
        session.start_seen = false;
    }
    step.seat.about.token = Some(token.into());
    process::turn_into(&mut step, RESTORING);
    Ok(step.finish(&before))
}
