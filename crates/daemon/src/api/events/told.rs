//! The messages of a stream that are no events.

use super::filter::Filter;
use crate::frame;
use bytes::Bytes;
use headsup_core::seat::Seat;
use headsup_core::wire::{AgentDoc, SCHEMA};
use serde::Serialize;
use std::sync::Arc;

/// A comment, which clients ignore.
pub(super) const KEEP_ALIVE: Bytes = Bytes::from_static(b": still here\n\n");
/// A larger roster is written down off the threads that serve requests.
const LARGE_ROSTER: usize = 300;

#[derive(Serialize)]
struct Snapshot {
    schema: u32,
    r#type: &'static str,
    cursor: String,
    agents: Vec<AgentDoc>,
}

/// Every seat, also those that a roster no longer shows: the events that follow may be theirs.
/// `None` if the work was cut short by the hub's end.
pub(super) async fn snapshot(
    mut seats: Vec<Arc<Seat>>,
    head: u64,
    filter: &Filter,
) -> Option<Bytes> {
    seats.retain(|seat| filter.wants_agent(seat.id.as_str()));
    if seats.len() < LARGE_ROSTER {
        return Some(write(seats, head));
    }
    tokio::task::spawn_blocking(move || write(seats, head)).await.ok()
}

fn write(mut seats: Vec<Arc<Seat>>, head: u64) -> Bytes {
    crate::api::visible::by_attention(&mut seats);
    let agents = seats.iter().map(|seat| seat.doc()).collect();
    let cursor = head.to_string();
    let kind = "snapshot";
    message(Some(head), kind, &Snapshot { schema: SCHEMA, r#type: kind, cursor, agents })
}

#[derive(Serialize)]
struct CursorExpired {
    schema: u32,
    r#type: &'static str,
    /// The one that was asked for.
    cursor: String,
    /// The oldest event that is kept.
    oldest: String,
}

pub(super) fn cursor_expired(seq: u64, oldest: u64) -> Bytes {
    let (cursor, oldest) = (seq.to_string(), oldest.to_string());
    let kind = "cursor_expired";
    message(None, kind, &CursorExpired { schema: SCHEMA, r#type: kind, cursor, oldest })
}

/// The first and the last event that this client was not told.
#[derive(Serialize)]
struct Lagged {
    schema: u32,
    r#type: &'static str,
    from: String,
    to: String,
}

pub(super) fn lagged(from: u64, to: u64) -> Bytes {
    let (from, to) = (from.to_string(), to.to_string());
    let kind = "lagged";
    message(None, kind, &Lagged { schema: SCHEMA, r#type: kind, from, to })
}

fn message(id: Option<u64>, kind: &str, told: &impl Serialize) -> Bytes {
    // None of these can fail to be written.
    frame::message(id, kind, &serde_json::to_vec(told).unwrap_or_default())
}
