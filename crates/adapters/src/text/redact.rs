//! Credentials out of text: one pass from left to right, each place looked at a bounded number
//! of times.
//!
//! Better one word too many than one key: a title that reads `token=[redacted]` costs a reader
//! a moment, a key in a store costs a rotation.

use super::shapes::{self, ADDRESSES, Set, Shape};
use super::{assign, command};
use std::borrow::Cow;
use std::ops::Range;

/// What stands for a credential.
pub const REDACTED: &str = "[redacted]";

/// How far a look-ahead goes that has found nothing yet.
const AHEAD: usize = 256;

/// `text` with every credential of a known shape or name replaced by [`REDACTED`].
pub fn redact(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let (mut out, mut kept, mut at) = (String::new(), 0, 0);
    while at < bytes.len() {
        match secret_at(bytes, at) {
            // The ends of a secret stand beside ASCII characters or the ends of the text.
            Some(found) if found.start >= kept && found.end > at => {
                out.push_str(text.get(kept..found.start).unwrap_or_default());
                out.push_str(REDACTED);
                (kept, at) = (found.end, found.end);
            }
            _ => at += 1,
        }
    }
    if kept == 0 && out.is_empty() {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(out)
}

/// The secret that begins, or is announced, at `at`.
fn secret_at(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = &text[at..];
    if rest.starts_with(b"://") {
        return user_info(text, at + 3);
    }
    if !begins(text, at) {
        return None;
    }
    if rest.starts_with(b"-----BEGIN ") {
        return private_key(rest).map(|len| at..at + len);
    }
    if rest.starts_with(b"-") {
        return command::option(text, at);
    }
    if !rest.first().is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
        return None;
    }
    shaped(rest)
        .or_else(|| web_token(rest))
        .or_else(|| bot_token(rest))
        .or_else(|| dotted_token(rest))
        .map(|len| at..at + len)
        .or_else(|| address(rest).or_else(|| scheme(rest)).map(|r| at + r.start..at + r.end))
        .or_else(|| assign::value(text, at))
        .or_else(|| command::statement(text, at))
}

/// Does something begin here: after a character that no name is made of, or after an escape
/// such as `\n` in quoted JSON?
pub(super) fn begins(text: &[u8], at: usize) -> bool {
    let before = |n: usize| at.checked_sub(n).map(|i| text[i]);
    let escape = matches!(text[at], b'n' | b't' | b'r' | b'b' | b'f');
    match (before(2), before(1)) {
        (_, Some(b'\\')) => !escape,
        (_, None) | (Some(b'\\'), Some(b'n' | b't' | b'r' | b'b' | b'f')) => true,
        (_, Some(b)) => !(b.is_ascii_alphanumeric() || b == b'_'),
    }
}

fn run(text: &[u8], set: Set) -> usize {
    text.iter().take_while(|b| set.has(**b)).count()
}

/// A known prefix and what must follow it.
fn shaped(text: &[u8]) -> Option<usize> {
    let fits = |shape: &&Shape| {
        let Some(tail) = text.strip_prefix(shape.prefix.as_bytes()) else { return false };
        let seen = &tail[..tail.len().min(64)];
        let len = run(seen, shape.set);
        len >= shape.least && seen[..len].iter().any(u8::is_ascii_digit)
    };
    let shape = shapes::beginning_with(*text.first()?).find(fits)?;
    // Take the whole word: a key may be longer than its alphabet says.
    let len = shape.prefix.len();
    Some(len + run(&text[len..], shape.set).max(run(&text[len..], Set::Word)))
}

/// A JSON web token, or the base64 of a JSON object.
fn web_token(text: &[u8]) -> Option<usize> {
    if !text.starts_with(b"eyJ") {
        return None;
    }
    let seen = &text[..text.len().min(AHEAD)];
    let first = run(seen, Set::Word);
    let dotted = seen.get(first) == Some(&b'.') && run(&seen[first + 1..], Set::Word) >= 10;
    (first >= 40 || (first >= 10 && dotted)).then(|| run(text, Set::Dotted))
}

/// A chat bot's token: 8 to 10 digits, a colon, 35 characters that begin with `AA`. In an address
/// `bot` stands before it.
fn bot_token(text: &[u8]) -> Option<usize> {
    let number = text.strip_prefix(b"bot").unwrap_or(text);
    let digits = number.iter().take(11).take_while(|b| b.is_ascii_digit()).count();
    let tail = number.get(digits..)?.strip_prefix(b":AA")?;
    let len = run(tail, Set::Word);
    ((8..=10).contains(&digits) && len >= 30).then_some(text.len() - tail.len() + len)
}

