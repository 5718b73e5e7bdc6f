//! Logs that programs keep of a conversation, line by line.

use crate::{claude_code, codex, copilot_cli, gemini_cli};
use headsup_core::observation::Fact;

/// One line of a log, understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogLine {
    /// The vendor's conversation id.
    pub session: Option<String>,
    /// The name of a line with a fact, for `explain`.
    pub name: String,
    /// What it says of the turn, if it says anything.
    pub fact: Option<Fact>,
    /// A person's prompt.
    pub is_prompt: bool,
    pub model: Option<String>,
    pub title: Option<String>,
    /// When it was written, as the log says: RFC 3339.
    pub written_at: Option<String>,
}

/// Reads one line of a log of this kind; `None` if it is not one.
pub fn log_line(kind: &str, line: &[u8]) -> Option<LogLine> {
    match kind {
        claude_code::KIND => claude_code::transcript::read(line),
        codex::KIND => codex::transcript::read(line),
        copilot_cli::KIND => copilot_cli::transcript::read(line),
        gemini_cli::KIND => gemini_cli::transcript::read(line),
        _ => None,
    }
}

/// What a line of a log of this kind says that no version has said that is known: the name of the member
/// that is there with another word. Nothing of a line that is not one, and of logs whose words are not listed.
pub fn strange_line(kind: &str, line: &[u8]) -> Option<&'static str> {
    match kind {
        claude_code::KIND => claude_code::lines::strange(line),
        codex::KIND => codex::lines::strange(line),
        copilot_cli::KIND => copilot_cli::lines::strange(line),
        gemini_cli::KIND => gemini_cli::lines::strange(line),
        _ => None,
    }
}
