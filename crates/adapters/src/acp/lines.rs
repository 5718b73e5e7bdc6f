//! Lines out of a stream of any size, each cut down to what may matter of it.
//!
//! A message may hold a picture or a file of many megabytes, and what decides may stand behind it.
//! So long strings, long lists and deep nesting are left out while the bytes go by, and what is
//! kept of a line is JSON as before, and small. No byte is looked at twice.

use memchr::{memchr, memchr2};

/// Bytes of a string that are kept.
const STRING: usize = 2_048;
/// Elements of a list that are kept.
const ITEMS: usize = 64;
/// Objects and lists within each other that are kept.
const DEEPEST: usize = 8;
/// Bytes of a line that are kept; one that is longer even so is not whole.
const LONGEST: usize = 128 << 10;
/// From here on a line is thrifty: what says what it is still fits, however much stands before.
const THRIFTY: usize = LONGEST / 2;
/// Then objects within each other that are kept: a message, its parameters, what they tell, and what
/// that is of.
const SHALLOW: usize = 4;
/// Then bytes of a string that are kept.
const SHORT: usize = 256;

/// A line, cut down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a [u8],
    /// It has an end that is not kept.
    pub(crate) is_cut: bool,
}

/// Where a stream stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    kept: Vec<u8>,
    is_cut: bool,
    at: At,
    depth: usize,
    /// Elements so far of each list that we are in; of an object nothing.
    items: [Option<usize>; DEEPEST + 1],
    /// Nothing is kept until what is open at this depth is closed.
    skips: Option<usize>,
    /// Bytes of the string that we are in which are kept.
    room: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    #[default]
    Between,
    /// In a string, of which so many bytes are kept.
    String { length: usize },
    /// Behind a backslash.
    Escape { length: usize },
    /// Among the digits of an escape.
    Digits { length: usize, left: u8 },
}

