//! What lines of the log say that no version has said that is known: it is counted, so that somebody looks
//! whether it means something.
//!
//! Gemini CLI 0.61.0 (read in its source; those of the recordings are among them).

use crate::json::{self, skim};
use crate::payload;

skim! {
    Line { kind: "type", session: "sessionId", set: "$set", rewind: "$rewindTo" }
}

const TYPES: &[&str] = &["error", "gemini", "info", "user", "warning"];

/// The member that is news, if the line is one. The first line and what rewrites others have no type.
pub(crate) fn strange(line: &[u8]) -> Option<&'static str> {
    let text = json::decode(line);
    let text = json::trim(&text);
    let line: Line<'_> = json::walked(text)?;
    let untyped = [line.session, line.set, line.rewind];
    let is_untyped = !line.kind.is_there() && untyped.into_iter().any(json::Raw::is_there);
    let news = payload::strange(("type", line.kind, TYPES)).filter(|_| !is_untyped);
    // Of a line that is not whole nothing is believed.
    news.filter(|_| json::is_whole(text))
}
