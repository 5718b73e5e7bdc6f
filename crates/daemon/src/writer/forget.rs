//! A person takes a seat out of the roster.

use super::batch::done;
use super::staging::Staging;
use crate::job::{Answer, Refusal};
use headsup_core::gate;
use headsup_core::id::AgentId;

pub(super) fn forget(staging: &mut Staging<'_>, id: &AgentId, force: bool) -> Answer {
    let seat = staging.seat(id).ok_or(Refusal::NoSuchAgent)?;
    if seat.process.state.is_running() && !seat.stale && !force {
        return Err(Refusal::Running);
    }
    let now = staging.now;
    // Whoever waits for an answer is told that none will come.
    staging.change(id, None, |seat| gate::cancel_prompts(seat, now))?;
    staging.release_launch(&seat);
    staging.forget(id)?;
    Ok(done(staging, id))
}
