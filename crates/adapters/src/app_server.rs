//! Servers that programs offer to other clients: what their messages say.

use crate::codex;
use headsup_core::observation::Fact;

/// One message about a conversation, understood.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadFact {
    /// The vendor's conversation id.
    pub thread: String,
    /// The message's own name, for `explain`.
    pub name: String,
    pub fact: Fact,
}

/// Reads one message of a server of this kind; `None` if it says nothing of a conversation's status.
pub fn server_message(kind: &str, message: &str) -> Option<ThreadFact> {
    match kind {
        codex::KIND => codex::app_server::read(message),
        _ => None,
    }
}
