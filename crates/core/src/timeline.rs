//! What an agent did lately, for people: not a status and never one.

use crate::time::UnixMs;
use crate::word::Word;
use serde::{Deserialize, Serialize};

/// How many entries are kept of each agent.
pub const KEPT: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Entry {
    pub ts: UnixMs,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, nullable = false))]
    pub tool: Option<Word>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub action: Option<String>,
    /// The turn's word after it; `suspended` where the agent was suspended by it.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub state: Word,
}
