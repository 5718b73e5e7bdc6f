//! What is to be done at other systems, as clients see it.

use crate::time::UnixMs;
use crate::work::effect::{EffectKind, EffectState};
use serde::{Deserialize, Serialize};

/// Something that is to be done at another system, or was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct EffectDoc {
    pub key: String,
    /// The system: `github`.
    pub provider: String,
    /// What it is done to there: `owner/repo#12`.
    pub target: String,
    pub kind: EffectKind,
    pub state: EffectState,
    /// Why it still waits, was skipped or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub reason: Option<String>,
    /// It failed, and it may go well another time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retryable: bool,
    /// What has come of it, as the other system calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub remote_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub url: Option<String>,
    /// How often it was tried.
    pub tries: u32,
    pub created_at: UnixMs,
}

/// What is to be done at other systems, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct EffectsDoc {
    pub schema: u32,
    pub effects: Vec<EffectDoc>,
}

/// One of them as a document of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OneEffectDoc {
    pub schema: u32,
    #[serde(flatten)]
    pub effect: EffectDoc,
}
