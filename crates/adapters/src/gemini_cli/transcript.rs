//! The log of a conversation, `tmp/PROJECT/chats/session-*.jsonl`, one JSON object a line.
//!
//! Gemini CLI 0.61.0 (measured in a terminal). Beside messages it holds what the program itself said
//! on the screen, which is how it tells what no hook tells: Esc, and a failure of the model's server.
//!
//! | line | fact |
//! |---|---|
//! | `info`, `Request cancelled.` | turn interrupted |
//! | `error`, `[API Error: …]` | turn failed; the server's own word for it is the code |
//! | `error`, `Failed to compress chat history…` | compaction ended (read) |
//! | `$set` of `sessionId` | compaction ended, if a person has asked for one: the conversation is begun anew with its summary. Nothing tells of one that came to nothing |
//! | all others | nothing; prompts are `user`, and `$set` rewrites what stood before |

use crate::json::{self, skim};
use crate::text;
use crate::transcript::LogLine;
use headsup_core::observation::Fact;

const CANCELLED: &str = "Request cancelled.";
const FAILED: &str = "[API Error: ";
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

pub(crate) fn read(line: &[u8]) -> Option<LogLine> {
    let text = json::decode(line);
    let text = json::trim(&text);
    let line: Line<'_> = json::walked(text)?;
    let written_at = line.timestamp.text().and_then(|at| text::id(&at));
    let mut read = LogLine { written_at, ..LogLine::default() };
    let said = line.content.text().unwrap_or_default();
    match line.kind.text().as_deref() {
        Some("user") => read.is_prompt = true,
        Some("info") if said == CANCELLED => {
            read.fact = Some(Fact::TurnInterrupted { turn_ref: None });
        }
        Some("error") if said.starts_with(FAILED) => {
            let detail = Some(text::line(&said, text::DETAIL));
            read.fact = Some(Fact::TurnFailed { code: code(&said), detail, turn_ref: None });
        }
        Some("error") if said.starts_with(NOT_COMPRESSED) => {
            read.fact = Some(Fact::CompactionEnded { manual: true });
        }
        None if line.set.walked::<Set<'_>>().session.text().is_some() => {
            read.fact = Some(Fact::CompactionEnded { manual: true });
        }
        _ => return Some(read),
    }
    if read.fact.is_some() {
        if !json::is_whole(text) {
            return None;
        }
        let name = line.kind.text().unwrap_or_else(|| "$set".into());
        read.name = text::line(&name, text::EVENT);
    }
    Some(read)
}

/// The server's document stands in the text: `"status":"INVALID_ARGUMENT"`.
fn code(said: &str) -> String {
    let word = said.split_once("\"status\":\"").and_then(|(_, rest)| rest.split_once('"'));
    let word = word.map(|(word, _)| text::line(&word.to_lowercase(), text::NAME));
    word.filter(|word| !word.is_empty()).unwrap_or_else(|| "api_error".to_owned())
}
