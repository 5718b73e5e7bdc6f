//! Everything that can be published: the system's table of contents.

use crate::id::AgentId;
use crate::status::{Headline, Outcome};
use crate::time::UnixMs;
use crate::timeline::Entry;
use crate::wire::{AgentDoc, EvidenceDoc, ProcessDoc, PromptDoc, StageDoc, TurnDoc, VerdictDoc};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// An accepted change, before the store gives it a cursor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "type")]
pub enum EventBody {
    #[serde(rename = "agent.registered")]
    Registered { agent: Box<AgentDoc<'static>> },
    #[serde(rename = "agent.updated")]
    Updated { agent: Box<AgentDoc<'static>> },
    #[serde(rename = "agent.status_changed")]
    StatusChanged(Box<StatusChange>),
    #[serde(rename = "turn.started")]
    TurnStarted { turn_seq: u64 },
    #[serde(rename = "turn.completed")]
    TurnCompleted { turn_seq: u64, outcome: Option<Outcome> },
    #[serde(rename = "prompt.opened")]
    PromptOpened { prompt: Box<PromptDoc> },
    #[serde(rename = "prompt.resolved")]
    PromptResolved { prompt: Box<PromptDoc> },
    #[serde(rename = "stage.changed")]
    StageChanged { stage: StageDoc },
    #[serde(rename = "verdict.reported")]
    VerdictReported { verdict: VerdictDoc },
    #[serde(rename = "activity.appended")]
    ActivityAppended { entry: Entry },
    #[serde(rename = "message.delivered")]
    MessageDelivered { message_id: String, state: String },
    #[serde(rename = "queue.changed")]
    QueueChanged { item_id: String, state: String },
    #[serde(rename = "agent.forgotten")]
    Forgotten,
}

/// The status of a seat before and after, in one event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct StatusChange {
    pub from: Headline,
    pub to: Headline,
    pub process: ProcessDoc,
    pub turn: TurnDoc,
    pub outcome: Option<Outcome>,
    pub seen: bool,
    pub stage: Option<StageDoc>,
    pub evidence: EvidenceDoc,
    /// The turn's reason, again at the top for simple readers.
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub reason: Option<Cow<'static, str>>,
}

/// A change with its place in the log. Serialized once; these bytes are what clients get.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Event {
    pub schema: u32,
    pub cursor: String,
    pub at: UnixMs,
    pub agent_id: AgentId,
    /// It waited in the spool while the hub was down.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spooled: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub reported_at: Option<UnixMs>,
    #[serde(flatten)]
    pub body: EventBody,
}

impl EventBody {
    /// The event's type as it stands on the wire.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Registered { .. } => "agent.registered",
            Self::Updated { .. } => "agent.updated",
            Self::StatusChanged(_) => "agent.status_changed",
            Self::TurnStarted { .. } => "turn.started",
            Self::TurnCompleted { .. } => "turn.completed",
            Self::PromptOpened { .. } => "prompt.opened",
            Self::PromptResolved { .. } => "prompt.resolved",
            Self::StageChanged { .. } => "stage.changed",
            Self::VerdictReported { .. } => "verdict.reported",
            Self::ActivityAppended { .. } => "activity.appended",
            Self::MessageDelivered { .. } => "message.delivered",
            Self::QueueChanged { .. } => "queue.changed",
            Self::Forgotten => "agent.forgotten",
        }
    }

    /// What may become of a message.
    pub const DELIVERIES: [&'static str; 9] = [
        "created",
        "queued",
        "delivering",
        "sent",
        "delivered",
        "awaiting_reply",
        "completed",
        "failed",
        "expired",
    ];

    /// All types, in the order of the contract.
    pub const KINDS: [&'static str; 13] = [
        "agent.registered",
        "agent.updated",
        "agent.status_changed",
        "turn.started",
        "turn.completed",
        "prompt.opened",
        "prompt.resolved",
        "stage.changed",
        "verdict.reported",
        "activity.appended",
        "message.delivered",
        "queue.changed",
        "agent.forgotten",
    ];
}
