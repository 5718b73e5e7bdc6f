//! Text as it reads behind escapes: `%3D`, `\u003d`, `\x3d`, `&quot;`, `&#61;`, and colours of a terminal.

use std::ops::Range;

/// Entities by name.
const ENTITIES: &[(&str, u8)] = &[
    ("quot;", b'"'),
    ("apos;", b'\''),
    ("lt;", b'<'),
    ("gt;", b'>'),
    ("equals;", b'='),
    ("colon;", b':'),
    ("commat;", b'@'),
    ("nbsp;", b' '),
];

/// How far a terminal's sequence may reach.
const SEQUENCE: usize = 64;

const ESCAPE: u8 = 0x1b;

/// A text whose signs are no escapes any more, and where each of them stood.
pub(super) struct Plain {
    pub(super) bytes: Vec<u8>,
    marks: Vec<Mark>,
}

/// From `plain` on in the plain text, bytes stand as in the other one from `text` on; the first of
/// them is written in `width` bytes there.
#[derive(Clone, Copy)]
struct Mark {
    plain: usize,
    text: usize,
    width: usize,
}

impl Plain {
    /// `None` where nothing is escaped.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        let first = (0..text.len()).find(|at| escaped(text, *at).is_some())?;
        let start = Mark { plain: 0, text: 0, width: 1 };
        let mut plain = Self { bytes: text[..first].to_vec(), marks: vec![start] };
        let mut at = first;
        while at < text.len() {
            let Some((sign, width)) = escaped(text, at) else {
                plain.bytes.push(text[at]);
                at += 1;
                continue;
            };
            if let Some(sign) = sign {
                plain.mark(at, width);
                plain.bytes.push(sign);
            }
            at += width;
            plain.mark(at, 1);
        }
        Some(plain)
    }

    fn mark(&mut self, text: usize, width: usize) {
        self.marks.push(Mark { plain: self.bytes.len(), text, width });
    }

    /// Where a piece that is not empty stands in the text.
    pub(super) fn place(&self, piece: &Range<usize>) -> Range<usize> {
        let mark = |at: usize| {
            let after = self.marks.partition_point(|mark| mark.plain <= at);
            self.marks[after.saturating_sub(1)]
        };
        let (first, last) = (mark(piece.start), mark(piece.end.saturating_sub(1)));
        let gone = piece.end.saturating_sub(1) - last.plain;
        let width = if gone == 0 { last.width } else { 1 };
        first.text + (piece.start - first.plain)..last.text + gone + width
    }
}

/// The sign that is escaped at `at`, if it is one that is seen, and how long that is.
fn escaped(text: &[u8], at: usize) -> Option<(Option<u8>, usize)> {
    let (sign, end) = match text[at] {
        b'%' => percent(text, at + 1)?,
        b'\\' => backslash(text, at + 1)?,
        b'&' => entity(text, at + 1)?,
        ESCAPE => (ESCAPE, at + 1),
        _ => return None,
    };
    if sign == ESCAPE
        && let Some(end) = sequence(text, end)
    {
        return Some((None, end - at));
    }
    let is_sign = sign.is_ascii() && !sign.is_ascii_alphanumeric();
    (is_sign && end > at + 1).then_some((Some(sign), end - at))
}

/// `3D`, or the same escaped once more.
fn percent(text: &[u8], at: usize) -> Option<(u8, usize)> {
    let mut at = at;
    while text[at..].starts_with(b"25") && hex(text, at + 2, 2).is_some() {
        at += 2;
    }
    Some((u8::try_from(hex(text, at, 2)?).ok()?, at + 2))
}

/// `u003d`, `x3d`, `033` or `e`, behind more backslashes where it is escaped once more.
fn backslash(text: &[u8], at: usize) -> Option<(u8, usize)> {
    let at = at + text[at..].iter().take(16).take_while(|b| **b == b'\\').count();
    let of = |len: usize| Some((u8::try_from(hex(text, at + 1, len)?).ok()?, at + 1 + len));
    match text.get(at)? {
        b'u' => of(4),
        b'x' => of(2),
        b'0' if text[at..].starts_with(b"033[") => Some((ESCAPE, at + 3)),
        b'e' if text.get(at + 1) == Some(&b'[') => Some((ESCAPE, at + 1)),
        _ => None,
    }
}

