//! Credentials by their names: `API_KEY=…`, `"password": "…"`, `--token …`.

use super::command::separator;
#[cfg(test)]
use super::looks;
use super::names::{NAME, Secret, name_len, named};
use super::redact::begins;
use super::words::{is_argument, is_base64, is_plain, is_telling};
use std::ops::Range;

/// How much of a value is looked at.
const LOOK: usize = 1_024;

/// The same, of what stands in an element.
const ELEMENT: usize = 256;

/// The value that is assigned to a secret name that begins at `at`.
pub(super) fn value(text: &[u8], at: usize) -> Option<Range<usize>> {
    if !(text[at].is_ascii_alphabetic() || text[at] == b'_') || !begins(text, at) {
        return None;
    }
    let len = name_len(text, at);
    // Few names have a value: that is looked at first.
    let dashes = text[..at].iter().rev().take(2).take_while(|b| **b == b'-').count();
    let is_set = text.get(at + len) == Some(&b' ') && is_set(&text[..at]);
    let start = Start::after(text, at + len, if is_set { 2 } else { dashes })?;
    let secret = named(&text[at..at + len])?;
    let is_variable = start.tight && !text[at..at + len].iter().any(u8::is_ascii_lowercase);
    if secret == Secret::Key && !start.is_option && !is_variable {
        return None;
    }
    let seen = start.value_len(text, secret, LOOK);
    let found = &text[start.at..start.at + seen];
    if start.is_option && is_named_elsewhere(&text[at..at + len], found) {
        return None;
    }
    // What is too long to be looked at is taken for a secret: no place is read over and over.
    let len = if seen < LOOK { seen } else { start.value_len(text, secret, usize::MAX) };
    let is_secret = seen >= LOOK || start.is_secret(found, secret);
    is_secret.then(|| start.whole(text, start.at + len, secret))
}

/// Does `config set` or `configure set` stand before this word, or before what it is a part of?
fn is_set(before: &[u8]) -> bool {
    let own = before.iter().rev().take(NAME).take_while(|b| !b.is_ascii_whitespace()).count();
    let before = &before[..before.len() - own];
    before.ends_with(b"config set ") || before.ends_with(b"configure set ")
}

/// A file with a key, or the name of a secret that is kept elsewhere.
fn is_named_elsewhere(name: &[u8], value: &[u8]) -> bool {
    const FIELDS: &[&str] = &["id=", "src=", "source=", "type=", "env="];
    const FILES: &[&str] = &[".pem", ".key", ".crt"];
    let has = |part: &[u8]| name.windows(part.len()).any(|w| w.eq_ignore_ascii_case(part));
    if name == b"secret" {
        return FIELDS.iter().any(|field| value.starts_with(field.as_bytes()));
    }
    let is_file = matches!(value, [b'.' | b'~' | b'/', ..])
        || FILES.iter().any(|end| value.ends_with(end.as_bytes()));
    // The base64 of a key may hold a slash.
    let is_base64 = has(b"secret") || has(b"access") || has(b"api");
    name.ends_with(b"key") && (is_file || (value.contains(&b'/') && !is_base64))
}

/// Where a value begins, and how it is written.
struct Start {
    at: usize,
    /// The same, before its quote.
    raw: usize,
    quote: Option<Quote>,
    /// `NAME=value`, as a shell or an address writes it.
    tight: bool,
    /// `--NAME value`.
    is_option: bool,
    /// `NAME is "value"`, as people write it.
    is_said: bool,
    /// `NAME = value`, as a program's code and its settings write it.
    is_spaced: bool,
    /// Its stars are those of Markdown.
    is_bold: bool,
}

