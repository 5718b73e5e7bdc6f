//! Agents that are taken up again.

use crate::id::AgentId;
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

/// How an agent was started, in full. Arguments may hold secrets: only whoever is to start it again, on the
/// hub's own machine, is told of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Launch))]
#[serde(deny_unknown_fields)]
pub struct LaunchDoc {
    /// The program's file.
    pub program: String,
    /// What it was called on the command line.
    pub name: String,
    /// As they were typed, without what was brought for one launch.
    pub arguments: Vec<String>,
    pub folder: String,
    /// Somebody's own terminal; else it was in a session of tmux.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub here: bool,
    /// The socket's name of a tmux server that is not the person's usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub server: Option<String>,
    /// Without the tools of agents.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_tools: bool,
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
    pub launch: LaunchDoc,
}
