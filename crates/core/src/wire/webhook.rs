//! What web hooks have told, and what came of it.

use crate::status::turn::words;
use crate::time::UnixMs;
use serde::{Deserialize, Serialize};

/// What came of what a web hook told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum WebhookResult {
    /// A comment has answered a prompt.
    Answered,
    /// A task has another title or status now.
    Refreshed,
    /// It was told before: nothing was done now.
    Replayed,
    /// It concerns nothing here.
    Ignored,
    /// It wanted something, and was not listened to.
    Refused,
}

words!(WebhookResult {
    Answered = "answered", Refreshed = "refreshed", Replayed = "replayed", Ignored = "ignored",
    Refused = "refused",
});

/// One delivery of a web hook. Of one without a right signature nothing is kept of what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct HeardDoc {
    pub at: UnixMs,
    pub result: WebhookResult,
    /// A stable word, as `not_listed`; nothing where it had its effect.
    pub reason: Option<String>,
    /// The same in a sentence.
    pub detail: Option<String>,
    /// `comment`, `task`, or what it calls itself.
    pub event: Option<String>,
    pub action: Option<String>,
    /// The task's identifier.
    pub task: Option<String>,
    /// The comment's id.
    pub comment: Option<String>,
    pub author: Option<String>,
    /// The prompt that was answered.
    pub prompt_id: Option<String>,
    /// So many alike have come within a minute, and this is the last of them; one where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub count: Option<u64>,
}

/// One delivery as a document of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OneHeardDoc {
    pub schema: u32,
    #[serde(flatten)]
    pub heard: HeardDoc,
}

/// Whether web hooks are listened to, and what they have told lately, the last first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct WebhooksDoc {
    pub schema: u32,
    /// There is a secret: without one nothing is listened to.
    pub enabled: bool,
    /// Whose comments may answer.
    pub authors: Vec<String>,
    pub deliveries: Vec<HeardDoc>,
}

/// What the hub's own timer has done with deadlines of questions, and what is due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ExpiryDoc {
    pub schema: u32,
    pub checked_at: UnixMs,
    /// Questions that wait for an answer.
    pub open: u64,
    /// Those of them whose deadline has passed: the timer takes them within moments.
    pub due: u64,
    pub next_expires_at: Option<UnixMs>,
    /// Questions that the timer has ended in the last 24 hours, among the last 1,000 that ended.
    pub expired: u64,
    pub last_expired_at: Option<UnixMs>,
}