impl Start {
    fn after(text: &[u8], name_end: usize, dashes: usize) -> Option<Self> {
        let blanks = |from: usize| {
            from + text[from..].iter().take(4).take_while(|b| matches!(b, b' ' | b'\t')).count()
        };
        let gap = blanks(past_stars(text, past_quote(text, name_end).0));
        let (mut at, sign) = match text.get(gap)? {
            b'=' if matches!(text.get(gap + 1), Some(b'=' | b'~')) => return None,
            sign @ (b'=' | b':') => (gap + 1, *sign),
            sign @ b'>' if is_element(text, name_end) => (gap + 1, *sign),
            _ if dashes > 0 => {
                let next = separator(text, name_end)?;
                // `create-secret --secret-string …` is a command and its option.
                (dashes == 2 || text.get(next) != Some(&b'-')).then_some((next, b' '))?
            }
            sign @ b'i' if gap > name_end && is_said(text, gap) => (gap + 3, *sign),
            _ => return None,
        };
        if matches!((sign, text.get(at)), (b'=', Some(b'>')) | (b':', Some(b'='))) {
            at += 1;
        }
        let next = blanks(at);
        let raw = match sign {
            b':' => past_block_mark(text, blanks(past_stars(text, next))),
            _ => next,
        };
        let is_bold = sign == b':' && past_stars(text, next) > next;
        let tight = sign == b'=' && gap == name_end && raw == at;
        let (at, quote) = match sign {
            b'>' => (raw, Some(Quote { mark: b'<', slashes: 0, inner: false })),
            _ => past_triple(text, opening(text, raw)),
        };
        let (is_option, is_said) = (sign == b' ' && dashes == 2, sign == b'i');
        let is_spaced = sign == b'=' && !tight;
        Some(Self { at, raw, quote, tight, is_option, is_said, is_spaced, is_bold })
    }

    /// The length of the value, or `most` if it is longer.
    fn value_len(&self, text: &[u8], secret: Secret, most: usize) -> usize {
        let ends = |b: u8| match b {
            b'"' | b'\'' | b'`' | b'\\' => true,
            b if secret == Secret::Header => b < b' ',
            b => b <= b' ' || b",;&|)}]<>".contains(&b),
        };
        let end = match self.quote {
            Some(quote) => quoted_end(text, self.at, quote, most),
            None => bare_end(text, self.at, ends, most),
        };
        let is_closed = self.is_bold && self.quote.is_none() && text[self.at..end].ends_with(b"**");
        end - self.at - if is_closed { 2 } else { 0 }
    }

    /// The value to `end`, or the whole word of a shell if more is glued to it.
    fn whole(&self, text: &[u8], end: usize, secret: Secret) -> Range<usize> {
        let is_shell = (self.tight || self.is_option) && secret != Secret::Header;
        match glued_end(text, end, self.quote) {
            Some(end) if is_shell => self.raw..end,
            _ => self.at..end,
        }
    }

    fn is_secret(&self, value: &[u8], secret: Secret) -> bool {
        let digits = value.iter().any(u8::is_ascii_digit);
        let number = value.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-'));
        let short = self.is_option && self.quote.is_none() && value.len() <= 7;
        let word = short && value.iter().all(u8::is_ascii_lowercase);
        // The quote of `input("Password: ")` and `print("Password:", pw)` ends the text.
        let is_behind = value.starts_with(b")") || value.starts_with(b", ");
        let closed = !self.tight && self.quote.is_some() && is_behind;
        if value.is_empty() || closed || is_kept_elsewhere(value, self.quote) || is_plain(value) {
            return false;
        }
        // `the password is "weak"`
        if self.is_said && !digits && value.len() < 8 {
            return false;
        }
        match secret {
            Secret::Header => is_header_value(value),
            Secret::Signature => value.len() >= 20 && digits,
            Secret::Pair => (self.tight || self.quote.is_some()) && is_base64(value),
            // `pw = page2Width` is code.
            Secret::Loose => is_telling(value) && !(self.is_spaced && self.quote.is_none()),
            Secret::Password if self.tight || self.quote.is_some() => true,
            Secret::Token if word => false,
            Secret::Token | Secret::Key if number => value.len() >= 12,
            Secret::Key if self.tight && (value.len() < 8 || !digits) => false,
            Secret::Key => value.len() >= 6 && !value.contains(&b'.') && is_argument(value, false),
            _ if self.is_option => is_argument(value, digits),
            Secret::Password => !is_code(value) && (value.len() >= 6 || digits),
            Secret::Token if self.tight => !is_code(value),
            Secret::Token if self.quote.is_some() => value.len() >= 6 && !value.contains(&b' '),
            Secret::Token => value.len() >= 8 && digits && !is_code(value),
        }
    }
}