/// `quot;`, `#61;` or `#x3d;`, or the same escaped once more; `amp;` alone is the sign itself.
fn entity(text: &[u8], at: usize) -> Option<(u8, usize)> {
    let mut end = at;
    while text[end..].starts_with(b"amp;") {
        end += 4;
    }
    let named = ENTITIES.iter().find(|(name, _)| text[end..].starts_with(name.as_bytes()));
    let named = named.map(|(name, sign)| (*sign, end + name.len()));
    let own = (end > at).then_some((b'&', end));
    named.or_else(|| number(text, end)).or(own)
}

fn number(text: &[u8], at: usize) -> Option<(u8, usize)> {
    let digits = text[at..].strip_prefix(b"#")?;
    let (digits, radix) = match digits.first()? {
        b'x' | b'X' => (&digits[1..], 16),
        _ => (digits, 10),
    };
    let len = digits.iter().take(7).take_while(|b| b.is_ascii_hexdigit()).count();
    let is_closed = digits.get(len) == Some(&b';');
    let code = u32::from_str_radix(str::from_utf8(&digits[..len]).ok()?, radix).ok()?;
    let end = text.len() - digits.len() + len + 1;
    is_closed.then_some((u8::try_from(code).ok()?, end))
}

fn hex(text: &[u8], at: usize, len: usize) -> Option<u32> {
    let digits = text.get(at..at + len)?;
    let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
    let digits = str::from_utf8(digits).ok().filter(|_| is_hex)?;
    u32::from_str_radix(digits, 16).ok()
}

/// The end of a sequence `[…` that colours or moves.
fn sequence(text: &[u8], at: usize) -> Option<usize> {
    let body = text[at..].strip_prefix(b"[")?;
    let len = body.iter().take(SEQUENCE).take_while(|b| (0x20..=0x3f).contains(*b)).count();
    let is_closed = body.get(len).is_some_and(|b| (0x40..=0x7e).contains(b));
    is_closed.then_some(at + 1 + len + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        Plain::of(text.as_bytes()).map(|plain| String::from_utf8(plain.bytes).unwrap())
    }

    #[test]
    fn signs_are_read_and_nothing_else() {
        for (text, plain) in [
            ("a%3Db%26c", "a=b&c"),
            ("a%253Db", "a=b"),
            ("a\\u003db\\x26c", "a=b&c"),
            ("\\\\u0022a\\\\u0022", "\"a\""),
            ("&quot;a&#61;b&#x3D;&amp;amp;c", "\"a=b=&c"),
            ("a\u{1b}[1;32mb\\u001b[0mc\\033[md\\e[me", "abcde"),
            ("é%20é", "é é"),
        ] {
            assert_eq!(read(text).as_deref(), Some(plain), "{text}");
        }
        for text in [
            "",
            "a",
            "100% of it",
            "%41%C3%A9",
            "C:\\users\\new",
            "a & b; c",
            "\u{1b}",
            "&#;",
            "\\x4",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_piece_is_found_again_where_it_stood() {
        let text = "é=%3Dab%3D\u{1b}[0mcd%26e";
        let plain = Plain::of(text.as_bytes()).unwrap();
        let seen = str::from_utf8(&plain.bytes).unwrap();
        for (piece, stood) in [
            ("ab", "ab"),
            ("ab=", "ab%3D"),
            ("=cd", "%3D\u{1b}[0mcd"),
            ("cd", "cd"),
            ("&e", "%26e"),
            ("é", "é"),
        ] {
            let at = seen.find(piece).unwrap();
            assert_eq!(&text[plain.place(&(at..at + piece.len()))], stood, "{piece}");
        }
    }
}
