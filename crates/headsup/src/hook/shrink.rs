//! Long payloads: the members stay, their long values go.

use headsup_adapters::json_values;
use std::io::Write as _;

/// Values longer than the first of these are replaced; the next ones are tried where many values
/// of middling length still make too much.
const LONGEST: [usize; 3] = [16 << 10, 1 << 10, 64];
/// A real payload has some dozens.
const MAX_MEMBERS: usize = 1 << 14;

/// Copies a JSON object, with `{"truncated":true,"bytes":N}` for every top-level value that is
/// too long to keep within `limit` bytes. `None` if the text is not one complete object, or if it
/// is too long without its long values. Nested values are passed over, not checked.
pub(super) fn shrink(text: &[u8], limit: usize) -> Option<Vec<u8>> {
    let values = json_values(text, MAX_MEMBERS)?;
    LONGEST.iter().find_map(|&longest| {
        let mut short = Vec::with_capacity(limit.min(text.len()));
        let mut copied = 0;
        for value in values.iter().filter(|value| value.len() > longest) {
            short.extend_from_slice(&text[copied..value.start]);
            write!(short, "{{\"truncated\":true,\"bytes\":{}}}", value.len()).ok()?;
            copied = value.end;
        }
        short.extend_from_slice(&text[copied..]);
        (short.len() <= limit).then_some(short)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shrunk(text: &str, limit: usize) -> Option<String> {
        shrink(text.as_bytes(), limit).map(|short| String::from_utf8(short).unwrap())
    }

    #[test]
    fn only_long_values_are_replaced() {
        let long = r#"a \" \\"#.repeat(4000);
        let nested = format!(r#"{{"deep":[["{long}"]],"]":"}}"}}"#);
        let text = format!(r#" {{"id" : "x", "s":"{long}" ,"o":{nested},"n":-1.5e3,"e":{{}} }} "#);
        let marker = |len: usize| format!(r#"{{"truncated":true,"bytes":{len}}}"#);
        let (s, o) = (marker(long.len() + 2), marker(nested.len()));
        let expected = format!(r#" {{"id" : "x", "s":{s} ,"o":{o},"n":-1.5e3,"e":{{}} }} "#);
        assert_eq!(shrunk(&text, 256 << 10), Some(expected));
    }

    #[test]
    fn many_middling_values_go_too_and_many_short_ones_are_too_much() {
        let members = |len: usize| {
            let value = "v".repeat(len);
            let members: Vec<_> = (0..100).map(|n| format!(r#""m{n}":"{value}""#)).collect();
            format!("{{{}}}", members.join(","))
        };
        let short = shrunk(&members(10_000), 100_000).unwrap();
        assert_eq!(short.matches(r#"{"truncated":true,"bytes":10002}"#).count(), 100);
        assert!(shrunk(&members(500), 10_000).is_some());
        assert_eq!(shrunk(&members(50), 1_000), None);
    }

    #[test]
    fn what_is_no_complete_object_is_refused() {
        let texts = [
            "",
            " ",
            "[]",
            "\"{}\"",
            "{",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":1",
            "{\"a\":1,",
            "{\"a\":1,}",
            "{\"a\":}",
            "{a:1}",
            "{\"a\" 1}",
            "{} {}",
            "{\"a\":\"\\",
            "{\"a\":[}",
            "{\"a\":]}",
            "{\"a\":1 2}",
            "nul",
            "{\"a\":\"b\\\"}",
        ];
        for text in texts {
            assert_eq!(shrunk(text, 1000), None, "{text}");
        }
        assert_eq!(shrunk("{}", 1000).as_deref(), Some("{}"));
        assert_eq!(shrunk("{\"\":[]}", 1000).as_deref(), Some("{\"\":[]}"));
    }

    #[test]
    fn depth_costs_no_stack() {
        let text = format!("{{\"a\":{}{}}}", "[".repeat(1 << 20), "]".repeat(1 << 20));
        let expected = format!("{{\"a\":{{\"truncated\":true,\"bytes\":{}}}}}", 2 << 20);
        assert_eq!(shrunk(&text, 1000), Some(expected));
    }
}