/// A Discord bot's token: its number, a moment and a signature, each in base64.
fn dotted_token(text: &[u8]) -> Option<usize> {
    let part = |from: usize, least: usize, most: usize| {
        let len = run(&text[from..text.len().min(from + most + 1)], Set::Word);
        (least..=most).contains(&len).then_some(from + len)
    };
    let dot = |at: usize| (text.get(at) == Some(&b'.')).then_some(at + 1);
    let moment = dot(part(0, 24, 28)?)?;
    let signature = dot(part(moment, 6, 6)?)?;
    let end = part(signature, 27, 38)?;
    let token = &text[..end];
    let telling = token.iter().any(u8::is_ascii_digit) && token.iter().any(u8::is_ascii_uppercase);
    telling.then_some(end)
}

fn address(text: &[u8]) -> Option<Range<usize>> {
    let start = ADDRESSES.iter().find_map(|known| past_address(text, known))?;
    let ends = |at: usize| match text[at] {
        b'\\' => text.get(at + 1) != Some(&b'/'),
        b => b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'`' | b')'),
    };
    let end = (start..text.len()).find(|at| ends(*at)).unwrap_or(text.len());
    (end - start >= 10).then_some(start..end)
}

/// Past a known address, in whichever case; JSON may escape its slashes.
fn past_address(text: &[u8], known: &str) -> Option<usize> {
    let mut at = 0;
    for b in known.bytes() {
        if b == b'/' && text.get(at) == Some(&b'\\') {
            at += 1;
        }
        if !text.get(at)?.eq_ignore_ascii_case(&b) {
            return None;
        }
        at += 1;
    }
    Some(at)
}

/// `Bearer X` and `Basic X`.
fn scheme(text: &[u8]) -> Option<Range<usize>> {
    let word = run(&text[..text.len().min(8)], Set::Alnum);
    let name = &text[..word];
    let least = if name.eq_ignore_ascii_case(b"bearer") {
        8
    } else if name.eq_ignore_ascii_case(b"basic") {
        12
    } else {
        return None;
    };
    let start = word + text[word..].iter().take(4).take_while(|b| **b == b' ').count();
    let tail = &text[start..];
    let bearer = |b: &&u8| Set::Dotted.has(**b) || **b == b'~';
    let len = tail.iter().take(AHEAD).take_while(bearer).count();
    let telling = len >= 40 || tail[..len].iter().any(|b| b.is_ascii_digit() || *b == b'=');
    let whole = tail.iter().take_while(bearer).count();
    (start > word && len >= least && telling).then_some(start..start + whole)
}

/// The password in `scheme://user:password@host`.
fn user_info(text: &[u8], at: usize) -> Option<Range<usize>> {
    let end = |b: &u8| {
        b.is_ascii_whitespace() || matches!(b, b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'\\')
    };
    let host = text[at..].iter().take(AHEAD).position(end).unwrap_or(AHEAD);
    let seen = &text[at..(at + host).min(text.len())];
    let sign = seen.iter().rposition(|b| *b == b'@')?;
    let Some(colon) = seen[..sign].iter().position(|b| *b == b':') else {
        // A long name with digits is a token.
        let is_token = sign >= 20 && run(seen, Set::Word) == sign;
        let has_digit = seen[..sign].iter().any(u8::is_ascii_digit);
        return (is_token && has_digit).then_some(at..at + sign);
    };
    let password = &seen[colon + 1..sign];
    let reference = match password {
        // A character that is escaped, but no `%NAME%`.
        [b'%', a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => {
            password.ends_with(b"%")
        }
        _ => matches!(password.first(), None | Some(b'$' | b'{' | b'%' | b'*')),
    };
    (!reference).then_some(at + colon + 1..at + sign)
}

/// A private key's block, to its end or to the end of the text.
fn private_key(text: &[u8]) -> Option<usize> {
    const MARK: &[u8] = b"-----";
    let find = |from: usize, what: &[u8], reach: usize| {
        let seen = &text[from..text.len().min(from.saturating_add(reach))];
        seen.windows(what.len()).position(|w| w == what).map(|n| from + n)
    };
    let head = find(MARK.len(), MARK, 80)?;
    text[..head].windows(11).any(|w| w == b"PRIVATE KEY").then_some(())?;
    let foot = find(head, b"-----END ", usize::MAX);
    let end = foot.and_then(|foot| find(foot + MARK.len(), MARK, 80));
    Some(end.map_or(text.len(), |end| end + MARK.len()))
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;
