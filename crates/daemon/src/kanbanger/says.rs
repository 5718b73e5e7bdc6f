//! What Kanbanger says where it refuses.

use headsup_adapters::text;
use serde_json::Value;

/// What an error says, where it says it in one of the usual ways.
pub(super) fn says(body: &[u8]) -> String {
    let doc: Value = serde_json::from_slice(body).unwrap_or_default();
    let usual = ["/message", "/error/message", "/error", "/detail", "/title"];
    let found = usual.iter().find_map(|at| doc.pointer(at)?.as_str());
    match found {
        Some(text) => text::line(text, text::DETAIL),
        None => text::line(&String::from_utf8_lossy(body), text::DETAIL),
    }
}
