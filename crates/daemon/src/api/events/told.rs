//! The messages of a stream that are no events.

use super::filter::Filter;
use crate::api::roster::{self, View};
use crate::frame::Message;
use bytes::Bytes;
use headsup_core::event::Event;
use headsup_core::seat::Seat;
use headsup_core::wire::{AgentDoc, SCHEMA};
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// The types of messages that are no events.
pub(in crate::api) const SNAPSHOT: &str = "snapshot";
pub(in crate::api) const CURSOR_EXPIRED: &str = "cursor_expired";
pub(in crate::api) const LAGGED: &str = "lagged";

/// What a watcher is told.
#[derive(Clone, Debug)]
pub(in crate::api) enum Told {
    Message(Message),
    /// That all there was has been told: what follows is as it happens.
    UpToDate,
    /// That the hub is there, after a silence.
    Alive,
}

impl Told {
    /// As a piece of an event stream.
    pub(super) fn bytes(&self) -> Bytes {
        match self {
            Self::Message(message) => message.whole().clone(),
            // Comments, which say nothing but that we are there.
            Self::UpToDate => Bytes::from_static(b": up to date\n\n"),
            Self::Alive => Bytes::from_static(b": still here\n\n"),
        }
    }
}

/// Every seat, also those that a roster no longer shows: the events that follow may be theirs.
/// `None` if the work was cut short by the hub's end.
pub(super) async fn snapshot(
    mut seats: Vec<Arc<Seat>>,
    head: u64,
    filter: &Filter,
) -> Option<Message> {
    seats.retain(|seat| filter.wants_agent(seat.id.as_str()));
    let json = roster::json(seats, head, View::Agents(Some(SNAPSHOT)), |_| true).await?;
    Some(Message::new(Some(head), SNAPSHOT, &json.concat()))
}

/// What came behind the cursor is not kept any more, is lost by damage, or never was in this log; a snapshot follows.
#[derive(Serialize, ToSchema)]
pub(in crate::api) struct CursorExpired {
    schema: u32,
    r#type: &'static str,
    /// The one that was asked for.
    cursor: String,
    /// The oldest event that is kept, or the first one behind the damage: `since` one less tells it.
    oldest: String,
}

pub(super) fn cursor_expired(cursor: String, oldest: u64) -> Message {
    let oldest = oldest.to_string();
    let r#type = CURSOR_EXPIRED;
    message(r#type, &CursorExpired { schema: SCHEMA, r#type, cursor, oldest })
}

/// The first and the last event that this client was not told; a snapshot follows.
#[derive(Serialize, ToSchema)]
pub(in crate::api) struct Lagged {
    schema: u32,
    r#type: &'static str,
    from: String,
    to: String,
}

pub(super) fn lagged(from: u64, to: u64) -> Message {
    let (from, to) = (from.to_string(), to.to_string());
    let r#type = LAGGED;
    message(r#type, &Lagged { schema: SCHEMA, r#type, from, to })
}

fn message(kind: &str, told: &impl Serialize) -> Message {
    // None of these can fail to be written.
    Message::new(None, kind, &serde_json::to_vec(told).unwrap_or_default())
}

/// One message of a stream.
#[derive(ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it describes what is written elsewhere")]
pub(in crate::api) enum StreamMessage {
    Event(Event),
    Snapshot(Snapshot),
    CursorExpired(CursorExpired),
    Lagged(Lagged),
}

/// All agents at a cursor; the events behind it follow.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes what is written elsewhere")]
pub(in crate::api) struct Snapshot {
    schema: u32,
    r#type: &'static str,
    cursor: String,
    agents: Vec<AgentDoc<'static>>,
}
