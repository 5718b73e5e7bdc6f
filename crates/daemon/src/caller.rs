//! Who asks: a person, or the agent in some seat.
//!
//! An agent must not answer for its person, nor speak for another agent. It is known by the token
//! that its launch has given it, by the processes above the one that has connected, or by what
//! that one's environment says; whoever is under no agent is the person.

use crate::api::{App, Refused, peer};
use crate::board::{Board, Snapshot};
use crate::namespaces::Peer;
use crate::process;
use crate::serve::Connected;
use crate::sighting::HookReport;
use axum::http::{Extensions, HeaderMap};
use headsup_core::id::AgentId;
use headsup_core::workflow::By;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// Whose word a request is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    Agent(AgentId),
    Person,
}

/// On a request that the hub's own server of the tools has made: nobody outside can put it there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FromTheTools;

/// What a token is kept as: whoever reads the store cannot use it.
pub(crate) fn digest(token: &str) -> String {
    let digest = Sha256::digest(token.as_bytes());
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string cannot fail.
        write!(text, "{byte:02x}").ok();
        text
    })
}

impl Caller {
    /// # Errors
    /// What the request says of its caller contradicts itself, or the token is of nobody.
    pub(crate) fn of(
        app: &App,
        headers: &HeaderMap,
        extensions: &Extensions,
    ) -> Result<Self, Refused> {
        let token = headers.get("x-headsup-agent-token").filter(|token| !token.is_empty());
        let claimed = claimed(headers)?;
        let by_token = token.and_then(|token| holder(app, token.to_str().ok()?));
        let is = match by_token {
            Some(agent) => Some(agent),
            None => above(&app.board, peer(extensions), claimed.as_ref()),
        };
        match (is, claimed) {
            (Some(is), Some(claimed)) if !speaks_for(app, &is, &claimed) => {
                Err(not_yours(&is, &claimed))
            }
            (Some(is), _) => Ok(Self::Agent(is)),
            (None, _) if token.is_some() => {
                let detail = "this agent token is of no agent that the hub knows";
                Err(Refused::new(403, "unknown_agent_token", detail)
                    .hint("it is a launch's own: HEADSUP_AGENT_ID says of which agent"))
            }
            (None, Some(claimed)) => Ok(Self::Agent(claimed)),
            (None, None) => Ok(Self::Person),
        }
    }

    /// The same for whatever somebody does. On loopback the process at the other end is looked for as well:
    /// an agent may have read the token of its person.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub(crate) fn of_an_act(
        app: &App,
        headers: &HeaderMap,
        extensions: &Extensions,
    ) -> Result<Self, Refused> {
        let caller = Self::of(app, headers, extensions)?;
        if caller != Self::Person {
            return Ok(caller);
        }
        let agent = above(&app.board, at_the_other_end(extensions), None);
        Ok(agent.map_or(Self::Person, Self::Agent))
    }

    /// The agent that it is, if it is one.
    pub(crate) fn agent(self) -> Option<AgentId> {
        match self {
            Self::Agent(agent) => Some(agent),
            Self::Person => None,
        }
    }

    /// As whom it may speak of this agent: as itself, or as a person.
    ///
    /// # Errors
    /// It is another agent.
    pub(crate) fn about(&self, app: &App, agent: &AgentId) -> Result<By, Refused> {
        match self {
            Self::Person => Ok(By::Person),
            Self::Agent(is) if speaks_for(app, is, agent) => Ok(By::Agent),
            Self::Agent(is) => Err(not_yours(is, agent)),
        }
    }

    /// Only people answer.
    ///
    /// # Errors
    /// It is an agent, the one that asks or another.
    pub(crate) fn answers(&self, app: &App, agent: &AgentId) -> Result<(), Refused> {
        match self {
            Self::Person => Ok(()),
            Self::Agent(is) if speaks_for(app, is, agent) || speaks_for(app, agent, is) => {
                let detail = format!("{is} has asked a person and cannot answer for one");
                Err(Refused::new(403, "self_answer", detail)
                    .hint("wait for the answer; or take the question back"))
            }
            Self::Agent(is) => {
                let detail = format!("{is} is an agent; only a person answers");
                Err(Refused::new(403, "human_only", detail))
            }
        }
    }
}

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
/// It is another agent.
pub(crate) fn may_tend(
    app: &App,
    headers: &HeaderMap,
    extensions: &Extensions,
    agent: &AgentId,
) -> Result<(), Refused> {
    let token = headers.get("x-headsup-agent-token").and_then(|token| token.to_str().ok());
    // A token that nobody holds any more says nothing.
    let holder = token.and_then(|token| holder(app, token));
    if holder.as_ref().is_some_and(|is| speaks_for(app, is, agent)) {
        return Ok(());
    }
    let peer = at_the_other_end(extensions);
    match holder.or_else(|| above(&app.board, peer, Some(agent))) {
        Some(is) if !speaks_for(app, &is, agent) && !runs_below(app, agent, peer) => {
            Err(not_yours(&is, agent))
        }
        _ => Ok(()),
    }
}

