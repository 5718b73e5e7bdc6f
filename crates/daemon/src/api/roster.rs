//! The roster: which seats it shows, in which order, and its JSON.

use headsup_core::seat::Seat;
use headsup_core::status::Headline;
use headsup_core::time::UnixMs;
use headsup_core::wire::SCHEMA;
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// How long an adopted seat is still shown after its end. Milliseconds.
const SHOWN_AFTER_END_MS: i64 = 3_600_000;
/// A larger roster is written down off the threads that serve requests.
const LARGE: usize = 300;

/// Adopted seats that ended leave the roster after an hour; they are still there for who asks. A
/// crash stays until somebody has looked at it.
pub(crate) fn is_visible(seat: &Seat, now: UnixMs) -> bool {
    let ended = seat.headline() == Headline::Ended;
    let long_ago = now.since(seat.headline_since) > SHOWN_AFTER_END_MS;
    !(seat.about.adopted && ended && long_ago)
}

/// Attention order: who wants a person most, longest first.
pub(crate) fn sort(seats: &mut [Arc<Seat>]) {
    seats.sort_by_cached_key(|seat| {
        (seat.headline().attention(), seat.headline_since, seat.id.clone())
    });
}

/// The wire's `RosterDoc`, and with a `type` the first message of an event stream.
#[derive(Serialize)]
struct Roster<'a> {
    schema: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<&'static str>,
    cursor: String,
    #[serde(serialize_with = "docs")]
    agents: &'a [Arc<Seat>],
}

/// One document at a time: ten thousand of them at once would be most of the hub's memory.
fn docs<S: Serializer>(seats: &[Arc<Seat>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(seats.iter().map(|seat| seat.doc()))
}

/// The JSON of these seats in attention order. `None` if the hub's end cut it short.
pub(super) async fn json(
    seats: Vec<Arc<Seat>>,
    head: u64,
    kind: Option<&'static str>,
) -> Option<Vec<u8>> {
    if seats.len() < LARGE {
        return Some(write(seats, head, kind));
    }
    tokio::task::spawn_blocking(move || write(seats, head, kind)).await.ok()
}

fn write(mut seats: Vec<Arc<Seat>>, head: u64, kind: Option<&'static str>) -> Vec<u8> {
    sort(&mut seats);
    let cursor = head.to_string();
    let roster = Roster { schema: SCHEMA, r#type: kind, cursor, agents: &seats };
    let mut json = Vec::with_capacity(seats.len() * 1_280 + 64);
    // Nothing in it can fail to be written.
    serde_json::to_writer(&mut json, &roster).ok();
    json
}

#[cfg(test)]
mod tests {
    use super::*;
    use headsup_core::id::AgentId;
    use headsup_core::source::Source;
    use headsup_core::wire::RosterDoc;

    #[test]
    fn a_roster_reads_as_the_wires_document() {
        let seat = |id: &str| {
            let id = AgentId::new(id).unwrap();
            Arc::new(Seat::new(id, "custom", Source::Report, UnixMs(0)))
        };
        let json = write(vec![seat("b"), seat("a")], 7, None);
        let read: RosterDoc = serde_json::from_slice(&json).unwrap();
        let agents = vec![seat("a").doc(), seat("b").doc()];
        assert_eq!(read, RosterDoc { schema: SCHEMA, cursor: "7".into(), agents });
        assert_eq!(json, serde_json::to_vec(&read).unwrap());
    }
}
