//! Which seats a roster shows, and in which order.

use headsup_core::seat::Seat;
use headsup_core::status::Headline;
use headsup_core::time::UnixMs;
use std::sync::Arc;

/// How long an adopted seat is still shown after its end. Milliseconds.
const SHOWN_AFTER_END_MS: i64 = 3_600_000;

/// Adopted seats that ended leave the roster after an hour; they are still there for who asks. A
/// crash stays until somebody has looked at it.
pub(super) fn is_visible(seat: &Seat, now: UnixMs) -> bool {
    let ended = seat.headline() == Headline::Ended;
    let long_ago = now.since(seat.headline_since) > SHOWN_AFTER_END_MS;
    !(seat.about.adopted && ended && long_ago)
}

/// Who wants a person most, longest first.
pub(super) fn by_attention(seats: &mut [Arc<Seat>]) {
    seats.sort_by_cached_key(|seat| {
        (seat.headline().attention(), seat.headline_since, seat.id.clone())
    });
}
