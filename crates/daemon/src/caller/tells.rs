//! Who may tell what of an agent's process, and report in its name.

use super::stray::{self, is_known_here};
use super::{
    above, at_the_other_end, claimed, digest, holder, not_yours, shows_a_token, sits_above,
    speaks_for, unknown_token,
};
use crate::api::{App, Refused};
use crate::namespaces::Peer;
use crate::process;
use crate::sighting::HookReport;
use axum::http::{Extensions, HeaderMap};
use headsup_core::gate;
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::Fact;
use headsup_core::seat::Seat;
use headsup_core::status::{Process, Turn};
use std::sync::Arc;

/// A token is of one agent: whoever shows it is no other. For what needs no caller to be known.
///
/// # Errors
/// The request names another agent.
pub(crate) fn is_of_its_token(app: &App, headers: &HeaderMap) -> Result<(), Refused> {
    let token = headers.get("x-headsup-agent-token").and_then(|token| token.to_str().ok());
    let holder = token.filter(|token| !token.is_empty()).and_then(|token| holder(app, token));
    match (holder, claimed(headers)?) {
        (Some(is), Some(claimed)) if !speaks_for(app, &is, &claimed) => {
            Err(not_yours(&is, &claimed))
        }
        _ => Ok(()),
    }
}

/// Whether what is told of this agent's process, or in its name, may be told by whoever asks: the agent itself,
/// its launcher, by the token that it has given or as what runs above it, or no agent at all.
///
/// # Errors
/// It is another agent, or may be one.
pub(crate) fn may_tend(
    app: &App,
    headers: &HeaderMap,
    extensions: &Extensions,
    agent: &AgentId,
) -> Result<(), Refused> {
    match teller(app, headers, extensions, agent) {
        Teller::Entitled => Ok(()),
        Teller::Other(is) => Err(not_yours(&is, agent)),
        Teller::Nobody if is_known_here(app, agent) && stray::is_one(app, headers, extensions) => {
            Err(stray::refused("speaks for an agent that runs here"))
        }
        Teller::Nobody => Ok(()),
    }
}

/// Whether nobody has heard more of it than its name, by its first call of a tool: to say which program it is tells of
/// nobody else.
pub(crate) fn is_unheard(app: &App, headers: &HeaderMap, agent: &AgentId) -> bool {
    let Some(seat) = app.board.seat(agent).filter(|_| !shows_a_token(headers)) else {
        return false;
    };
    let has_worked = !matches!(seat.turn(), Turn::Unknown) || seat.turn.seq > 0;
    let has_said = seat.stage.is_some() || !seat.verdicts.is_empty() || seat.prompts_opened > 0;
    seat.about.adopted && !is_taken(&seat) && !is_somebody(&seat) && !has_worked && !has_said
}

/// Whether the process that is told of has started whoever asks, and no agent sits between: it runs the tools of one
/// more agent. Where agents sit there already, tools are all that is known of them, as of that one.
pub(crate) fn serves_one_more(app: &App, peer: Peer, told: &ProcessId) -> bool {
    let (Peer::Process(pid), Some(told_pid)) = (peer, told.pid_here()) else { return false };
    for place in process::upwards(pid) {
        let snapshot = app.board.read();
        let sitting = snapshot.places.of_process(place);
        if place == (told_pid, told.start_ticks) {
            return sitting.iter().all(|id| {
                let seat = snapshot.seats.get(id);
                seat.is_some_and(|seat| {
                    seat.about.adopted && seat.about.token.is_none() && seat.session.is_none()
                })
            });
        }
        if !sitting.is_empty() {
            return false;
        }
    }
    false
}

/// Whether this seat may be taken for another start. One that works the writer refuses; one that has ended is free,
/// but for what it has asked a person, or what no person has seen yet, and for what a taker would do in its name. What a
/// person has put away no agent takes.
///
/// # Errors
/// Another agent asks for it, which did not start that one; or what may be an agent.
pub(crate) fn may_take(
    app: &App,
    headers: &HeaderMap,
    extensions: &Extensions,
    agent: &AgentId,
) -> Result<(), Refused> {
    is_of_its_token(app, headers)?;
    let Some(seat) = app.board.seat(agent) else { return Ok(()) };
    let is_away =
        seat.process.state == Process::Suspended || gate::may_resume(&seat, app.time()).is_ok();
    let hint = match () {
        () if is_away => "a person has put it away, and takes it up again; take another id",
        () if waits_for_a_person(&seat) => {
            "it has ended, and a person has not seen how, or has its question to answer; take another id, or \
             let a person run `headsup ack`"
        }
        () if is_somebody(&seat) => {
            "it has a task, a pull request, a name or a parent of its own; take another id, or let a person run \
             `headsup forget`"
        }
        () => return Ok(()),
    };
    match teller(app, headers, extensions, agent) {
        Teller::Other(is) if is_away || !speaks_for(app, agent, &is) => {
            Err(not_yours(&is, agent).hint(hint))
        }
        Teller::Nobody if stray::is_one(app, headers, extensions) => {
            Err(stray::refused("takes the seat of this agent"))
        }
        _ => Ok(()),
    }
}

fn waits_for_a_person(seat: &Seat) -> bool {
    let has_ended = matches!(seat.process.state, Process::Exited(_));
    seat.process.state.is_over() && !seat.prompts.is_empty() || has_ended && seat.is_in_inbox()
}

