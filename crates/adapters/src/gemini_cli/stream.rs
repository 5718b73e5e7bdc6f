//! What `--output-format stream-json` writes.
//!
//! Gemini CLI 0.61.0 (measured: `fixtures/gemini-cli/0.61.0/headless_*`). Tools that need a yes are not
//! offered without a terminal, so it is never blocked.
//!
//! | line | shows |
//! |---|---|
//! | `init` | nothing but its session |
//! | `message`, `tool_use`, `tool_result` | working |
//! | `result` | done, failed; unknown with a status that nobody knows, which is counted |
//! | `error` | nothing: `result` follows |
//! | all others | nothing, and are counted |

use crate::json::{self, Skim, skim};
use crate::payload;
use crate::stream::{self, Shown, name};
use crate::text;
use headsup_core::observation::Level;

skim! {
    Row { kind: "type", session: "session_id", model: "model", status: "status", error: "error" }
}

skim! {
    Failure { kind: "type" }
}

/// The names of all members that are read: see [`Lines`](crate::acp::lines::Lines).
pub(crate) const WANTED: &[&[&str]] = &[Row::NAMES, Failure::NAMES];

/// How a run ends.
const ENDS: &[&str] = &["error", "success"];

pub(crate) fn read(line: &str) -> Option<Shown> {
    let row: Row<'_> = json::payload(json::trim(line)).ok()?;
    let Some(kind) = row.kind.text() else { return Some(stream::nameless()) };
    let status = row.status.text();
    let (mut strange, mut is_unread) = (None, false);
    let level = match &*kind {
        "message" | "tool_use" | "tool_result" => Some(Level::Working { reason: None }),
        "result" => {
            strange = payload::strange(("status", row.status, ENDS));
            match status.as_deref() {
                Some("success") => Some(Level::Done),
                said if said == Some("error") || row.error.json().is_some() => {
                    let code = row.error.object::<Failure<'_>>().kind.text();
                    let code = code.map(|code| text::line(&code, text::NAME));
                    Some(Level::Failed { code: code.unwrap_or_else(|| "error".to_owned()) })
                }
                // It is over, and nobody knows how.
                _ => {
                    is_unread = true;
                    None
                }
            }
        }
        "init" | "error" => None,
        _ => {
            strange = Some("type");
            None
        }
    };
    Some(Shown {
        name: name(&kind, None),
        session: row.session.text().and_then(|id| text::id(&id)),
        model: row.model.text().map(|model| text::line(&model, text::NAME)),
        level,
        is_unread,
        strange,
        ..Shown::default()
    })
}
