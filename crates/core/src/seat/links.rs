//! What an agent works on, and what it has handed in.

use serde::{Deserialize, Serialize};

/// The task and the pull requests of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Links {
    /// The task's identifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Ids of pull requests, or URLs of those that only a URL is known of; the last one last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prs: Vec<String>,
}

/// What an agent has handed in at the end of its workflow; said again it is the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandIn {
    /// The request that did it.
    pub request: String,
    /// The task was to be done by it, too.
    pub moves_task: bool,
}
