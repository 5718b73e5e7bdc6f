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

/// The same of its end, which tells more than its beginning where it is a path.
pub(crate) fn tail(text: &str, columns: usize) -> Cow<'_, str> {
    // A letter takes no more columns than it has bytes.
    if text.len() <= columns || width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let mut taken = 0;
    let is_kept = |c: &char| {
        taken += char_width(*c);
        taken < columns
    };
    let kept: Vec<char> = text.chars().rev().take_while(is_kept).collect();
    Cow::Owned(std::iter::once('…').chain(kept.into_iter().rev()).collect())
}

/// Columns of one letter. The table is coarse: a wrong guess bends a column, it never loses text.
pub(crate) fn char_width(c: char) -> usize {
    let code = u32::from(c);
    let is_in = |ranges: &[(u32, u32)]| {
        let at = ranges.partition_point(|(_, last)| *last < code);
        ranges.get(at).is_some_and(|(first, _)| *first <= code)
    };
    match c {
        _ if c.is_ascii() => 1,
        _ if is_in(&COMBINING) => 0,
        _ if is_in(&WIDE) => 2,
        _ => 1,
    }
}

/// Marks that stand over or under the letter before them, of the scripts that are written most.
const COMBINING: [(u32, u32); 36] = [
    (0x300, 0x36f),
    (0x483, 0x489),
    (0x591, 0x5bd),
    (0x5bf, 0x5bf),
    (0x5c1, 0x5c2),
    (0x5c4, 0x5c5),
    (0x5c7, 0x5c7),
    (0x610, 0x61a),
    (0x64b, 0x65f),
    (0x670, 0x670),
    (0x6d6, 0x6dc),
    (0x6df, 0x6e4),
    (0x6e7, 0x6e8),
    (0x6ea, 0x6ed),
    (0x900, 0x902),
    (0x93a, 0x93a),
    (0x93c, 0x93c),
    (0x941, 0x948),
    (0x94d, 0x94d),
    (0x951, 0x957),
    (0x962, 0x963),
    (0x981, 0x981),
    (0x9bc, 0x9bc),
    (0x9c1, 0x9c4),
    (0x9cd, 0x9cd),
    (0xbc0, 0xbc0),
    (0xbcd, 0xbcd),
    (0xe31, 0xe31),
    (0xe34, 0xe3a),
    (0xe47, 0xe4e),
    (0x1ab0, 0x1aff),
    (0x1dc0, 0x1dff),
    (0x20d0, 0x20ff),
    (0x302a, 0x302d),
    (0x3099, 0x309a),
    (0xfe20, 0xfe2f),
];

/// East Asian wide characters, and what a terminal shows as a picture by itself.
const WIDE: [(u32, u32); 52] = [
    (0x1100, 0x115e),
    (0x231a, 0x231b),
    (0x2329, 0x232a),
    (0x23e9, 0x23ec),
    (0x23f0, 0x23f0),
    (0x23f3, 0x23f3),
    (0x25fd, 0x25fe),
    (0x2614, 0x2615),
    (0x2648, 0x2653),
    (0x267f, 0x267f),
    (0x2693, 0x2693),
    (0x26a1, 0x26a1),
    (0x26aa, 0x26ab),
    (0x26bd, 0x26be),
    (0x26c4, 0x26c5),
    (0x26ce, 0x26ce),
    (0x26d4, 0x26d4),
    (0x26ea, 0x26ea),
    (0x26f2, 0x26f3),
    (0x26f5, 0x26f5),
    (0x26fa, 0x26fa),
    (0x26fd, 0x26fd),
    (0x2705, 0x2705),
    (0x270a, 0x270b),
    (0x2728, 0x2728),
    (0x274c, 0x274c),
    (0x274e, 0x274e),
    (0x2753, 0x2755),
    (0x2757, 0x2757),
    (0x2795, 0x2797),
    (0x27b0, 0x27b0),
    (0x27bf, 0x27bf),
    (0x2b1b, 0x2b1c),
    (0x2b50, 0x2b50),
    (0x2b55, 0x2b55),
    (0x2e80, 0xa4cf),
    (0xac00, 0xd7a3),
    (0xf900, 0xfaff),
    (0xfe30, 0xfe6f),
    (0xff01, 0xff60),
    (0xffe0, 0xffe6),
    (0x1f004, 0x1f004),
    (0x1f0cf, 0x1f0cf),
    (0x1f18e, 0x1f18e),
    (0x1f191, 0x1f19a),
    (0x1f200, 0x1f265),
    (0x1f300, 0x1f64f),
    (0x1f680, 0x1f6ff),
    (0x1f7e0, 0x1f7eb),
    (0x1f7f0, 0x1f7f0),
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

    #[test]
    fn a_paths_end_is_cut_by_columns_as_well() {
        for (path, columns, shown) in [
            ("/srv/shop", 9, "/srv/shop"),
            ("/srv/shop", 8, "…rv/shop"),
            ("~/文書/日本", 11, "~/文書/日本"),
            ("~/文書/日本", 8, "…書/日本"),
            ("~/文書/日本", 7, "…/日本"),
        ] {
            assert_eq!(tail(path, columns), shown, "{columns}");
        }
    }

    #[test]
    fn what_agents_like_to_write_takes_the_columns_that_a_terminal_gives_it() {
        for wide in ["✅", "❌", "⚡", "✨", "⭐", "❓", "🟢", "🚀"] {
            assert_eq!(width(wide), 2, "{wide}");
        }
        for narrow in ["✓", "✗", "⚠", "●", "…", "→"] {
            assert_eq!(width(narrow), 1, "{narrow}");
        }
        assert_eq!((width("ที่นี่"), width("हिन्दी"), width("か\u{3099}")), (2, 5, 2));
        assert_eq!(cut("✅ all tests pass", 8), "✅ all…");
    }

    #[test]
    fn the_tables_of_widths_are_in_order_as_the_search_in_them_needs() {
        for table in [&COMBINING[..], &WIDE[..]] {
            assert!(table.iter().all(|(first, last)| first <= last));
            assert!(table.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
    }
}
