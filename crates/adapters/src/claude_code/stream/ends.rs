//! How a run ends.

use super::{IDLE, Row};
use crate::text;
use headsup_core::observation::Level;

/// Every result that was recorded has it, as a truth value; without one nothing tells a success from an error.
pub(super) fn is_error(row: &Row<'_>) -> Option<bool> {
    match row.is_error.json() {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => None,
    }
}

/// `None`: it is over, and nobody knows how.
pub(super) fn result(row: &Row<'_>) -> Option<Level> {
    let stopped = row.reason.text().is_some_and(|reason| reason.starts_with("aborted"));
    let subtype = row.subtype.text();
    let has_failed = subtype.as_deref().is_some_and(|word| word.starts_with("error"));
    match is_error(row) {
        said if said == Some(true) || has_failed => {
            if stopped {
                return Some(IDLE);
            }
            // An error of its service has the word of a success (2.1.330, measured).
            let word = subtype.filter(|word| *word != "success");
            let code = row.error.text().or(word).unwrap_or_else(|| "error".into());
            Some(Level::Failed { code: text::line(&code, text::NAME) })
        }
        Some(_) if subtype.as_deref() == Some("success") => Some(Level::Done),
        _ => None,
    }
}
