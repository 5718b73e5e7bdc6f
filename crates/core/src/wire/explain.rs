//! Why a status is what it is.

use crate::id::AgentId;
use crate::source::{Confidence, Source};
use crate::status::Headline;
use crate::time::UnixMs;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ExplainDoc {
    pub schema: u32,
    pub agent_id: AgentId,
    pub headline: Headline,
    pub stale: bool,
    /// `process`, `turn`, `outcome`, `seen`, `stage`; and `verdict`, the last one, where one was reported.
    pub dimensions: BTreeMap<String, DimensionDoc>,
    /// What was refused lately, newest first.
    pub rejected: Vec<RejectedDoc>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DimensionDoc {
    pub value: String,
    pub winner: Option<WinnerDoc>,
    pub losers: Vec<LoserDoc>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct WinnerDoc {
    pub source: Source,
    pub confidence: Confidence,
    /// What the source called it.
    pub event: Option<String>,
    pub observed_at: UnixMs,
    pub confirmed_at: UnixMs,
    /// Milliseconds since the last confirmation.
    pub age_ms: i64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LoserDoc {
    pub source: Source,
    pub value: String,
    pub event: Option<String>,
    pub observed_at: UnixMs,
    pub age_ms: i64,
    pub why: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RejectedDoc {
    pub at: UnixMs,
    pub source: Source,
    pub event: String,
    pub rule: String,
    pub why: String,
}
