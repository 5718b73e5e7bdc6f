//! What goes on of an agent that was launched and has ended: it has that one's environment still, and so its name.

use super::staging::Staging;
use crate::process::left::left_alone;
use headsup_core::id::{AgentId, ProcessId};

/// Whether this process, which is in a conversation of its own, was left to the system by the agent that has sat in the
/// seat. A new launch takes the seat before its process begins.
pub(super) fn is_one(
    staging: &Staging<'_>,
    claimed: Option<&AgentId>,
    session: Option<&str>,
    process: Option<&ProcessId>,
) -> bool {
    let Some(seat) = claimed.and_then(|id| staging.seat(id)) else { return false };
    let (Some(session), Some(process), Some(ended)) = (session, process, &seat.process.id) else {
        return false;
    };
    let is_over = seat.launch.is_some() && seat.process.state.is_over();
    let had_another = seat.session.as_ref().is_some_and(|own| own.id != session)
        && !seat.left_sessions.iter().any(|left| left.id == session);
    let is_left = || {
        let left = process.pid_here().and_then(left_alone);
        left.is_some_and(|left| left.start_ticks > ended.start_ticks)
    };
    is_over && had_another && ended != process && ended.pid_here().is_some() && is_left()
}