/// Is there `is "…"` at `at`, with both its quotes?
fn is_said(text: &[u8], at: usize) -> bool {
    if !text[at..].starts_with(b"is ") {
        return false;
    }
    let (from, quote) = skip_quote(text, at + 3);
    let is_closed = |quote| skip_quote(text, quoted_end(text, from, quote, LOOK)).1.is_some();
    quote.is_some_and(is_closed)
}

/// Does `>value</NAME>` stand at `end`, behind this name?
fn is_element(text: &[u8], end: usize) -> bool {
    let part = |b: &&u8| b.is_ascii_alphanumeric() || matches!(**b, b'_' | b'-' | b'.');
    let len = text[..end].iter().rev().take(NAME).take_while(part).count();
    let value = text[end..].iter().take(ELEMENT).position(|b| *b == b'<');
    let rest = value.and_then(|value| text[end + value..].strip_prefix(b"</"));
    text[end] == b'>' && rest.is_some_and(|rest| rest.starts_with(&text[end - len..end]))
}

/// Past the `>-` or `|` by which YAML says that a value stands on the next line.
fn past_block_mark(text: &[u8], at: usize) -> usize {
    let Some(b'>' | b'|') = text.get(at) else { return at };
    let is_part = |b: &&u8| matches!(**b, b'-' | b'+' | b'0'..=b'9');
    let end = at + 1 + text[at + 1..].iter().take(2).take_while(is_part).count();
    // A line's end in quoted JSON.
    let is_quoted = text[end..].starts_with(b"\\n");
    let line = if is_quoted { end + 2 } else { end };
    let is_blank = |b: &&u8| b.is_ascii_whitespace();
    let next = line + text[line..].iter().take(64).take_while(is_blank).count();
    // Where lines were made one, only a mark of two characters is surely none of a text's.
    let is_line = is_quoted || text[line..next].contains(&b'\n') || (end > at + 1 && next > line);
    if is_line { next } else { at }
}

/// Past the `**` by which Markdown makes a name or its value bold; more stars hide a value.
pub(super) fn past_stars(text: &[u8], at: usize) -> usize {
    let is_bold = text[at..].starts_with(b"**") && text.get(at + 2) != Some(&b'*');
    if is_bold { at + 2 } else { at }
}

/// Past the rest of a `"""` that opens a value.
fn past_triple(text: &[u8], opened: (usize, Option<Quote>)) -> (usize, Option<Quote>) {
    let (at, Some(first)) = opened else { return opened };
    let past = |at: usize| {
        let (end, quote) = skip_quote(text, at);
        let is_same = |quote: &Quote| (quote.mark, quote.slashes) == (first.mark, first.slashes);
        quote.filter(is_same).map(|_| end)
    };
    match past(at).and_then(past) {
        Some(end) if !first.inner => (end, Some(first)),
        _ => opened,
    }
}

/// A quote that opens a value.
#[derive(Clone, Copy)]
pub(super) struct Quote {
    pub(super) mark: u8,
    /// How many backslashes stand before it.
    slashes: usize,
    /// It is written `'\''`, inside single quotes.
    inner: bool,
}

/// How many backslashes stand at `at`.
fn slashes(text: &[u8], at: usize) -> usize {
    text[at..].iter().take(16).take_while(|b| **b == b'\\').count()
}

/// Past one quote, plain or escaped.
pub(super) fn skip_quote(text: &[u8], at: usize) -> (usize, Option<Quote>) {
    let slashes = slashes(text, at);
    match text.get(at + slashes) {
        Some(mark @ (b'"' | b'\'' | b'`')) => {
            (at + slashes + 1, Some(Quote { mark: *mark, slashes, inner: false }))
        }
        _ => (at, None),
    }
}

