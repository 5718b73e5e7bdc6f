//! What a client of the tools' server takes as an answer, by RFC 9110: a range stands for all that is in it, and
//! who names nothing takes anything.

use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, HeaderValue};

/// What the library wants to read: it knows no ranges.
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// Writes a range that our answers are in as the types that it stands for.
pub(super) fn spell_out(headers: &mut HeaderMap) {
    if !headers.contains_key(ACCEPT) || takes_all_json(headers) {
        headers.insert(ACCEPT, BOTH);
    }
}

/// Whether a range takes JSON, and no nearer word says that it is unwanted.
fn takes_all_json(headers: &HeaderMap) -> bool {
    let lists = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let ranges: Vec<(String, bool)> = lists.flat_map(|list| list.split(',')).map(range).collect();
    let says =
        |name: &str| ranges.iter().find(|(range, _)| range == name).map(|(_, wanted)| *wanted);
    let by_range = says("application/*").or_else(|| says("*/*"));
    by_range == Some(true) && says("application/json") != Some(false)
}

/// The range, and whether it is wanted at all: a weight of 0 says that it is not.
fn range(text: &str) -> (String, bool) {
    let mut parts = text.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default().to_ascii_lowercase();
    let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
    let is_wanted = weight.is_none_or(|weight| weight.trim().parse() != Ok(0.0_f32));
    (name, is_wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_and_nothing_at_all_take_what_we_answer() {
        for (accept, expected) in [
            (None, true),
            (Some("*/*"), true),
            (Some("application/*"), true),
            (Some("text/html, */*;q=0.1"), true),
            (Some("APPLICATION/*; charset=x ; q=1.0"), true),
            (Some("application/json, text/event-stream"), true),
            (Some("text/html"), false),
            (Some("text/*"), false),
            (Some("*/*;q=0"), false),
            (Some("*/*, application/*;q=0.0"), false),
            (Some("*/*, application/json;q=0"), false),
            (Some(""), false),
        ] {
            let mut headers = HeaderMap::new();
            headers.extend(accept.map(|accept| (ACCEPT, HeaderValue::from_static(accept))));
            spell_out(&mut headers);
            assert_eq!(headers.get(ACCEPT) == Some(&BOTH), expected, "{accept:?}");
        }
    }
}
