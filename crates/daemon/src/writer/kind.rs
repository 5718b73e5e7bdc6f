//! What sits in a seat whose launch, or whose first report, does not tell it: a script that starts an agent, say.

use super::report::CUSTOM;
use super::staging::Staging;
use crate::job::Refusal;
use headsup_core::gate;
use headsup_core::id::AgentId;
use headsup_core::seat::Seat;
use headsup_core::time::UnixMs;

/// What a program of this kind says of a conversation tells what it is.
pub(super) fn learn(
    staging: &mut Staging<'_>,
    id: &AgentId,
    kind: &str,
    session: Option<&str>,
    reported_at: Option<UnixMs>,
) -> Result<(), Refusal> {
    if session.is_none() || kind == CUSTOM {
        return Ok(());
    }
    if staging.seat(id).is_some_and(|seat| seat.kind != kind && is_open(&seat)) {
        let now = staging.now;
        staging.change(id, reported_at, |seat| gate::name_kind(seat, kind, true, now))?;
    }
    Ok(())
}

/// Nobody knows what sits there, or it was known by what has ended there.
fn is_open(seat: &Seat) -> bool {
    seat.kind == CUSTOM || seat.kind_told && seat.process.state.is_over()
}

/// Does a launch of this kind take a seat as the same agent? What has told its kind itself does so again.
pub(super) fn is_same(seat: &Seat, kind: &str) -> bool {
    seat.kind == kind || seat.kind_told && kind == CUSTOM
}
