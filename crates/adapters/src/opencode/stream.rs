//! What `run --format json` writes.
//!
//! OpenCode 1.18.33 (measured: `fixtures/opencode/1.18.33/run-json`), and Kilo, which was made of it.
//!
//! | line | shows |
//! |---|---|
//! | `step_start`, `text`, `reasoning`, `tool_use` | working |
//! | `step_finish` | done with the reason `stop`; working with `tool-calls`; with the others that are known it rests |
//! | `error` | failed, until a step follows |
//! | all others | nothing, and are counted, as a reason that nobody knows |

use crate::json::{self, Skim, skim};
use crate::payload;
use crate::stream::{self, Shown, name};
use crate::text;
use headsup_core::observation::Level;

skim! {
    Row { kind: "type", session: "sessionID", part: "part", error: "error" }
}

skim! {
    Part { reason: "reason" }
}

skim! {
    Failure { name: "name" }
}

/// The names of all members that are read: see [`Lines`](crate::acp::lines::Lines).
pub(crate) const WANTED: &[&[&str]] = &[Row::NAMES, Part::NAMES, Failure::NAMES];

/// Why a step ends (read).
const REASONS: &[&str] =
    &["content-filter", "error", "length", "other", "stop", "tool-calls", "unknown"];

pub(crate) fn read(line: &str) -> Option<Shown> {
    let row: Row<'_> = json::payload(json::trim(line)).ok()?;
    let Some(kind) = row.kind.text() else { return Some(stream::nameless()) };
    let mut strange = None;
    let working = Level::Working { reason: None };
    let level = match &*kind {
        "step_start" | "text" | "reasoning" | "tool_use" => Some(working),
        "step_finish" => {
            let reason = row.part.object::<Part<'_>>().reason;
            strange = payload::strange(("reason", reason, REASONS));
            match reason.text().as_deref() {
                Some("stop") => Some(Level::Done),
                Some("tool-calls") => Some(working),
                Some(_) if strange.is_none() => Some(Level::Idle { shells: 0 }),
                // It may go on.
                _ => None,
            }
        }
        "error" => {
            let code = row.error.object::<Failure<'_>>().name.text();
            let code = code.map(|code| text::line(&code, text::NAME));
            Some(Level::Failed { code: code.unwrap_or_else(|| "error".to_owned()) })
        }
        _ => {
            strange = Some("type");
            None
        }
    };
    let session = row.session.text().and_then(|id| text::id(&id));
    Some(Shown { name: name(&kind, None), session, level, strange, ..Shown::default() })
}
