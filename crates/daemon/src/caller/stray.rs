//! Whoever has been left to the system since an agent runs: an agent's child that hides from whom it comes looks
//! so. Most people's shells, desktops and schedulers do not: they were there before, or stand in a control group
//! of their own, or were started by something that gives people a terminal.

use super::at_the_other_end;
use crate::api::{App, Refused, peer};
use crate::namespaces::Peer;
use crate::process;
use crate::process::left::{LeftAlone, left_alone};
use axum::http::header::AUTHORIZATION;
use axum::http::{Extensions, HeaderMap};
use headsup_core::id::AgentId;
use headsup_core::seat::Seat;

/// Whether whoever asks may be a child of any agent that runs here.
pub(super) fn is_one(app: &App, headers: &HeaderMap, extensions: &Extensions) -> bool {
    let Some(left) = left(headers, extensions) else { return false };
    let (seats, _) = app.board.all();
    let groups = groups(left.pid);
    seats.iter().any(|seat| {
        let agent = runs_here(seat);
        agent
            .is_some_and(|(pid, started)| left.start_ticks > started && self::groups(pid) == groups)
    })
}

/// For answers: whoever asks is no child that this agent has left when it ended. Of those that live, [`is_one`] says
/// it.
///
/// # Errors
/// It may be one.
pub(crate) fn is_no_orphan_of(
    app: &App,
    headers: &HeaderMap,
    extensions: &Extensions,
    agent: &AgentId,
) -> Result<(), Refused> {
    let seat = app.board.seat(agent);
    let own = seat.as_ref().and_then(|seat| seat.process.id.as_ref());
    let own = own.filter(|own| own.pid_here().is_some() && !process::is_alive(own));
    match (own, left(headers, extensions)) {
        (Some(own), Some(left)) if left.start_ticks > own.start_ticks => Err(refused("answers")),
        _ => Ok(()),
    }
}

/// Whether the agent has a process that runs here.
pub(super) fn is_known_here(app: &App, agent: &AgentId) -> bool {
    app.board.seat(agent).is_some_and(|seat| runs_here(&seat).is_some())
}

/// `what` follows on "only a person".
pub(super) fn refused(what: &str) -> Refused {
    let detail = format!(
        "only a person {what}, and nobody can tell who asks: what it comes from began after an agent and was left alone"
    );
    Refused::new(403, "human_only", detail).hint("do it in a terminal of your own, or on the page")
}

/// Over TCP a browser is not looked at: it has no terminal either, and the desktop may have started it a moment ago.
/// It comes with its session, programs with the token of the file that an agent can read as well.
fn left(headers: &HeaderMap, extensions: &Extensions) -> Option<LeftAlone> {
    let peer = match peer(extensions) {
        Peer::Process(pid) => Peer::Process(pid),
        _ if headers.contains_key(AUTHORIZATION) => at_the_other_end(extensions),
        other => other,
    };
    match peer {
        Peer::Process(pid) => left_alone(pid),
        _ => None,
    }
}

fn runs_here(seat: &Seat) -> Option<(u32, u64)> {
    let own = seat.process.id.as_ref().filter(|_| !seat.process.state.is_over())?;
    Some((own.pid_here()?, own.start_ticks))
}

/// The control groups of a process. A child stays in those of its parent, whoever becomes its parent then.
fn groups(pid: u32) -> Option<Vec<u8>> {
    std::fs::read(format!("/proc/{pid}/cgroup")).ok()
}
