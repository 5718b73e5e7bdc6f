//! Logs that programs keep of a conversation, line by line.

use crate::{claude_code, codex, copilot_cli, gemini_cli};
use headsup_core::observation::Fact;
use std::path::Path;

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

/// What it tells that the log of this kind of program was replaced by one that ends with these lines.
pub fn replaced_log(kind: &str, lines: &[Vec<u8>]) -> Option<LogLine> {
    let is_taken_back = kind == copilot_cli::KIND && copilot_cli::rewound::rests(lines);
    let (name, fact) = ("rewind".to_owned(), Some(Fact::MainInterrupted));
    is_taken_back.then(|| LogLine { name, fact, ..LogLine::default() })
}

/// The folder with a folder for each day (`YYYY/MM/DD`) in which a program of this kind keeps the logs of helpers,
/// where they tell what nothing else does. `log`: the one of their main agent.
pub fn helper_logs<'a>(kind: &str, log: &'a Path) -> Option<&'a Path> {
    if kind == codex::KIND { log.ancestors().nth(4) } else { None }
}

/// Does the log of a program of this kind alone tell that some of its turns begin? Codex 0.169.0 calls no hook with a
/// turn towards a goal (`/goal`) but the one of its start, and that behind the line of the turn (measured).
pub fn begins_by_log(kind: &str) -> bool {
    kind == codex::KIND
}

/// Does a model answer what an agent of this kind asks, and no person? A hook does not say so. `read` gives so many
/// bytes of the end of its conversation's log.
pub fn answers_itself(kind: &str, read: impl Fn(u64) -> Option<String>) -> bool {
    kind == codex::KIND && codex::reviewer::is_model(read)
}

/// Is a file of this name the log of this helper?
pub fn is_helper_log(name: &str, helper: &str) -> bool {
    let begins = name.strip_suffix(".jsonl").and_then(|name| name.strip_suffix(helper));
    begins.is_some_and(|begins| begins.ends_with('-'))
}

/// Reads one line of the log of a helper; `None` if it is not one.
pub fn helper_line(kind: &str, helper: &str, line: &[u8]) -> Option<LogLine> {
    if kind == codex::KIND { codex::transcript::read_helpers(line, helper) } else { None }
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
