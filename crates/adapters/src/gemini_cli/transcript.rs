//! The log of a conversation, `tmp/PROJECT/chats/session-*.jsonl`, one JSON object a line.
//!
//! Gemini CLI 0.61.0 (measured in a terminal). Beside messages it holds what the program itself said
//! on the screen, which is how it tells what no hook tells: Esc, and a failure of the model's server.
//!
//! | line | fact |
//! |---|---|
//! | `info`, `Request cancelled.` | turn interrupted |
//! | `info`, `A potential loop was detected…` | turn interrupted: a person has been asked, and lets it be halted |
//! | `error`, `[API Error: …]` | turn failed; the server's own word for it is the code |
//! | `error` and `info` of `FAILURES` | turn failed: it has tried again till it gave up, or has no turn or no room left |
//! | `error`, `Failed to compress chat history…` | compaction ended (read) |
//! | `$set` of `sessionId` | compaction ended, if a person has asked for one: the conversation is begun anew with its summary. Nothing tells of one that came to nothing |
//! | all others | nothing, as what commands of a person's say in mid-turn; prompts are `user`, as are what calls return and what the program tells of the session, and `$set` rewrites what stood before |

use crate::json::{self, Raw, skim};
use crate::text;
use crate::transcript::LogLine;
use headsup_core::observation::Fact;

const CANCELLED: &str = "Request cancelled.";
const HALTED: &str = "A potential loop was detected.";
const FAILED: &str = "[API Error: ";

/// How else it says that a turn has failed: its line's type, how that begins, and a code for it (measured, the
/// fourth read).
const FAILURES: &[(&str, &str, &str)] = &[
    ("error", "The model returned an empty response", "empty_response"),
    ("error", "The model response was blocked due to safety settings", "safety"),
    ("error", "Model stream ended with malformed function call", "malformed_function_call"),
    ("error", "Model stream ended with", "incomplete_response"),
    ("info", "The session has reached the maximum number of turns", "max_session_turns"),
    // What was asked does not fit beside what was said before; the prompt goes back into its box.
    ("info", "Sending this message (", "context_window"),
];

const NOT_COMPRESSED: &str = "Failed to compress chat history";

skim! {
    Line {
        kind: "type",
        timestamp: "timestamp",
        content: "content",
        set: "$set",
    }
}

skim! {
    Set {
        session: "sessionId",
    }
}

skim! {
    Part {
        text: "text",
        response: "functionResponse",
    }
}

/// How the program itself begins what it tells its model of the session (0.61.0, measured).
const CONTEXT: &str = "<session_context>";

pub(crate) fn read(line: &[u8]) -> Option<LogLine> {
    let text = json::decode(line);
    let text = json::trim(&text);
    let line: Line<'_> = json::walked(text)?;
    let written_at = line.timestamp.text().and_then(|at| text::id(&at));
    let mut read = LogLine { written_at, ..LogLine::default() };
    let said = line.content.text().unwrap_or_default();
    let kind = line.kind.text();
    match kind.as_deref() {
        Some("user") => read.is_prompt = is_prompt(line.content),
        Some("info") if said == CANCELLED || said.starts_with(HALTED) => {
            read.fact = Some(Fact::TurnInterrupted { turn_ref: None });
        }
        Some("error") if said.starts_with(NOT_COMPRESSED) => {
            read.fact = Some(Fact::CompactionEnded { manual: Some(true) });
        }
        Some(kind @ ("error" | "info")) => {
            let detail = Some(text::line(&said, text::DETAIL));
            let failed = |code| Fact::TurnFailed { code, detail, turn_ref: None };
            read.fact = code(kind, &said).map(failed);
        }
        None if line.set.walked::<Set<'_>>().session.text().is_some() => {
            read.fact = Some(Fact::CompactionEnded { manual: Some(true) });
        }
        _ => return Some(read),
    }
    if read.fact.is_some() {
        if !json::is_whole(text) {
            return None;
        }
        let name = kind.unwrap_or_else(|| "$set".into());
        read.name = text::line(&name, text::EVENT);
    }
    Some(read)
}

/// Is it what a person has typed? What calls return, and what the program tells of the session, are a user's lines, too
/// (measured).
fn is_prompt(content: Raw<'_>) -> bool {
    !content.walked_items().any(|part| {
        let part: Part<'_> = part.walked();
        part.response.is_there() || part.text.text().is_some_and(|text| text.starts_with(CONTEXT))
    })
}

/// Why the turn has failed, if that is what is said. The server's document stands in the text:
/// `"status":"INVALID_ARGUMENT"`.
fn code(kind: &str, said: &str) -> Option<String> {
    if kind != "error" || !said.starts_with(FAILED) {
        let is_it = |(of, begins, _): &&(&str, &str, &str)| *of == kind && said.starts_with(begins);
        return FAILURES.iter().find(is_it).map(|(_, _, code)| (*code).to_owned());
    }
    let word = said.split_once("\"status\":\"").and_then(|(_, rest)| rest.split_once('"'));
    let word = word.map(|(word, _)| text::line(&word.to_lowercase(), text::NAME));
    word.filter(|word| !word.is_empty()).or_else(|| Some("api_error".to_owned()))
}
