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

/// The kind of a program by the name that it gives itself as a client of servers: a kind or a program's
/// name, alone or with more behind a hyphen. `custom` for whatever else it says.
pub fn kind_of_client(name: &str) -> &'static str {
    let name = name.to_ascii_lowercase();
    let is = |word: &str| {
        let rest = name.strip_prefix(word);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let by_program = crate::inject::recipes()
        .iter()
        .flat_map(|recipe| recipe.programs.iter().map(move |program| (*program, recipe.kind)));
    let named = KINDS.iter().map(|kind| (*kind, *kind)).chain(by_program).filter(|(of, _)| is(of));
    named.max_by_key(|(word, _)| word.len()).map_or("custom", |(_, kind)| kind)
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

    #[test]
    fn a_client_is_known_by_the_beginning_of_its_name() {
        for (name, kind) in [
            ("claude-code", "claude-code"),
            ("codex-mcp-client", "codex"),
            ("gemini-cli-mcp-client", "gemini-cli"),
            ("OpenCode", "opencode"),
            ("qwen-cli-mcp-client-x", "qwen-code"),
            ("codexter", "custom"),
            ("inspector-client", "custom"),
            ("", "custom"),
        ] {
            assert_eq!(kind_of_client(name), kind, "{name}");
        }
    }
}
