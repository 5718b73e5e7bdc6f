//! The tools, one file for each matter.

pub(crate) mod inputs;
pub(crate) mod prs;
pub(crate) mod session;
pub(crate) mod task;
pub(crate) mod workflow;

use super::table::{Field, Shape};
use serde_json::{Map, Value};

/// Only these members of a document.
fn only(document: Value, fields: &[Field]) -> Map<String, Value> {
    let Value::Object(mut document) = document else { return Map::new() };
    let fields = fields.iter();
    let kept = fields.filter_map(|Field(name, shape)| {
        let value = document.remove(*name).unwrap_or_default();
        // What may be null is told as that, so that nobody wonders.
        let is_told = !value.is_null() || is_nullable(*shape);
        is_told.then(|| ((*name).to_owned(), value))
    });
    kept.collect()
}

fn is_nullable(shape: Shape) -> bool {
    matches!(shape, Shape::MaybeText | Shape::MaybeNumber | Shape::MaybeObject)
}

/// What has come of each effect on the task, in words behind others.
fn effects(of: &Map<String, Value>) -> String {
    let effects = of.get("effects").and_then(Value::as_array).into_iter().flatten();
    effects.filter_map(Value::as_object).map(effect).collect()
}

fn effect(of: &Map<String, Value>) -> String {
    let (what, done) = match text(of, "kind") {
        "comment" => ("summary", "stands at the task"),
        _ => ("task's new status", "is set"),
    };
    let why = match text(of, "reason") {
        "" => String::new(),
        why => format!(": {}", why.trim_end_matches('.')),
    };
    match text(of, "state") {
        "done" => format!(" The {what} {done}."),
        "queued" => format!(" The {what} is queued, and follows as soon as that can be{why}."),
        "skipped" => format!(" The {what} is skipped{why}."),
        _ => format!(" The {what} has failed{why}."),
    }
}

/// The beginning of a text; of one that is longer it says so.
fn begin(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((cut, _)) => {
            format!("{}… (cut here; it is whole in the structured content)", &text[..cut])
        }
        None => text.to_owned(),
    }
}

/// Texts of a list, one a line, the first `most` of them.
fn rows(name: &str, rows: &[String], most: usize) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let left = rows.len().saturating_sub(most);
    let more = if left > 0 { format!("\n- and {left} more") } else { String::new() };
    let rows = rows.iter().take(most).map(String::as_str).collect::<Vec<_>>().join("\n- ");
    format!("\n{name}:\n- {rows}{more}")
}

/// A text member; empty where there is none.
fn text<'a>(document: &'a Map<String, Value>, name: &str) -> &'a str {
    document.get(name).and_then(Value::as_str).unwrap_or_default()
}
