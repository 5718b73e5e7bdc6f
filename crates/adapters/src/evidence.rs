//! What a bug report may hold of the evidence: payloads, status files and lines of logs, without
//! what is anybody's own business.
//!
//! It goes in two steps. [`taken`] is what is kept of a text at all: no credential, no output of
//! tools, no long text. [`Shroud`] is what leaves the machine: whatever is not known to be the
//! program's own word becomes a placeholder. The same text is always the same placeholder, so that
//! calls, sessions and folders are told apart as before, and the adapter reads the same facts.

mod essence;
mod names;
mod numbers;
mod reports;
mod shroud;
mod vocabulary;
mod words;

pub use essence::screen_essence;
pub use reports::progress;
pub use shroud::Shroud;

use crate::json;
use crate::text::{REDACTED, redact};
use serde_json::Value;

/// A longer text is cut, in characters: nothing of it is shown as a whole anywhere.
const LONGEST: usize = 400;
/// Deeper nesting is left out.
const DEEPEST: usize = 24;
/// Of a longer list only so much is kept.
const MOST: usize = 64;

/// Whether a report of this kind under this event was heard in a stream, of lines or of the Agent
/// Client Protocol, and is no hook's.
pub fn is_of_a_stream(kind: &str, event: Option<&str>) -> bool {
    event == Some(crate::stream::EVENT) || crate::acp::is_kind(kind)
}

/// What is kept of a JSON object; `None` if it is none.
pub fn taken(bytes: &[u8]) -> Option<Value> {
    let text = json::decode(bytes);
    let mut value: Value = serde_json::from_str(json::trim(&text)).ok()?;
    value.is_object().then(|| {
        take(&mut value, 0);
        value
    })
}

fn take(value: &mut Value, depth: usize) {
    match value {
        _ if depth > DEEPEST => *value = Value::Null,
        Value::String(text) => *text = short(text),
        Value::Array(items) => {
            items.truncate(MOST);
            for item in items {
                take(item, depth + 1);
            }
        }
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                // What tools gave out is nobody's status.
                if vocabulary::is_output(name) {
                    *member = Value::Object(serde_json::Map::new());
                } else if let Value::String(text) = member
                    && is_secret(name, text)
                {
                    REDACTED.clone_into(text);
                }
                take(member, depth + 1);
            }
        }
        _ => {}
    }
}

/// A name can tell that its value is a credential.
fn is_secret(name: &str, text: &str) -> bool {
    let beginning: String = text.chars().take(LONGEST).collect();
    let count = |text: &str| redact(text).matches(REDACTED).count();
    count(&format!("{name}={beginning}")) > count(&beginning)
}

fn short(text: &str) -> String {
    // A credential that the cut at the end would halve is still seen whole.
    let Some((cut, _)) = text.char_indices().nth(2 * LONGEST) else {
        return redact(text).chars().take(LONGEST).collect();
    };
    // Where others before it became short, half a one would come into view.
    let is_of_one = |c: char| c.is_ascii_graphic() && !"\"'`,;<>(){}[]\\|".contains(c);
    let beginning = redact(text[..cut].trim_end_matches(is_of_one));
    beginning.chars().chain(REDACTED.chars()).take(LONGEST).collect()
}

#[cfg(test)]
mod tests;
