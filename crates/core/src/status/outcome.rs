//! Dimension *outcome*: how the last turn ended.

use crate::status::turn::words;
use crate::time::UnixMs;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Outcome {
    pub kind: OutcomeKind,
    /// The vendor's word for a failure, as data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub code: Option<String>,
    pub at: UnixMs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    Completed,
    Failed,
    Interrupted,
    /// The process died in mid-turn.
    Aborted,
}

words!(OutcomeKind {
    Completed = "completed", Failed = "failed", Interrupted = "interrupted", Aborted = "aborted",
});

impl Outcome {
    pub fn new(kind: OutcomeKind, at: UnixMs) -> Self {
        Self { kind, code: None, at }
    }
}
