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

/// How an agent was started, as its seat has it: all but its arguments, which may hold secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// The program's file.
    pub program: String,
    /// What it was called on the command line.
    pub name: String,
    pub folder: String,
    /// Somebody's own terminal; else it was in a session of tmux.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub here: bool,
    /// The socket's name of a tmux server that is not the person's usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Without the tools of agents.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_tools: bool,
    #[serde(default)]
    pub words: LaunchWords,
}

/// Where the arguments of a launch are. Nobody but the hub says it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaunchWords {
    /// There are none to be kept.
    None,
    /// In a file of the hub's of this name.
    In(String),
    /// Nobody has them: they could not be written down, or are of no use.
    #[default]
    Unkept,
}
