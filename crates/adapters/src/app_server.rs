//! Servers that programs offer to other clients: what their messages say.

use crate::codex;
use crate::evidence::taken;
use headsup_core::observation::Fact;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The socket on which a program serves all of its conversations to other clients, as a web
/// socket. Whether there is a server is not known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ServedSocket {
    pub kind: &'static str,
    pub path: PathBuf,
}

/// Where the conversation with this log is served, if it is.
pub fn server_of_log(kind: &str, log: &Path) -> Option<ServedSocket> {
    match kind {
        codex::KIND => codex::app_server::socket_of_log(log),
        _ => None,
    }
}

/// The variables (`NAME=`) of a program that tell where such a server of its is: its home folder, and that of its
/// configuration.
pub const SERVER_VARIABLES: [&[u8]; 2] = [b"HOME=", codex::HOME_VARIABLE];

/// Where a program of this kind would be served that has these variables and was started with these words; `None`: it
/// shares no process.
pub fn server_of_start(
    kind: &str,
    variables: [Option<&str>; 2],
    words: &[String],
) -> Option<ServedSocket> {
    match kind {
        codex::KIND => codex::app_server::socket_of_start(variables, words),
        _ => None,
    }
}

/// What a client of such a server says first, in order: who it is, and which conversations there
/// are. From then on it hears of all of them.
pub fn server_greeting(kind: &str) -> Vec<String> {
    match kind {
        codex::KIND => codex::app_server::greeting(),
        _ => Vec::new(),
    }
}

/// What such a client says to an answer that has listed only a part of the conversations: it asks for the next part.
/// `None` to all other messages, and where it has asked often enough.
pub fn server_next(kind: &str, message: &str) -> Option<String> {
    match kind {
        codex::KIND => codex::app_server::next_page(message),
        _ => None,
    }
}

/// One message about a conversation, understood.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadFact {
    /// The vendor's conversation id.
    pub thread: String,
    /// The message's own name, for `explain`.
    pub name: String,
    pub fact: Fact,
}

/// What is kept of a message as evidence of one conversation; `None` if there is nothing of it.
pub fn server_evidence(kind: &str, message: &str, thread: &str) -> Option<Value> {
    let message = taken(message.as_bytes())?;
    match kind {
        codex::KIND => codex::app_server::evidence(&message, thread),
        _ => None,
    }
}

/// What a message of a server of this kind says that no version has said that is known, as it is counted.
pub fn server_strange(kind: &str, message: &str) -> Option<String> {
    let (method, member) = match kind {
        codex::KIND => codex::app_server::strange(message)?,
        _ => return None,
    };
    Some(format!("{method}.{member}"))
}

/// Reads one message of a server of this kind: nothing if it says nothing of a conversation's status,
/// and one fact for each where it lists them.
pub fn server_message(kind: &str, message: &str) -> Vec<ThreadFact> {
    match kind {
        codex::KIND => codex::app_server::read(message),
        _ => Vec::new(),
    }
}
