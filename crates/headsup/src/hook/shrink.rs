//! Long payloads: the members stay, their long values go.

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
    let values = values(text)?;
    LONGEST.iter().find_map(|&longest| {
        let mut short = Vec::with_capacity(limit.min(text.len()));
        let mut copied = 0;
        for &(start, end) in values.iter().filter(|(start, end)| end - start > longest) {
            short.extend_from_slice(&text[copied..start]);
            write!(short, "{{\"truncated\":true,\"bytes\":{}}}", end - start).ok()?;
            copied = end;
        }
        short.extend_from_slice(&text[copied..]);
        (short.len() <= limit).then_some(short)
    })
}

/// Start and end of each top-level value.
fn values(text: &[u8]) -> Option<Vec<(usize, usize)>> {
    let mut scanner = Scanner { text, at: 0 };
    let mut values = Vec::new();
    scanner.expect(b'{')?;
    if scanner.peek()? == b'}' {
        scanner.at += 1;
    } else {
        loop {
            scanner.peek().filter(|&byte| byte == b'"')?;
            scanner.string()?;
            scanner.expect(b':')?;
            scanner.peek()?;
            let start = scanner.at;
            scanner.value()?;
            values.push((start, scanner.at));
            let separator = scanner.peek()?;
            scanner.at += 1;
            match separator {
                b',' if values.len() < MAX_MEMBERS => {}
                b'}' => break,
                _ => return None,
            }
        }
    }
    text[scanner.at..].trim_ascii().is_empty().then_some(values)
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    /// The next byte that is not white space; `at` is moved to it.
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at)?.is_ascii_whitespace() {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Passes over the string whose opening quote stands at `at`.
    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            let rest = self.text.get(self.at..)?;
            let plain = plain_pieces(rest);
            let special = rest[plain..].iter().position(|&byte| ends_plain(byte))?;
            self.at += plain + special + 1;
            match rest[plain + special] {
                b'"' => return Some(()),
                _ => self.at += 1,
            }
        }
    }

    /// Passes over the value that starts at `at`; depth is counted, the kind of bracket is not.
    fn value(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match *self.text.get(self.at)? {
                b'"' => {
                    self.string()?;
                    if depth == 0 {
                        return Some(());
                    }
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                    if depth == 0 {
                        return Some(());
                    }
                }
                _ if depth > 0 => self.at += 1,
                _ => return self.literal(),
            }
        }
    }

    /// A number, `true`, `false` or `null`.
    fn literal(&mut self) -> Option<()> {
        let start = self.at;
        let legal = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
        while self.text.get(self.at).is_some_and(|&byte| legal(byte)) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }
}

/// Most of a stretch without quotes and backslashes, many bytes at a step: long payloads are long
/// because of such stretches.
fn plain_pieces(text: &[u8]) -> usize {
    let any_ends = |piece: &&[u8]| piece.iter().fold(false, |any, &byte| any | ends_plain(byte));
    32 * text.chunks_exact(32).take_while(|piece| !any_ends(piece)).count()
}

fn ends_plain(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\')
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