/// The same, or past the `'\''` inside single quotes.
pub(super) fn past_quote(text: &[u8], at: usize) -> (usize, Option<Quote>) {
    match inner_quote(text, at) {
        Some(end) => (end, Some(Quote { mark: b'\'', slashes: 0, inner: true })),
        None => skip_quote(text, at),
    }
}

/// The quote that ends right before `at`.
pub(super) fn quote_before(text: &[u8], at: usize) -> Option<Quote> {
    let start = |end: usize| {
        let slashes = text[..end].iter().rev().take(16).take_while(|b| **b == b'\\').count();
        end - slashes
    };
    let plain = at.checked_sub(1).map(start);
    let inner = at.checked_sub(2).and_then(|end| start(end).checked_sub(1));
    let mut found = [inner, plain].into_iter().flatten().map(|from| past_quote(text, from));
    found.find(|(end, _)| *end == at)?.1
}

/// Past the quote that opens a value: also `$'`, `N'`, and the `'\''` inside single quotes.
pub(super) fn opening(text: &[u8], at: usize) -> (usize, Option<Quote>) {
    match text.get(at..at + 2) {
        Some([b'$' | b'N' | b'E' | b'n' | b'e' | b'b' | b'r' | b'u' | b'f', b'\'' | b'"']) => {
            skip_quote(text, at + 1)
        }
        _ => past_quote(text, at),
    }
}

/// Past `'\''`, however often it is escaped.
pub(super) fn inner_quote(text: &[u8], at: usize) -> Option<usize> {
    let tail = text.get(at) == Some(&b'\'');
    let slashes = if tail { slashes(text, at + 1) } else { 0 };
    let end = at + 1 + slashes;
    (slashes > 0 && text[end..].starts_with(b"''")).then_some(end + 2)
}

/// Where the value ends that begins at `from`, behind its quote.
pub(super) fn quoted_end(text: &[u8], from: usize, quote: Quote, most: usize) -> usize {
    let mut slashes = 0;
    // An escaped quote inside the value has more backslashes than those around it.
    let step = quote.slashes + 1;
    let closes = |n: usize| n < step || ((n - quote.slashes) / step).is_multiple_of(2);
    let close = text[from..].iter().take(most).enumerate().find_map(|(n, b)| match *b {
        b'\n' => Some(n),
        b'\\' => {
            slashes += 1;
            None
        }
        b if b == quote.mark && closes(slashes) => Some(n - slashes.min(quote.slashes)),
        _ => {
            slashes = 0;
            None
        }
    });
    let end = close.map_or_else(|| text.len().min(from.saturating_add(most)), |n| from + n);
    #[cfg(test)]
    looks::count(end - from);
    end
}

/// Where the value ends that begins at `from` without a quote.
pub(super) fn bare_end(text: &[u8], from: usize, ends: impl Fn(u8) -> bool, most: usize) -> usize {
    let limit = text.len().min(from.saturating_add(most));
    let mut at = from;
    while at < limit {
        match text[at] {
            b'\\' if is_escape(text, at) => at += 2,
            b if ends(b) => break,
            _ => at += 1,
        }
    }
    #[cfg(test)]
    looks::count(at - from);
    at.min(limit)
}

/// A backslash before a blank or a sign, as a shell reads it.
fn is_escape(text: &[u8], at: usize) -> bool {
    let is_sign = |b: &u8| b.is_ascii_punctuation() && !b"\"'`\\".contains(b);
    text.get(at + 1).is_some_and(|b| *b == b' ' || is_sign(b))
}

