//! A payload of any length, taken piece by piece: of what is too long for memory the long values go while it is read.

use memchr::memchr2;
use std::io::Write as _;

/// A value of the object that is longer than this is not kept.
const LONGEST: usize = 16 << 10;
/// More than this is not kept of all the others.
const MOST: usize = 4 << 20;

/// A JSON object, with `{"truncated":true,"bytes":N}` for every top-level value that is long, or that was cut.
/// Nested values are passed over, not checked.
#[derive(Debug, Default)]
pub(super) struct Skimmed {
    /// What is kept. A long value's beginning is in it until that has ended.
    text: Vec<u8>,
    /// The object's opening bracket was there.
    is_begun: bool,
    /// It cannot be an object.
    is_broken: bool,
    /// Brackets that are open.
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
    /// The colon behind a name was there.
    is_named: bool,
    /// Where in the text the value under way begins, and its bytes so far.
    value: Option<(usize, usize)>,
    /// The end of the last whole member in the text.
    whole: usize,
}

/// The same of a text that is there at once, and may be cut at its end.
pub(super) fn skimmed(text: &[u8]) -> Option<Vec<u8>> {
    let mut skimmed = Skimmed::default();
    skimmed.take(text);
    skimmed.end()
}

impl Skimmed {
    /// Takes the next piece. False: no more is wanted.
    pub(super) fn take(&mut self, mut piece: &[u8]) -> bool {
        while let Some((&byte, rest)) = piece.split_first() {
            if self.is_in_string && !self.is_escaped {
                let plain = memchr2(b'"', b'\\', piece).unwrap_or(piece.len());
                let (plain, behind) = piece.split_at(plain);
                if !plain.is_empty() {
                    self.keep(plain);
                    piece = behind;
                    continue;
                }
            }
            if !self.step(byte) {
                self.is_broken = true;
                return false;
            }
            piece = rest;
        }
        self.text.len() <= MOST
    }

    /// What is kept. Of an object that was cut these are its whole members, and that the one under way was cut.
    /// `None`: it is no object.
    pub(super) fn end(mut self) -> Option<Vec<u8>> {
        if self.is_broken || !self.is_begun {
            return None;
        }
        if self.depth > 0 {
            match self.value.take() {
                Some((start, length)) => self.replace(start, length),
                None => self.text.truncate(self.whole),
            }
            self.text.push(b'}');
        }
        Some(self.text)
    }

    /// False: this is no object.
    fn step(&mut self, byte: u8) -> bool {
        if self.is_in_string {
            self.is_in_string = self.is_escaped || byte != b'"';
            self.is_escaped = byte == b'\\' && !self.is_escaped;
            self.keep(&[byte]);
            return true;
        }
        match (self.depth, byte) {
            (_, b' ' | b'\t' | b'\n' | b'\r') => {}
            (0, b'{') if !self.is_begun => {
                (self.is_begun, self.depth) = (true, 1);
                self.text.push(byte);
                self.whole = self.text.len();
                return true;
            }
            (0, _) | (1, b']') => return false,
            (1, b':') if !self.is_named => self.is_named = true,
            (1, b',') if self.value.is_none() => return false,
            (1, b',' | b'}') => {
                self.end_value();
                self.text.push(byte);
                self.depth -= usize::from(byte == b'}');
                return true;
            }
            _ => {
                if self.is_named && self.value.is_none() {
                    self.value = Some((self.text.len(), 0));
                }
                match byte {
                    b'"' => self.is_in_string = true,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' => self.depth -= 1,
                    _ => {}
                }
            }
        }
        self.keep(&[byte]);
        true
    }

    fn keep(&mut self, bytes: &[u8]) {
        if let Some((_, length)) = &mut self.value {
            *length += bytes.len();
            if *length > LONGEST {
                return;
            }
        }
        self.text.extend_from_slice(bytes);
    }

