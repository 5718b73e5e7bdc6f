//! What `exec --json` writes.
//!
//! Codex 0.169.0 (measured: `fixtures/codex/0.169.0/exec_mode`).
//!
//! | line | shows |
//! |---|---|
//! | `thread.started` | nothing but its session |
//! | `turn.started`, `item.*` | working |
//! | `turn.completed`, `turn.failed` | done, failed |
//! | `error` | nothing: it tries again, or `turn.failed` follows |

use crate::json::{self, skim};
use crate::stream::{Shown, name};
use crate::text;
use headsup_core::observation::Level;

skim! {
    Row { kind: "type", thread: "thread_id" }
}

pub(crate) fn read(line: &str) -> Option<Shown> {
    let row: Row<'_> = json::payload(json::trim(line)).ok()?;
    let kind = row.kind.text()?;
    let level = match &*kind {
        "turn.completed" => Some(Level::Done),
        "turn.failed" => Some(Level::Failed { code: "error".to_owned() }),
        "turn.started" => Some(Level::Working { reason: None }),
        item if item.starts_with("item.") => Some(Level::Working { reason: None }),
        _ => None,
    };
    let session = row.thread.text().and_then(|id| text::id(&id));
    Some(Shown { name: name(&kind, None), session, level, ..Shown::default() })
}
