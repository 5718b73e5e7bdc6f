//! The only door for HTML: what the hub sends to a browser as markup has passed here.
//!
//! maud escapes what stands in the text of agents; here every hidden character in it becomes
//! visible, wherever it stands, so that no name can reorder or hide what a person reads.

use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse as _, Response};
use headsup_core::words::text::is_hidden;
use maud::Markup;
use std::fmt::Write as _;

/// Nothing but our own files, no place for a script in the text, and one way to make elements.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types headsup";

/// Rendered markup whose text shows what it says.
pub(super) fn html(markup: Markup) -> String {
    text(markup.into_string())
}

/// Text that is no markup, for a title or an announcement: the browser is told to take it as text.
pub(super) fn text(text: String) -> String {
    if !text.chars().any(is_masked) {
        return text;
    }
    let mut shown = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        match c {
            c if !is_masked(c) => shown.push(c),
            // The pictures of control characters.
            '\0'..='\u{1f}' => shown.extend(char::from_u32(0x2400 + u32::from(c))),
            '\u{7f}' => shown.push('\u{2421}'),
            // Writing to a string cannot fail.
            c => write!(shown, "⟨U+{:04X}⟩", u32::from(c)).unwrap_or_default(),
        }
    }
    shown
}

/// White space stays: in HTML it moves nothing.
fn is_masked(c: char) -> bool {
    is_hidden(c) && !matches!(c, '\t' | '\n' | '\r')
}

/// A whole page.
pub(super) fn page(status: StatusCode, markup: Markup) -> Response {
    let html = html(markup);
    let headers = [(CONTENT_TYPE, "text/html; charset=utf-8"), (CACHE_CONTROL, "no-store")];
    (status, headers, GUARD, html).into_response()
}

/// What a page says for itself, beside what the guard says with every answer.
pub(super) const GUARD: [(HeaderName, &str); 2] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use maud::html as markup;

    #[test]
    fn text_is_escaped_and_hidden_characters_are_shown() {
        let shown = |text: &str| html(markup! { b title=(text) { (text) } });
        assert_eq!(shown("<i>\"&"), "<b title=\"&lt;i&gt;&quot;&amp;\">&lt;i&gt;&quot;&amp;</b>");
        let rtl = shown("a\u{202e}b");
        assert_eq!(rtl, "<b title=\"a⟨U+202E⟩b\">a⟨U+202E⟩b</b>");
        assert!(shown("\u{1b}[2J\0\u{7f}\u{9b}").contains("␛[2J␀␡⟨U+009B⟩"));
    }

    #[test]
    fn false_positive_what_people_write_stays() {
        for text in ["naïve", "日本語", "עברית", "e\u{301}", "❤\u{fe0f}", "one\n\ttwo"] {
            assert_eq!(html(markup! { (text) }), text);
        }
    }
}
