//! What is to be done at another system: which kinds there are, and where one stands.

use crate::status::turn::words;
use serde::{Deserialize, Serialize};

/// What is done there. The form of its body is the kind's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum EffectKind {
    /// A comment on a task. Its body is Markdown, without the mark that it gets on its way.
    Comment,
    /// A task moves. Its body is the word of the status.
    TaskStatus,
    /// A new task. Its body is JSON: title, body, status.
    TaskCreate,
    /// What a task says of itself changes. Its body is JSON: title, body, status, each if it changes.
    TaskChange,
}

words!(EffectKind {
    Comment = "comment",
    TaskStatus = "task_status",
    TaskCreate = "task_create",
    TaskChange = "task_change",
});

/// Why one waits that was to be done before the key was taken away.
pub const WAITS_FOR_KEY: &str = "it waits for a key";
/// The same, where the whole system went from the settings.
pub const WAITS_FOR_SETTINGS: &str = "it waits until the settings name its system";

/// Where it stands, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum EffectState {
    /// It will be done, in its turn.
    Queued,
    Done,
    /// It will not be done, by the settings.
    Skipped,
    /// It will not be done, by what the other system says, or after too many tries.
    Failed,
}

words!(EffectState { Queued = "queued", Done = "done", Skipped = "skipped", Failed = "failed" });