/// The same for a hook, which says itself in whose seat it runs. Of a seat that is not there yet it brings the
/// first word.
///
/// # Errors
/// As [`may_tend`].
pub(crate) fn may_report(
    app: &App,
    headers: &HeaderMap,
    extensions: &Extensions,
    report: &HookReport,
) -> Result<(), Refused> {
    match &report.claimed {
        // One process that serves several agents runs the hooks of all in the environment of one.
        Some(claimed) if !report.sighting.shares_process && app.board.seat(claimed).is_some() => {
            may_tend(app, headers, extensions, claimed)
        }
        _ => Ok(()),
    }
}

/// The process that asks, on the unix socket or over TCP on loopback.
pub(crate) fn at_the_other_end(extensions: &Extensions) -> Peer {
    match peer(extensions) {
        Peer::Process(pid) => Peer::Process(pid),
        other => {
            let connected = extensions.get::<Connected>();
            let origin = connected.and_then(|connected| connected.origin.as_ref());
            origin.and_then(|origin| origin.process()).map_or(other, Peer::Process)
        }
    }
}

/// Whether the agent's process was started, however indirectly, by this one.
fn runs_below(app: &App, agent: &AgentId, peer: Peer) -> bool {
    let Peer::Process(launcher) = peer else { return false };
    let seat = app.board.seat(agent);
    let pid = seat.and_then(|seat| seat.process.id.as_ref()?.pid_here());
    pid.is_some_and(|pid| process::line(pid).iter().any(|(above, _)| *above == launcher))
}

/// Whether whoever asks has cut itself loose since the agent was started: it has no terminal, and what it comes
/// from is younger than the agent and was left to the system. So do an agent's children that hide from whom
/// they come; a person's shell, desktop or scheduler is there before, or has a terminal.
pub(crate) fn is_cut_loose(app: &App, extensions: &Extensions, agent: &AgentId) -> bool {
    // A browser has no terminal, and the desktop may have started it a moment ago: it has shown a token.
    let Peer::Process(pid) = peer(extensions) else { return false };
    let seat = app.board.seat(agent);
    let Some(own) = seat.and_then(|seat| seat.process.id.clone()) else { return false };
    own.pid_here().is_some() && process::was_left_since(pid, own.start_ticks)
}

/// What people alone do: an agent's word on it would be nobody's.
///
/// # Errors
/// An agent asks for it.
pub(crate) fn people_only(
    app: &App,
    headers: &HeaderMap,
    extensions: &Extensions,
) -> Result<(), Refused> {
    match Caller::of_an_act(app, headers, extensions)? {
        Caller::Person => Ok(()),
        Caller::Agent(is) => {
            let detail = format!("{is} is an agent; only a person says what a person has seen");
            Err(Refused::new(403, "human_only", detail))
        }
    }
}

fn not_yours(is: &AgentId, wanted: &AgentId) -> Refused {
    let detail = format!("this is said by agent {is}, which cannot speak for {wanted}");
    Refused::new(403, "not_your_agent", detail)
        .hint("an agent speaks for itself alone; a person does it from a shell of their own")
}

/// `X-Headsup-Agent`: the seat that the caller says it sits in.
fn claimed(headers: &HeaderMap) -> Result<Option<AgentId>, Refused> {
    let Some(claimed) = headers.get("x-headsup-agent").filter(|id| !id.is_empty()) else {
        return Ok(None);
    };
    let bad = || Refused::new(400, "bad_agent_id", headsup_core::id::BadAgentId.to_string());
    let claimed = claimed.to_str().map_err(|_| bad())?;
    AgentId::new(claimed).map(Some).map_err(|_| bad())
}

/// An agent speaks for its own seat. One that was started by another, and inherits its id, speaks
/// in its name as well.
fn speaks_for(app: &App, is: &AgentId, wanted: &AgentId) -> bool {
    let mut at = Some(is.clone());
    // Nesting has an end; a circle of parents would have none.
    for _ in 0..16 {
        let Some(agent) = at else { return false };
        if agent == *wanted {
            return true;
        }
        at = app.board.seat(&agent).and_then(|seat| seat.about.parent.clone());
    }
    false
}

/// The agent that was launched with this token.
fn holder(app: &App, token: &str) -> Option<AgentId> {
    app.board.read().places.of_token(&digest(token)).cloned()
}

/// The agent that a process of this machine runs under: the nearest of those above it that sits in
/// a seat; else the one that its environment names.
pub(crate) fn above(board: &Board, peer: Peer, claimed: Option<&AgentId>) -> Option<AgentId> {
    let Peer::Process(pid) = peer else { return None };
    let line = process::line(pid);
    let nearest = {
        let snapshot = board.read();
        let mut sitting = line.iter().map(|place| snapshot.places.of_process(*place));
        let sitting = sitting.find(|sitting| !sitting.is_empty());
        sitting.and_then(|sitting| one_of(&snapshot, sitting, claimed))
    };
    nearest.or_else(|| process::claimed_seat(pid))
}

/// Of several agents that one process serves nobody can tell which one it is: the one that it says it
/// is; else one that still works there, always the same.
fn one_of(snapshot: &Snapshot, sitting: &[AgentId], claimed: Option<&AgentId>) -> Option<AgentId> {
    if let Some(claimed) = claimed.filter(|claimed| sitting.contains(claimed)) {
        return Some(claimed.clone());
    }
    let is_over =
        |id: &AgentId| snapshot.seats.get(id).is_none_or(|seat| seat.process.state.is_over());
    sitting.iter().min_by_key(|id| (is_over(id), *id)).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_kept_as_its_digest() {
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest("abc"), known);
    }
}