/// The end of a shell's word of which a first piece ends at `end`, if more is glued to it.
pub(super) fn glued_end(text: &[u8], end: usize, quote: Option<Quote>) -> Option<usize> {
    let is_word = |at: usize| text.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b > 127);
    let is_closed = quote.is_some_and(|q| text.get(end) == Some(&q.mark));
    if quote.is_some_and(|q| q.slashes > 0 || q.inner || !is_closed) {
        return None;
    }
    // Behind `'\''` single quotes go on.
    let (mut at, mut open) = match inner_quote(text, end).filter(|_| is_closed) {
        Some(next) => (next, Some(b'\'')),
        None => (end + usize::from(is_closed), None),
    };
    let is_glued = open.is_some()
        || match text.get(at)? {
            b'"' | b'\'' => is_word(at + 1),
            b'\\' => is_closed && text[at..].starts_with(b"\\''") && is_word(at + 3),
            _ => is_closed && is_word(at),
        };
    if !is_glued {
        return None;
    }
    while let Some(b) = text.get(at) {
        match (open, *b) {
            (_, b'\n') => break,
            (None, b'\\') if is_escape(text, at) || text[at..].starts_with(b"\\'") => at += 1,
            (None, b'\'' | b'"') if is_word(at + 1) => open = Some(*b),
            (None, b) if b <= b' ' || b"\\\"'`;|&)<>,".contains(&b) => break,
            (Some(mark), b) if b == mark => match inner_quote(text, at) {
                Some(next) => at = next - 1,
                None => open = None,
            },
            _ => {}
        }
        at += 1;
    }
    Some(at)
}

/// Is a value one for another place to fill in? In single quotes a shell fills in nothing.
pub(super) fn is_kept_elsewhere(value: &[u8], quote: Option<Quote>) -> bool {
    match (quote.map(|quote| quote.mark), value) {
        // The output of a command.
        (Some(b'`'), _) if value.contains(&b' ') => true,
        (Some(b'\''), [b'$', b'{' | b'(', .., last] | [b'{' | b'(', .., last]) => {
            matches!(last, b'}' | b')')
        }
        (Some(b'\''), [b'*', ..]) => value.iter().all(|b| *b == b'*'),
        (Some(b'\''), [b'$' | b'@' | b'{' | b'(', ..]) => false,
        _ => is_reference(value),
    }
}

/// A name for a value that is kept elsewhere, or a place to fill in.
pub(super) fn is_reference(value: &[u8]) -> bool {
    let variable = |b: &u8| b.is_ascii_alphabetic() || matches!(b, b'_' | b'{' | b'(');
    match value {
        [b'$', next, ..] => variable(next),
        [b'<' | b'{' | b'(' | b'[' | b'*' | b'@' | b'%' | b'&' | b'|', ..] => true,
        _ => {
            let first = value[0].to_ascii_lowercase();
            matches!(first, b'x' | b'.') && value.iter().all(|b| b.to_ascii_lowercase() == first)
        }
    }
}

/// A scheme with its token, or one word that is no prose.
fn is_header_value(value: &[u8]) -> bool {
    const SCHEMES: &[&str] =
        &["bearer", "basic", "digest", "token", "apikey", "geniekey", "negotiate", "ssws"];
    let first = value.split(|b| *b == b' ').next().unwrap_or_default();
    let odd = first.iter().any(|b| b.is_ascii_digit() || *b == b'=');
    if SCHEMES.iter().any(|name| first.eq_ignore_ascii_case(name.as_bytes())) {
        let token = value[first.len()..].trim_ascii_start();
        return !token.is_empty() && !is_reference(token);
    }
    // However short the first of several cookies is, and whether it has a value.
    let is_list = first.ends_with(b";");
    (odd && (first.len() >= 6 || (first.contains(&b'=') && is_list)))
        || (is_list && value.split(|b| *b == b';').skip(1).any(is_cookie))
}

/// `NAME=value`, where the value is no word.
fn is_cookie(piece: &[u8]) -> bool {
    let piece = piece.trim_ascii();
    let sign = piece.iter().position(|b| *b == b'=').unwrap_or_default();
    let value = &piece[sign..];
    let is_token = value.len() > 6 && value.iter().any(u8::is_ascii_digit);
    sign > 0 && is_token && !piece.contains(&b' ') && !is_reference(&value[1..])
}

/// A call or a path of names: `getToken()`, `self.token`, `process.env.TOKEN`.
pub(super) fn is_code(value: &[u8]) -> bool {
    let name = |b: &u8| b.is_ascii_alphabetic() || matches!(b, b'_' | b'.' | b':');
    let is_call = value.contains(&b'(') || value.starts_with(b"ConvertTo-");
    is_call || (value.contains(&b'.') && value.iter().all(name))
}