impl Lines {
    /// Takes the next piece of the stream, and gives out every line that ends in it.
    pub(crate) fn feed(&mut self, piece: &[u8], mut line: impl FnMut(Line<'_>)) {
        let mut rest = piece;
        while let Some(end) = memchr(b'\n', rest) {
            self.take(&rest[..end]);
            self.finish(&mut line);
            rest = &rest[end + 1..];
        }
        self.take(rest);
    }

    /// What the stream has ended with is a line too.
    pub(crate) fn finish(&mut self, mut line: impl FnMut(Line<'_>)) {
        let text = self.kept.trim_ascii();
        if !text.is_empty() {
            line(Line { text, is_cut: self.is_cut });
        }
        let mut kept = std::mem::take(&mut self.kept);
        kept.clear();
        *self = Self { kept, ..Self::default() };
    }

    fn take(&mut self, mut bytes: &[u8]) {
        while let Some(&byte) = bytes.first() {
            let taken = match self.at {
                At::Between => self.between(byte),
                At::String { length } => self.string(length, bytes),
                At::Escape { length } => {
                    self.keep_of_string(length, byte);
                    self.at = match byte {
                        b'u' => At::Digits { length, left: 4 },
                        _ => At::String { length: length + 2 },
                    };
                    1
                }
                At::Digits { length, left } => {
                    self.keep_of_string(length, byte);
                    self.at = match left {
                        2.. => At::Digits { length, left: left - 1 },
                        _ => At::String { length: length + 6 },
                    };
                    1
                }
            };
            bytes = &bytes[taken..];
        }
    }

    /// Up to the next byte of the string that means something.
    fn string(&mut self, length: usize, bytes: &[u8]) -> usize {
        let run = memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len());
        if run > 0 {
            let room = self.room.saturating_sub(length).min(run);
            self.keep(&bytes[..room]);
            self.at = At::String { length: length + room };
            return run;
        }
        if bytes[0] == b'"' {
            self.keep(b"\"");
            self.at = At::Between;
        } else {
            // An escape is kept whole or not at all.
            self.keep_of_string(length, b'\\');
            self.at = At::Escape { length };
        }
        1
    }

    fn keep_of_string(&mut self, length: usize, byte: u8) {
        if length < self.room {
            self.keep(&[byte]);
        }
    }

    fn between(&mut self, byte: u8) -> usize {
        match byte {
            b'"' => {
                self.at = At::String { length: 0 };
                self.room = if self.is_thrifty() { SHORT } else { STRING };
            }
            b'{' | b'[' => {
                self.keep(&[byte]);
                self.depth += 1;
                match self.items.get_mut(self.depth) {
                    Some(items) => *items = (byte == b'[').then_some(1),
                    None => self.skips = self.skips.or(Some(self.depth)),
                }
                if self.is_thrifty() && (byte == b'[' || self.depth > SHALLOW) {
                    self.skips = self.skips.or(Some(self.depth));
                }
                return 1;
            }
            b'}' | b']' => {
                if self.skips == Some(self.depth) {
                    self.skips = None;
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b',' if self.skips.is_none() => {
                if let Some(Some(items)) = self.items.get_mut(self.depth) {
                    *items += 1;
                    if *items > ITEMS || self.kept.len() > THRIFTY {
                        self.skips = Some(self.depth);
                    }
                } else if self.depth > SHALLOW && self.is_thrifty() {
                    self.skips = Some(self.depth);
                }
            }
            _ => {}
        }
        self.keep(&[byte]);
        1
    }

    fn is_thrifty(&self) -> bool {
        self.kept.len() > THRIFTY
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.skips.is_some() {
            return;
        }
        let room = (LONGEST - self.kept.len()).min(bytes.len());
        self.kept.extend_from_slice(&bytes[..room]);
        self.is_cut |= room < bytes.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{self, skim};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    skim! { Two { a: "a", b: "b" } }

    fn lines(pieces: &[&[u8]]) -> Vec<(String, bool)> {
        let (mut lines, mut found) = (Lines::default(), Vec::new());
        let mut keep = |line: Line<'_>| {
            found.push((String::from_utf8_lossy(line.text).into_owned(), line.is_cut));
        };
        for piece in pieces {
            lines.feed(piece, &mut keep);
        }
        lines.finish(&mut keep);
        found
    }

    fn one(text: &str) -> Value {
        let found = lines(&[text.as_bytes()]);
        let [(text, false)] = &found[..] else { panic!("{found:?}") };
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_line_ends_at_its_break_and_at_the_end_of_the_stream() {
        let found = lines(&[b"{\"a\"", b":1}\n\n  \r\n{\"b\":2}\r\n", b"{\"c\""]);
        let texts: Vec<&str> = found.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, [r#"{"a":1}"#, r#"{"b":2}"#, r#"{"c""#]);
    }

    #[test]
    fn what_stands_behind_a_huge_string_is_kept() {
        let big = "é\\\"\u{1F600}x".repeat(400_000);
        let line = json!({"params": {"prompt": [{"data": big}], "sessionId": "s"}, "id": 3});
        let kept = one(&line.to_string());
        assert_eq!(kept["params"]["sessionId"], "s");
        assert_eq!(kept["id"], 3);
        assert!(kept["params"]["prompt"][0]["data"].as_str().unwrap().len() <= STRING + 8);
    }

    #[test]
    fn long_lists_and_deep_nests_are_cut_and_stay_json() {
        let deep = format!("{}1,2{}", "[".repeat(5_000), "]".repeat(5_000));
        let long = (0..5_000).map(|n| json!({"n": n, "x": [n]})).collect::<Vec<_>>();
        let line = format!(r#"{{"deep":{deep},"long":{},"id":"z"}}"#, json!(long));
        let kept = one(&line);
        assert_eq!(kept["id"], "z");
        let long = kept["long"].as_array().unwrap();
        assert_eq!((long.len(), &long[ITEMS - 1]), (ITEMS, &json!({"n": 63, "x": [63]})));
    }

    #[test]
    fn what_a_message_is_survives_whatever_is_attached_to_it() {
        let file = |n: usize| {
            let resource = json!({"uri": format!("file:///x/{n}"), "text": "é\\\n".repeat(9_000)});
            json!({"type": "resource", "resource": resource})
        };
        let nest = json!({"a": {"b": {"c": {"d": "x".repeat(2_000)}}}});
        for count in [1, 61, 62, 64, 200] {
            let files: Vec<Value> = (0..count).map(file).collect();
            let wide = json!(vec![json!([nest, nest]); count]);
            let options = json!({"list": vec![files.clone(); 3], "wide": wide});
            for line in [
                format!(
                    r#"{{"id":7,"method":"m","params":{{"sessionId":"s","prompt":{}}}}}"#,
                    json!(files)
                ),
                format!(
                    r#"{{"params":{{"prompt":{},"update":{{"raw":{options},"status":"failed"}},"sessionId":"s"}},"method":"m","id":7}}"#,
                    json!(files)
                ),
            ] {
                let found = lines(&[line.as_bytes()]);
                let [(kept, false)] = &found[..] else { panic!("{count}: is cut") };
                assert!(kept.len() <= LONGEST);
                let kept: Value = serde_json::from_str(kept).unwrap();
                assert_eq!((&kept["id"], &kept["method"]), (&json!(7), &json!("m")), "{count}");
                assert_eq!(kept["params"]["sessionId"], "s", "{count}");
                if line.starts_with(r#"{"params"#) {
                    assert_eq!(kept["params"]["update"]["status"], "failed", "{count}");
                }
            }
        }
    }

    #[test]
    fn a_line_of_nothing_but_short_members_is_bounded() {
        let members: Vec<String> = (0..50_000).map(|n| format!("\"k{n}\":{n}")).collect();
        let line = format!("{{{}}}\n{{\"next\":1}}\n", members.join(","));
        let found = lines(&[line.as_bytes()]);
        assert!(found[0].1 && found[0].0.len() <= LONGEST);
        assert_eq!(found[1], (r#"{"next":1}"#.to_owned(), false));
    }

    #[test]
    fn an_escape_is_never_halved() {
        for escape in [r"\n", r"\\", r#"\""#, r"\u00e9", r"\ud83d\ude00"] {
            for before in STRING - 12..STRING + 2 {
                let text = format!(r#"{{"a":"{}{}","b":2}}"#, "x".repeat(before), escape.repeat(9));
                let found = lines(&[text.as_bytes()]);
                let kept: Two<'_> = json::payload(&found[0].0).unwrap();
                assert_eq!(kept.b.json(), Some("2"), "{escape} {before}");
                assert!(kept.a.text().unwrap().len() >= STRING - 12);
            }
        }
    }

    proptest! {
        #[test]
        fn however_it_is_cut_into_pieces_it_is_the_same(
            bytes in prop::collection::vec(prop_oneof![
                Just(b'\n'), Just(b'"'), Just(b'\\'), Just(b'{'), Just(b'}'), Just(b'['),
                Just(b']'), Just(b','), Just(b'u'), any::<u8>(),
            ], 0..400),
            cuts in prop::collection::vec(0_usize..400, 0..8),
        ) {
            let whole = lines(&[&bytes]);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|at| at.min(bytes.len())).collect();
            cuts.sort_unstable();
            let mut pieces = Vec::new();
            let mut from = 0;
            for cut in cuts {
                pieces.push(&bytes[from..cut]);
                from = cut;
            }
            pieces.push(&bytes[from..]);
            prop_assert_eq!(lines(&pieces), whole);
        }

        #[test]
        fn what_is_small_stays_as_it_is(
            members in prop::collection::btree_map("[a-z]{1,6}", "[ -~é\u{1F600}]{0,40}", 0..12),
        ) {
            let text = json!({"a": [members, [1, 2.5, null, true]]}).to_string();
            prop_assert_eq!(lines(&[text.as_bytes()]), vec![(text.clone(), false)]);
        }
    }
}