/// Whoever sits there works on a task or a pull request, is called something, or speaks in another's name.
fn is_somebody(seat: &Seat) -> bool {
    seat.links.is_some() || seat.about.parent.is_some() || seat.name != seat.id.as_str()
}

/// The same for a hook, which says itself in whose seat it runs. Of a seat that is not there yet it brings the
/// first word. A token that nobody holds, of a launch that the hub has lost or that is over, opens no seat in which
/// another sits.
///
/// # Errors
/// As [`may_tend`]; or the token is of nobody.
pub(crate) fn may_report(
    app: &App,
    headers: &HeaderMap,
    extensions: &Extensions,
    report: &HookReport,
) -> Result<(), Refused> {
    // One process that serves several agents runs the hooks of all in the environment of one.
    if report.sighting.shares_process {
        return Ok(());
    }
    let told_of = match &report.claimed {
        Some(claimed) => Some(claimed.clone()).filter(|claimed| app.board.seat(claimed).is_some()),
        None => stranger_to(app, extensions, report),
    };
    let Some(agent) = told_of else { return Ok(()) };
    if report.claimed.is_some()
        && report.token.is_some()
        && app.board.seat(&agent).is_some_and(|seat| is_taken(&seat))
    {
        let peer = at_the_other_end(extensions);
        let is = sits_above(&app.board, peer, Some(&agent));
        let is_shown = is.is_some_and(|is| speaks_for(app, &is, &agent));
        return match is_shown || runs_below(app, &agent, peer) {
            true => Ok(()),
            false => Err(unknown_token()),
        };
    }
    match teller(app, headers, extensions, &agent) {
        Teller::Other(is) if !speaks_for(app, &agent, &is) || report.claimed.is_some() => {
            Err(not_yours(&is, &agent))
        }
        _ => Ok(()),
    }
}

/// A digest of the token that a request shows, where no seat has it.
pub(crate) fn unheld_token(app: &App, headers: &HeaderMap) -> Option<String> {
    let token = headers.get("x-headsup-agent-token").and_then(|token| token.to_str().ok());
    let digest = digest(token.filter(|token| !token.is_empty())?);
    app.board.read().places.of_token(&digest).is_none().then_some(digest)
}

/// Whether somebody is known to sit in it, who may have another token or none.
pub(crate) fn is_taken(seat: &Seat) -> bool {
    seat.about.token.is_some() || seat.session.is_some() || seat.process.id.is_some()
}

/// The agent of whose conversation or process a hook tells that comes from below another agent, and not from below
/// that process. A conversation may be taken up in another process: its start says so.
fn stranger_to(app: &App, extensions: &Extensions, report: &HookReport) -> Option<AgentId> {
    let HookReport { kind, sighting, .. } = report;
    let starts = matches!(sighting.fact, Fact::SessionStarted { .. });
    if starts || !app.board.read().places.know_processes() {
        return None;
    }
    let peer = at_the_other_end(extensions);
    let is = sits_above(&app.board, peer, None)?;
    let snapshot = app.board.read();
    let session = sighting.session.as_deref();
    let holds = |seat: &Arc<Seat>| {
        let own = seat.session.as_ref().map(|session| session.id.as_str());
        seat.kind == kind.as_str() && session.is_some() && own == session
    };
    let seats = &snapshot.seats;
    if seats.get(&is).is_some_and(holds) {
        return None;
    }
    let lives = |seat: &&Arc<Seat>| !seat.process.state.is_over();
    let of_session = seats.values().find(|seat| holds(seat) && lives(seat));
    let process = sighting.process.as_ref();
    let place = process.and_then(|process| Some((process.pid_here()?, process.start_ticks)));
    let of_process = || seats.get(snapshot.places.of_process(place?).first()?);
    let told_of = of_session.or_else(of_process)?;
    let own = told_of.process.id.as_ref();
    let own = own.and_then(|own| Some((own.pid_here()?, own.start_ticks)));
    let Peer::Process(pid) = peer else { return None };
    let comes_from_it = process::upwards(pid).any(|place| Some(place) == own);
    (!comes_from_it).then(|| told_of.id.clone())
}

/// Who tells of an agent.
enum Teller {
    /// It itself, whoever it has started, or its launcher.
    Entitled,
    Other(AgentId),
    /// No agent that is known.
    Nobody,
}

fn teller(app: &App, headers: &HeaderMap, extensions: &Extensions, agent: &AgentId) -> Teller {
    let token = headers.get("x-headsup-agent-token").and_then(|token| token.to_str().ok());
    // A token that nobody holds any more says nothing.
    let holder = token.and_then(|token| holder(app, token));
    if holder.as_ref().is_some_and(|is| speaks_for(app, is, agent)) {
        return Teller::Entitled;
    }
    let peer = at_the_other_end(extensions);
    let is = holder.or_else(|| above(&app.board, peer, Some(agent)));
    match is {
        Some(is) if speaks_for(app, &is, agent) => Teller::Entitled,
        _ if runs_below(app, agent, peer) => Teller::Entitled,
        Some(is) => Teller::Other(is),
        None => Teller::Nobody,
    }
}

/// Whether the agent's process was started, however indirectly, by this one.
fn runs_below(app: &App, agent: &AgentId, peer: Peer) -> bool {
    let Peer::Process(launcher) = peer else { return false };
    let seat = app.board.seat(agent);
    let pid = seat.and_then(|seat| seat.process.id.as_ref()?.pid_here());
    pid.is_some_and(|pid| process::upwards(pid).any(|(above, _)| above == launcher))
}
