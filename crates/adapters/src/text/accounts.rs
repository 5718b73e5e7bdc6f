//! Passwords beside the names of accounts: what `htpasswd` and `chpasswd` are handed, and a line of a `.pgpass`.

use super::assign::skip_quote;
use super::command::{Word, separator, word};
use std::ops::Range;

/// How far ahead a command, or a name, is read.
const AHEAD: usize = 512;
const NAME: usize = 64;
/// So many words of a command.
const WORDS: usize = 16;

const READER: &[u8] = b"chpasswd";

/// The password that a command or a line says that begins at `at`.
pub(super) fn password(text: &[u8], at: usize) -> Option<Range<usize>> {
    htpasswd(text, at)
        .or_else(|| read(text, at))
        .or_else(|| said(text, at))
        .or_else(|| pgpass(text, at))
}

/// `htpasswd -b FILE NAME PASSWORD`; with `-n` there is no file.
fn htpasswd(text: &[u8], at: usize) -> Option<Range<usize>> {
    let mut next = behind(text, at, b"htpasswd")?;
    let (mut is_said, mut is_value, mut names) = (false, false, 2_usize);
    for _ in 0..WORDS {
        let found = word(text, next);
        match &text[found.range.clone()] {
            [b'-', letters @ ..] if !letters.is_empty() && names > 0 => {
                is_said |= letters.contains(&b'b');
                names = names.saturating_sub(usize::from(letters.contains(&b'n')));
                is_value = matches!(letters.last(), Some(b'C' | b'r'));
            }
            _ if is_value => is_value = false,
            _ if names == 0 => {
                return (is_said && found.is_secret(text)).then(|| found.all(text));
            }
            _ => names -= 1,
        }
        next = after(text, &found)?;
    }
    None
}

/// `chpasswd <<< NAME:…`, and the lines behind `chpasswd << MARK`.
fn read(text: &[u8], at: usize) -> Option<Range<usize>> {
    let mut next = behind(text, at, READER)?;
    for _ in 0..WORDS {
        if text[next..].starts_with(b"<<<") {
            return pair(text, next + 3 + blanks(&text[next + 3..]));
        }
        if text[next..].starts_with(b"<<") {
            return lines(text, next + 2);
        }
        next = after(text, &word(text, next))?;
    }
    None
}

/// `echo NAME:… | chpasswd`, also with `printf`.
fn said(text: &[u8], at: usize) -> Option<Range<usize>> {
    let mut next = behind(text, at, b"echo").or_else(|| behind(text, at, b"printf"))?;
    let seen = &text[next..text.len().min(next + AHEAD)];
    let line = seen.split(|b| *b == b'\n').next().unwrap_or_default();
    let reader = next + line.windows(READER.len()).rposition(|piece| piece == READER)?;
    for _ in 0..WORDS {
        let found = word(text, next);
        let is_pair = text[found.range.clone()].contains(&b':');
        if is_pair && found.range.end < reader && text[found.range.end..reader].contains(&b'|') {
            return pair(text, next);
        }
        next = after(text, &found)?;
    }
    None
}

/// What stands behind the first colon of the word at `at`, which may be several lines.
fn pair(text: &[u8], at: usize) -> Option<Range<usize>> {
    let whole = word(text, at);
    let start = whole.range.start + colon(&text[whole.range.clone()])? + 1;
    let found = match whole.quote {
        Some(_) => Word { range: start..whole.range.end, raw: start, quote: whole.quote },
        None => word(text, start),
    };
    found.is_secret(text).then(|| found.all(text))
}

/// From the first colon of the lines to the mark that ends them, or to the text's end.
fn lines(text: &[u8], at: usize) -> Option<Range<usize>> {
    let at = at + usize::from(text.get(at) == Some(&b'-'));
    let mark = word(text, at + blanks(&text[at..])).range;
    let start = mark.end + colon(&text[mark.end..])? + 1;
    let (mark, rest) = (&text[mark], &text[start..]);
    let is_mark = |piece: &[u8]| !mark.is_empty() && piece == mark;
    let said = rest.windows(mark.len().max(1)).position(is_mark).map_or(rest, |end| &rest[..end]);
    let said = said.trim_ascii_end();
    // A line's end in quoted JSON.
    let said = said.strip_suffix(b"\\n").unwrap_or(said);
    let found = Word { range: start..start + said.len(), raw: start, quote: None };
    found.is_secret(text).then_some(found.range)
}

/// A line of a `.pgpass`: host, port, database and user, of which each may be any (`*`), and the password.
fn pgpass(text: &[u8], at: usize) -> Option<Range<usize>> {
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || b"._-*".contains(b);
    let past = |from: usize| {
        let len = text[from..].iter().take(NAME).take_while(is_name).count();
        (len > 0 && text.get(from + len) == Some(&b':')).then_some(from + len + 1)
    };
    let port = past(at)?;
    let database = past(port)?;
    let is_port = match &text[port..database - 1] {
        [b'*'] => true,
        // A line of a file seldom has such a number.
        number => matches!(number.len(), 4 | 5) && number.iter().all(u8::is_ascii_digit),
    };
    let user = past(database).filter(|_| is_port)?;
    let start = past(user)?;
    let ends = |n: &usize| match text[*n] {
        b'\\' => matches!(text.get(n + 1), Some(b'n' | b'r' | b't' | b'"')),
        b => b.is_ascii_whitespace() || b"\"'`<>".contains(&b),
    };
    let end = (start..text.len()).find(ends).unwrap_or(text.len());
    let found = Word { range: start..end, raw: start, quote: None };
    // More fields, a moment, or a place in a file are something else.
    let is_more = |pair: &[u8]| pair[1] == b':' && pair[0] != b'\\';
    let is_number = |name: &[u8]| name.iter().all(u8::is_ascii_digit);
    let is_place = is_number(&text[database..user - 1]) || is_number(&text[user..start - 1]);
    let is_line = !is_place && !text[start - 1..end].windows(2).any(is_more);
    (is_line && found.is_secret(text)).then_some(start..end)
}

/// Where the first word behind this program begins, if it stands at `at`.
pub(super) fn behind(text: &[u8], at: usize, program: &[u8]) -> Option<usize> {
    if !text[at..].starts_with(program) {
        return None;
    }
    separator(text, at + program.len())
}

/// Where the word behind this one begins.
pub(super) fn after(text: &[u8], found: &Word) -> Option<usize> {
    let end = found.range.end;
    let closed = found.quote.is_some().then(|| skip_quote(text, end).0);
    separator(text, end).or_else(|| separator(text, closed?))
}

fn colon(text: &[u8]) -> Option<usize> {
    text.iter().take(AHEAD).position(|b| *b == b':')
}

fn blanks(text: &[u8]) -> usize {
    text.iter().take(4).take_while(|b| matches!(b, b' ' | b'\t')).count()
}
