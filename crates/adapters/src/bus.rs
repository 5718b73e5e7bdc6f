//! Programs that serve their conversations on a port of this machine, and tell whoever listens there
//! what each of them does.

use crate::opencode;
pub use crate::opencode::bus::Follower;

/// How a program was started, as far as it matters to its port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// The port that it was told to take; `None`: whichever it has.
    pub port: Option<u16>,
    /// It serves conversations of many, and shows none of them itself.
    pub is_shared: bool,
}

/// How a program of this kind serves what it does, by the words that it was started with; `None`:
/// it has no such server.
pub fn served(kind: &str, words: &[String]) -> Option<Served> {
    match kind {
        opencode::KIND | opencode::KILO => Some(opencode::bus::served(words)),
        _ => None,
    }
}

/// May an agent of this kind have such a server?
pub fn is_known(kind: &str) -> bool {
    matches!(kind, opencode::KIND | opencode::KILO)
}
