//! Agents that are taken up again.

use crate::id::AgentId;
use crate::seat::Launch;
use serde::{Deserialize, Serialize};

/// What a suspended agent is taken up again with. All of it may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ResumeBody {
    /// Its first prompt. At most 32 000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Whoever sends it starts the agent, on the hub's machine, and gives it this token: at least 32
    /// characters. Without it the hub starts the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// How an agent is to be started again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RelaunchDoc {
    pub schema: u32,
    pub agent_id: AgentId,
    pub kind: String,
    /// By which its calls are to be known, where the hub has made one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub token: Option<String>,
    /// With the arguments that take its session up again.
    pub launch: Launch,
}
