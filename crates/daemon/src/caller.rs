//! Who asks: a person, or the agent in some seat.
//!
//! An agent must not answer for its person, nor speak for another agent. It is known by the token
//! that its launch has given it, by the processes above the one that has connected, or by what
//! that one's environment says; whoever is under no agent is the person.

mod stray;
mod tells;

pub(crate) use stray::is_no_orphan_of;
pub(crate) use tells::{
    is_of_its_token, is_taken, is_unheard, may_report, may_take, may_tend, serves_one_more,
    unheld_token,
};

use crate::api::{App, Refused, peer};
use crate::board::{Board, Snapshot};
use crate::namespaces::Peer;
use crate::process;
use crate::serve::Connected;
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
    /// Nobody can tell: perhaps a child of an agent that hides from whom it comes ([`stray`]).
    Stray,
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
        Self::known(app, headers, peer(extensions)).map(|known| known.is)
    }

    fn known(app: &App, headers: &HeaderMap, peer: Peer) -> Result<Known, Refused> {
        let token = headers.get("x-headsup-agent-token").filter(|token| !token.is_empty());
        let claimed = claimed(headers)?;
        let by_token = token.and_then(|token| holder(app, token.to_str().ok()?));
        let by_process = || sits_above(&app.board, peer, claimed.as_ref());
        let shown = match by_token {
            // One that it has started has its token too, and a seat of its own.
            Some(agent) if app.board.read().places.is_parent(&agent) => {
                by_process().filter(|inner| speaks_for(app, inner, &agent)).or(Some(agent))
            }
            Some(agent) => Some(agent),
            None => by_process(),
        };
        let is_shown = shown.is_some();
        let is = shown.or_else(|| says_in_its_environment(peer));
        let is_left =
            token.is_some() && !is_shown && is.as_ref().is_some_and(|is| was_launched(app, is));
        match (is, claimed) {
            // What an older launch in that seat has left behind.
            _ if is_left => Err(unknown_token()),
            (Some(is), Some(claimed)) if !speaks_for(app, &is, &claimed) => {
                Err(not_yours(&is, &claimed))
            }
            (Some(is), _) => Ok(Known { is: Self::Agent(is), is_shown }),
            (None, _) if token.is_some() => Err(unknown_token()),
            (None, Some(claimed)) => Ok(Known { is: Self::Agent(claimed), is_shown }),
            (None, None) => Ok(Known { is: Self::Person, is_shown }),
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
        let Known { is, is_shown } = Self::known(app, headers, at_the_other_end(extensions))?;
        match is {
            Self::Agent(_) if is_shown => Ok(is),
            // Its own word alone, where whoever is launched shows a token.
            Self::Agent(is) if has_token(app, &is) && stray::is_one(app, headers, extensions) => {
                Err(stray::refused("speaks for an agent that runs here"))
            }
            Self::Person if stray::is_one(app, headers, extensions) => Ok(Self::Stray),
            is => Ok(is),
        }
    }

    /// The agent that it is, if it is one.
    pub(crate) fn agent(self) -> Option<AgentId> {
        match self {
            Self::Agent(agent) => Some(agent),
            Self::Person | Self::Stray => None,
        }
    }

    /// Only people do this; `what` follows on "only a person".
    ///
    /// # Errors
    /// It is an agent, or may be one.
    pub(crate) fn is_a_person(&self, what: &str) -> Result<(), Refused> {
        let detail = match self {
            Self::Person => return Ok(()),
            Self::Agent(is) => format!("{is} is an agent; only a person {what}"),
            Self::Stray => return Err(stray::refused(what)),
        };
        Err(Refused::new(403, "human_only", detail))
    }

    /// The agent that it is; none: a person.
    ///
    /// # Errors
    /// Nobody can tell; `what` is what an agent does otherwise than a person.
    pub(crate) fn agent_or_person(self, what: &str) -> Result<Option<AgentId>, Refused> {
        match self {
            Self::Stray => Err(stray::refused(what)),
            other => Ok(other.agent()),
        }
    }

    /// As whom it may speak of this agent: as itself, or as a person.
    ///
    /// # Errors
    /// It is another agent.
    pub(crate) fn about(&self, app: &App, agent: &AgentId) -> Result<By, Refused> {
        match self {
            Self::Person => Ok(By::Person),
            // What has no process of its own, anybody's script may tell of.
            Self::Stray if stray::is_known_here(app, agent) => {
                Err(stray::refused("speaks for an agent that runs here"))
            }
            Self::Stray => Ok(By::Person),
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
            Self::Stray => Err(stray::refused("answers")),
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

/// What people alone do (`what`, as "only a person ..." has it): an agent's word on it would be nobody's.
///
/// # Errors
/// An agent asks for it, or what may be one.
pub(crate) fn people_only(
    app: &App,
    headers: &HeaderMap,
    extensions: &Extensions,
    what: &str,
) -> Result<(), Refused> {
    Caller::of_an_act(app, headers, extensions)?.is_a_person(what)
}

fn not_yours(is: &AgentId, wanted: &AgentId) -> Refused {
    let detail = format!("this is said by agent {is}, which cannot speak for {wanted}");
    Refused::new(403, "not_your_agent", detail)
        .hint("an agent speaks for itself alone; a person does it from a shell of their own")
}

fn unknown_token() -> Refused {
    let detail = "this agent token is of no agent that the hub knows";
    Refused::new(403, "unknown_agent_token", detail)
        .hint("it is a launch's own, and ends with the next start or resume in that seat")
}

/// Whether the request shows the token of a launch; [`Caller::of`] has looked whose.
pub(crate) fn shows_a_token(headers: &HeaderMap) -> bool {
    headers.get("x-headsup-agent-token").is_some_and(|token| !token.is_empty())
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

/// Who asks, and whether that is more than its own word.
struct Known {
    is: Caller,
    is_shown: bool,
}

/// The agent was launched with a token.
fn was_launched(app: &App, agent: &AgentId) -> bool {
    app.board.seat(agent).is_some_and(|seat| seat.about.token.is_some())
}

/// The agent was launched here with a token, which its children have too.
fn has_token(app: &App, agent: &AgentId) -> bool {
    was_launched(app, agent) && stray::is_known_here(app, agent)
}

/// The agent that a process of this machine runs under: the nearest of those above it that sits in
/// a seat; else the one that its environment names.
pub(crate) fn above(board: &Board, peer: Peer, claimed: Option<&AgentId>) -> Option<AgentId> {
    sits_above(board, peer, claimed).or_else(|| says_in_its_environment(peer))
}

fn sits_above(board: &Board, peer: Peer, claimed: Option<&AgentId>) -> Option<AgentId> {
    let Peer::Process(pid) = peer else { return None };
    if !board.read().places.know_processes() {
        return None;
    }
    // Read as far as the first that sits anywhere, and each before the board is looked at: the writer waits for that.
    process::upwards(pid).find_map(|place| {
        let snapshot = board.read();
        let sitting = snapshot.places.of_process(place);
        one_of(&snapshot, sitting, claimed)
    })
}

fn says_in_its_environment(peer: Peer) -> Option<AgentId> {
    let Peer::Process(pid) = peer else { return None };
    process::claimed_seat(pid)
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
