//! How the process of a seat was started, and what it is ended for.

use serde::{Deserialize, Serialize};

/// What a process is ended for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Leaving {
    /// It is put away with its session, to come back to it.
    Suspend,
    Stop,
}

/// How an agent was started. Arguments may hold secrets: no document shows any of this.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Launch {
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
