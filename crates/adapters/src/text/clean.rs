//! Text that shows what it says: no hidden characters, no terminal sequences.

use headsup_core::words::text::is_hidden;

/// How much of a text is looked at, in bytes of the result. More than any cap by far, so that a
/// key that is redacted does not bring an unread one into view.
const LIMIT: usize = 64 * 1024;

/// How far a terminal sequence may reach.
const SEQUENCE: usize = 256;

/// One line: every run of white space is one space.
pub(super) fn line(text: &str) -> String {
    walk(text, |out, c| {
        if !c.is_whitespace() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
    })
}

/// Lines: at most one blank one between two others.
pub(super) fn block(text: &str) -> String {
    walk(text, |out, c| match c {
        '\n' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
            out.truncate(out.trim_end_matches(' ').len());
            if !out.is_empty() && !out.ends_with("\n\n") {
                out.push('\n');
            }
        }
        '\r' => {}
        c if c.is_whitespace() => out.push(' '),
        c => out.push(c),
    })
}

/// White space that is a control character, and line breaks that are not.
fn is_break(c: char) -> bool {
    matches!(c, '\t'..='\r' | '\u{85}')
}

fn walk(text: &str, put: impl Fn(&mut String, char)) -> String {
    let mut out = String::with_capacity(text.len().min(LIMIT));
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if out.len() >= LIMIT {
            // What is cut may be half a key.
            out.truncate(out.trim_end_matches(|c: char| !c.is_whitespace()).len());
            break;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '\u{1b}' | '\u{9b}' | '\u{9d}' => rest = &rest[sequence(c, rest)..],
            c if is_break(c) || !is_hidden(c) => put(&mut out, c),
            _ => {}
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// How many bytes after the introducer `c` belong to a terminal sequence. One that does not end
/// in time hides nothing: only its introducer goes.
fn sequence(c: char, rest: &str) -> usize {
    let (kind, skip) = match (c, rest.as_bytes().first()) {
        ('\u{9b}', _) => (b'[', 0),
        ('\u{9d}', _) => (b']', 0),
        (_, Some(kind @ (b'[' | b']'))) => (*kind, 1),
        (_, Some(b'\\')) => return 1,
        (_, Some(b'(' | b')')) => return rest.len().min(2).min(ascii_prefix(rest)),
        _ => return 0,
    };
    let body = rest.as_bytes().iter().enumerate().skip(skip).take(SEQUENCE);
    for (at, byte) in body {
        match (kind, byte) {
            (b'[', 0x20..=0x3f) | (b']', 0x20..) => {}
            (b'[', 0x40..=0x7e) | (b']', 0x07) => return at + 1,
            (b']', 0x1b) => return at,
            _ => return skip,
        }
    }
    skip
}

fn ascii_prefix(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_removed() {
        let hidden = [
            '\0',
            '\u{7}',
            '\u{7f}',
            '\u{9f}',
            '\u{ad}',
            '\u{200b}',
            '\u{200d}',
            '\u{200e}',
            '\u{202a}',
            '\u{202e}',
            '\u{2066}',
            '\u{2069}',
            '\u{2060}',
            '\u{2063}',
            '\u{feff}',
            '\u{3164}',
            '\u{fe01}',
            '\u{e0001}',
            '\u{e0041}',
            '\u{e007f}',
            '\u{e0101}',
        ];
        for c in hidden {
            assert_eq!(line(&format!("a{c}b")), "ab", "{c:?}");
            assert_eq!(block(&format!("a{c}b")), "ab", "{c:?}");
        }
    }

    #[test]
    fn what_people_write_stays() {
        for text in ["naïve café", "日本語", "שלום", "a ❤\u{fe0f} b", "x → y — “z”", "e\u{301}"]
        {
            assert_eq!(line(text), text);
            assert_eq!(block(text), text);
        }
    }

    #[test]
    fn terminal_sequences_go_whole() {
        let tests = [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]0;title\u{7}text", "text"),
            ("\u{1b}]8;;http://x\u{1b}\\link", "link"),
            ("\u{9b}2Jx", "x"),
            ("\u{1b}(Bx", "x"),
            ("\u{1b}", ""),
            ("\u{1b}[", ""),
            ("\u{1b}é", "é"),
            ("\u{1b}(é", "é"),
        ];
        for (text, clean) in tests {
            assert_eq!(line(text), clean, "{text:?}");
        }
    }

    #[test]
    fn a_sequence_without_an_end_hides_nothing() {
        let text = format!("\u{1b}]0;{}", "x".repeat(1_000));
        assert!(line(&text).len() > 900);
    }

    #[test]
    fn white_space_is_one_space_in_a_line_and_kept_as_breaks_in_a_block() {
        assert_eq!(line("  a\t\r\n b\u{2028}c\u{a0}d  "), "a b c d");
        assert_eq!(block("a \r\n\r\n\r\n\tb\u{2029}c\n\n"), "a\n\n b\nc");
    }

    #[test]
    fn a_long_text_is_cut_between_words() {
        let text = format!("{} {}", "word ".repeat(10_000), "K".repeat(100_000));
        let cut = line(&text);
        assert!(cut.len() <= LIMIT + 4);
        assert!(cut.ends_with("word"));
        assert_eq!(line(&"K".repeat(100_000)), "");
    }
}