    fn end_value(&mut self) {
        if let Some((start, length)) = self.value.take()
            && length > LONGEST
        {
            self.replace(start, length);
        }
        self.is_named = false;
        self.whole = self.text.len();
    }

    fn replace(&mut self, start: usize, length: usize) {
        self.text.truncate(start);
        // Writing to memory cannot fail.
        write!(self.text, "{{\"truncated\":true,\"bytes\":{length}}}").ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is kept of a text, whatever the pieces it comes in.
    fn kept(text: &str) -> Option<String> {
        let mut all: Vec<_> = [1, 7, text.len().max(1)]
            .iter()
            .map(|piece| {
                let mut skimmed = Skimmed::default();
                let mut pieces = text.as_bytes().chunks(*piece);
                while pieces.next().is_some_and(|piece| skimmed.take(piece)) {}
                skimmed.end().map(|text| String::from_utf8(text).unwrap())
            })
            .collect();
        all.dedup();
        assert_eq!(all.len(), 1, "{} bytes", text.len());
        all.remove(0)
    }

    #[test]
    fn long_values_go_and_all_else_stays_as_it_is() {
        let long = r#"a \" \\"#.repeat(4_000);
        let nested = format!(r#"[{{"deep":[["{long}"]],"]":"}}"}}]"#);
        let text = format!(r#" {{"id" : "x","s":"{long}","o":{nested},"n":-1.5e3,"e":{{}} }} "#);
        let marker = |len: usize| format!(r#"{{"truncated":true,"bytes":{len}}}"#);
        let (s, o) = (marker(long.len() + 2), marker(nested.len()));
        let expected = format!(r#" {{"id" : "x","s":{s},"o":{o},"n":-1.5e3,"e":{{}} }} "#);
        assert_eq!(kept(&text), Some(expected));
        for short in ["{}", " { } ", r#"{"a":[1,{"b":"]}"}],"c":"\\"}"#, r#"{"":[]}"#] {
            assert_eq!(kept(short).as_deref(), Some(short));
        }
    }

    #[test]
    fn of_an_object_that_was_cut_the_whole_members_stay() {
        let long = "x".repeat(20_000);
        let cut = |bytes: usize| format!(r#"{{"a":"1","b":{{"truncated":true,"bytes":{bytes}}}}}"#);
        assert_eq!(kept(&format!(r#"{{"a":"1","b":"{long}"#)), Some(cut(20_001)));
        assert_eq!(kept(r#"{"a":"1","b":[{"c":"#), Some(cut(6)));
        assert_eq!(kept(r#"{"a":"1","b":"\"#), Some(cut(2)));
        for name in [r#","b":"#, r#","b""#, r#","b"#, ","] {
            assert_eq!(kept(&format!(r#"{{"a":"1"{name}"#)).as_deref(), Some(r#"{"a":"1"}"#));
        }
        assert_eq!(kept("{").as_deref(), Some("{}"));
    }

    #[test]
    fn what_is_no_object_is_none() {
        let texts = ["", " ", "[]", "\"{}\"", "nul", "{} {}", "{}x", "{]", "{,", r#"{"a","b":1}"#];
        for text in texts {
            assert_eq!(kept(text), None, "{text}");
        }
    }

    #[test]
    fn memory_is_bounded_whatever_comes() {
        let mut long = Skimmed::default();
        assert!(long.take(br#"{"a":""#));
        for _ in 0..32 {
            assert!(long.take(&vec![b'x'; 1 << 16]));
        }
        assert!(long.text.len() <= LONGEST + 6, "{}", long.text.len());
        let mut many = Skimmed::default();
        assert!(many.take(b"{"));
        let member = format!(r#""m":"{}","#, "v".repeat(10_000));
        let taken = (0..1_000).take_while(|_| many.take(member.as_bytes())).count();
        assert!(taken < 1_000 && many.text.len() <= MOST + member.len(), "{taken}");
    }
}
