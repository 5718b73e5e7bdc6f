//! A person has seen how it ended, or was led there.

use super::staging::Staging;
use crate::job::{Answer, Refusal, Reply};
use headsup_core::gate;
use headsup_core::id::AgentId;

pub(super) fn mark(staging: &mut Staging<'_>, agents: &[AgentId]) -> Answer {
    // All or none: nothing is marked where one of them is not there.
    if agents.iter().any(|id| staging.seat(id).is_none()) {
        return Err(Refusal::NoSuchAgent);
    }
    let now = staging.now;
    for id in agents {
        staging.change(id, None, |seat| gate::mark_seen(seat, now))?;
    }
    let agent = agents.first().cloned();
    Ok(Reply::Done { agent, cursor: staging.head })
}

pub(super) fn led_to(staging: &mut Staging<'_>, agent: &AgentId) -> Answer {
    let now = staging.now;
    match staging.change(agent, None, |seat| gate::look(seat, now))? {
        true => Ok(Reply::Done { agent: Some(agent.clone()), cursor: staging.head }),
        false => Err(Refusal::NoSuchAgent),
    }
}
