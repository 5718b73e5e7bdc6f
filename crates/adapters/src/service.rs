//! Services of programs that run conversations in the background, each in a process below theirs.
//!
//! Whoever asks for the first one has the service started. It serves everybody: what runs below it has that one's
//! environment and is below that one's processes, whoever has asked for it.

use crate::{claude_code, codex};

/// Whether programs of this kind have one.
pub fn has_service(kind: &str) -> bool {
    kind == claude_code::KIND
}

/// Whether a process that was started with these words belongs to one.
pub fn is_service(kind: &str, words: &[String]) -> bool {
    kind == claude_code::KIND && claude_code::is_service(words)
}

/// Whether a process that was started with these words serves the conversations of several terminals itself; `None`:
/// words do not tell it of this kind.
pub fn serves_terminals(kind: &str, words: &[String]) -> Option<bool> {
    (kind == codex::KIND).then(|| codex::is_server(words))
}
