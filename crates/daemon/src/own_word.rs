//! A report in our own words, as it is taken: told over HTTP, or left in the spool where the hub gave no answer.

use headsup_adapters::text;
use headsup_core::wire::ReportBody;
use serde_json::{Value, json};

/// A detail is one line under a headline, a word is a word. In characters.
pub(crate) const LONGEST_DETAIL: usize = 4_000;
pub(crate) const LONGEST_WORD: usize = 200;

/// What is stored and shown holds no key and no control character, whoever wrote it.
pub(crate) fn clean(report: &mut ReportBody) {
    if let Some(detail) = &mut report.detail {
        *detail = text::block(detail, LONGEST_DETAIL);
    }
    for word in [&mut report.reason, &mut report.outcome].into_iter().flatten() {
        *word = text::line(word, LONGEST_WORD);
    }
}

/// How it is kept as evidence.
pub(crate) fn row(by: &str, body: &Value) -> Value {
    json!({"src": "report", "by": by, "body": body})
}
