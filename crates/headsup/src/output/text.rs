//! The only door for text to a terminal.
//!
//! Whatever an agent, a file or the hub says is data. Nothing of it may move the cursor, change
//! the colours, reorder what is read, or hide between two letters.

use headsup_core::words::text::is_hidden;
use std::borrow::Cow;
use std::fmt::Write as _;

/// `text` as one harmless line: line breaks and tabs become one space, every other control
/// character (C0, C1, DEL), every bidirectional mark and everything invisible is dropped.
/// An escape sequence loses its ESC and stays visible as letters.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    if is_plain(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut after_break = false;
    for c in text.chars() {
        let is_break = matches!(c, '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' | '\u{85}');
        if is_break && !after_break {
            clean.push(' ');
        } else if !is_break && !is_harmful(c) {
            clean.push(c);
        }
        after_break = is_break;
    }
    Cow::Owned(clean)
}

/// The same of a line of a file, but its tabs stay: they are how it is indented, and harmless.
pub(crate) fn indented(text: &str) -> String {
    text.split('\t').map(line).collect::<Vec<_>>().join("\t")
}

/// JSON text with the same characters written as `\u` escapes: the same document, and harmless
/// on a terminal.
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    if is_plain(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if (c as u32) < 0x20 {
            // Between tokens only white space is legal; inside strings none of these is.
            clean.push(' ');
        } else if is_harmful(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(clean, "\\u{unit:04x}");
            }
        } else {
            clean.push(c);
        }
    }
    Cow::Owned(clean)
}

/// Nothing but printable ASCII. By stretches, which a processor looks at as a whole: of a long
/// roster nearly all is plain.
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    let is_odd = |byte: &u8| !(0x20..0x7f).contains(byte);
    bytes.chunks(64).all(|stretch| !stretch.iter().fold(false, |odd, byte| odd | is_odd(byte)))
}

/// The terminal gets no variation selectors at all: they change the width of a letter.
fn is_harmful(c: char) -> bool {
    is_hidden(c) || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fe0f}')
}

/// The same, and how many columns it takes.
pub(crate) fn line_and_width(text: &str) -> (Cow<'_, str>, usize) {
    if is_plain(text.as_bytes()) {
        return (Cow::Borrowed(text), text.len());
    }
    let clean = line(text);
    let width = width(&clean);
    (clean, width)
}

/// Columns that `text` takes in a terminal. `text` has come through [`line()`].
pub(crate) fn width(text: &str) -> usize {
    if is_plain(text.as_bytes()) { text.len() } else { text.chars().map(char_width).sum() }
}

/// The longest beginning of `text` that takes at most `columns`, with `…` where it was cut.
pub(crate) fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let mut taken = 0;
    let mut kept = String::new();
    for c in text.chars() {
        taken += char_width(c);
        if taken >= columns {
            break;
        }
        kept.push(c);
    }
    let kept = kept.trim_end();
    Cow::Owned(if columns == 0 { String::new() } else { format!("{kept}…") })
}

/// The table is coarse: a wrong guess bends a column, it never loses text.
fn char_width(c: char) -> usize {
    let is_in = |ranges: &[(u32, u32)]| {
        ranges.iter().any(|(first, last)| (*first..=*last).contains(&u32::from(c)))
    };
    match c {
        _ if c.is_ascii() => 1,
        _ if is_in(&COMBINING) => 0,
        _ if is_in(&WIDE) => 2,
        _ => 1,
    }
}

const COMBINING: [(u32, u32); 8] = [
    (0x300, 0x36f),
    (0x483, 0x489),
    (0x591, 0x5bd),
    (0x64b, 0x65f),
    (0x1ab0, 0x1aff),
    (0x1dc0, 0x1dff),
    (0x20d0, 0x20ff),
    (0xfe20, 0xfe2f),
];

/// East Asian wide characters and emoji.
const WIDE: [(u32, u32); 13] = [
    (0x1100, 0x115e),
    (0x231a, 0x231b),
    (0x23e9, 0x23ec),
    (0x2e80, 0xa4cf),
    (0xac00, 0xd7a3),
    (0xf900, 0xfaff),
    (0xfe30, 0xfe6f),
    (0xff01, 0xff60),
    (0xffe0, 0xffe6),
    (0x1f300, 0x1f64f),
    (0x1f680, 0x1f6ff),
    (0x1f900, 0x1faff),
    (0x20000, 0x3fffd),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_lose_their_power_and_stay_visible() {
        assert_eq!(line("\u{1b}[2J\u{1b}]0;owned\u{7}hi"), "[2J]0;ownedhi");
        assert_eq!(line("\u{9b}31mred\u{9d}title\u{9c}"), "31mredtitle");
        assert_eq!(line("a\u{8}b\u{7f}c\u{0}"), "abc");
    }

    #[test]
    fn text_cannot_be_reordered_or_hidden() {
        assert_eq!(line("rm \u{202e}txt.exe\u{202c}"), "rm txt.exe");
        assert_eq!(line("\u{2066}a\u{2069}\u{200b}\u{feff}\u{ad}b\u{e0041}"), "ab");
    }

    #[test]
    fn a_line_stays_one_line() {
        assert_eq!(line("one\r\ntwo\tthree\u{2028}four"), "one two three four");
    }

    #[test]
    fn a_line_of_a_file_keeps_its_tabs_and_nothing_else_that_is_no_letter() {
        assert_eq!(indented("+\t\t\"a\":\t1,\r"), "+\t\t\"a\":\t1, ");
        assert_eq!(indented("\t\u{1b}[2J\u{202e}x\t"), "\t[2Jx\t");
        assert_eq!(indented("plain"), "plain");
    }

    #[test]
    fn false_positive_people_write_other_letters() {
        for text in ["naïve", "日本語", "Привет", "עברית", "e\u{301}", "🚀 ready", "─ ✓ …"]
        {
            assert_eq!(line(text), text);
            assert_eq!(json(text), text);
        }
    }

    #[test]
    fn json_stays_the_same_document() {
        let hostile = "a\u{9b}31m\u{202e}b\u{e0041}\u{7f}";
        let text = serde_json::to_string(hostile).unwrap();
        let clean = json(&text);
        assert!(clean.is_ascii(), "{clean}");
        assert_eq!(serde_json::from_str::<String>(&clean).unwrap(), hostile);
    }

    #[test]
    fn text_is_cut_by_columns() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("日本語", 4), "日…");
        assert_eq!(cut("ab cd", 4), "ab…");
        assert_eq!(cut("abc", 0), "");
        assert_eq!(width("日本e\u{301}"), 5);
    }
}
