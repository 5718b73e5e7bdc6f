//! The kinds of agent programs: a closed list, and one open family.

use crate::text;

const KINDS: &[&str] = &[
    "claude-code",
    "codex",
    "opencode",
    "kilo",
    "gemini-cli",
    "qwen-code",
    "copilot-cli",
    "amp",
    "droid",
    "cline",
    "auggie",
    "cursor",
    "goose",
    "crush",
    "kimi",
    "mistral-vibe",
    "grok",
    "pi",
    "mastra",
    "aider",
    "custom",
];

/// The kinds with a name of their own. Every speaker of the Agent Client Protocol is of a kind
/// `acp:NAME` beside them.
pub fn kinds() -> &'static [&'static str] {
    KINDS
}

/// Whether this is a kind: one of [`kinds`], or `acp:` and 1 to 64 of `A-Z a-z 0-9 . _ -`.
pub fn is_kind(kind: &str) -> bool {
    let legal = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
    match kind.strip_prefix("acp:") {
        Some(name) => (1..=64).contains(&name.len()) && name.bytes().all(legal),
        None => KINDS.contains(&kind),
    }
}

/// There is no such kind of agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such kind of agent: {0}")]
pub struct UnknownKind(pub String);

impl UnknownKind {
    pub(crate) fn new(kind: &str) -> Self {
        Self(text::line(kind, text::EVENT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_a_closed_list_and_the_protocols_speakers() {
        assert!(kinds().iter().all(|kind| is_kind(kind)));
        assert!(is_kind("acp:some-agent_1.0"));
        let long = format!("acp:{}", "x".repeat(65));
        for not in ["", "acp", "acp:", "acp:a b", "acp:../x", "Claude-Code", "claude", &long] {
            assert!(!is_kind(not), "{not}");
        }
    }
}
