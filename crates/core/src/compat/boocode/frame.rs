//! What goes over the wire. The TypeScript of these types is `docs/boocode.ts`, which the tests
//! write.

use super::{AGENT_LABEL, CHAT_LABEL, FAILED, Status};
use crate::compat::State;
use crate::event::StatusChange;
use crate::seat::Seat;
use crate::status::{Headline, OutcomeKind, Turn};
use crate::time::UnixMs;
use serde::{Deserialize, Serialize};

/// The body of `POST /api/coder/agent-status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AgentStatusReport {
    /// The agent in the chat.
    pub agent: String,
    pub chat_id: String,
    /// The vendor's name of the event.
    #[serde(rename = "eventType")]
    pub event_type: String,
    /// What a `Notification` is about.
    #[serde(rename = "notificationType", default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    #[cfg_attr(test, ts(optional))]
    pub notification_type: Option<String>,
}

/// The answer to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ReportAnswer {
    /// What the agent is now; null where the event says nothing of that.
    pub status: Option<Status>,
    /// It had come before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    #[cfg_attr(test, ts(optional))]
    pub duplicate: Option<bool>,
}

/// A frame of the web socket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "AgentFrame"))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Frame {
    AgentStatusUpdated(StatusUpdate),
}

/// What an agent in a chat is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "AgentStatusUpdate"))]
pub struct StatusUpdate {
    pub chat_id: String,
    pub agent: String,
    pub status: Status,
    /// What the four words do not tell apart, in words of our own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    #[cfg_attr(test, ts(optional))]
    pub reason: Option<String>,
    /// Since when, RFC 3339 UTC with milliseconds.
    #[cfg_attr(test, ts(type = "string"))]
    pub at: UnixMs,
}

impl StatusUpdate {
    /// A seat of a chat as it is. `None` for one that is in no chat.
    pub fn of(seat: &Seat, now: UnixMs) -> Option<Self> {
        Self::new(seat, Status::with_reason(&State::of(seat, now)), since(seat))
    }

    /// A seat of a chat as a change has left it.
    pub fn of_change(seat: &Seat, to: &StatusChange, at: UnixMs) -> Option<Self> {
        Self::new(seat, Status::of_change(to), at)
    }

    /// One that was launched with the chat's label goes by its kind there; whoever tells of several sees to it that no
    /// two go by one name.
    fn new(seat: &Seat, said: (Status, Option<String>), at: UnixMs) -> Option<Self> {
        let labels = &seat.about.labels;
        let chat_id = labels.get(CHAT_LABEL)?.clone();
        let agent = labels.get(AGENT_LABEL).cloned().unwrap_or_else(|| seat.kind.to_string());
        let (status, reason) = said;
        Some(Self { chat_id, agent, status, reason, at })
    }
}

/// Since when a status and its reason are what they are: whoever comes later is told the time that was told when it
/// came to be so. Much changes of a seat that the four words do not tell.
fn since(seat: &Seat) -> UnixMs {
    let (began, looked_at) = (seat.headline_since, seat.looked_at);
    // It may wait for something else by now.
    if seat.headline() == Headline::Blocked && matches!(seat.turn(), Turn::Blocked(_)) {
        return began.max(seat.turn.since);
    }
    let Some(ended) = seat.outcome.as_ref() else { return began };
    match seat.headline() {
        // That somebody has looked makes no difference there.
        Headline::Idle
            if ended.kind == OutcomeKind::Completed && looked_at.is_some_and(|at| at >= began) =>
        {
            ended.at.max(seat.turn.since)
        }
        // Behind a failure its end is no news, unless that was seen before.
        Headline::Ended
            if ended.kind == OutcomeKind::Failed
                && looked_at.is_none_or(|at| at < ended.at || at >= began) =>
        {
            ended.at
        }
        // A workflow that a person calls failed has the same reason as a turn that fails behind it and says no more.
        Headline::Failed if ended.code.as_deref().is_none_or(|code| code == FAILED) => began,
        Headline::Done | Headline::Failed | Headline::Idle => began.max(ended.at),
        _ => began,
    }
}
