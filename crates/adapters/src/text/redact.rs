//! Credentials out of text: one pass from left to right, each place looked at a bounded number
//! of times, and one more over a text with escapes, as it reads behind them.
//!
//! Better one word too many than one key: a title that reads `token=[redacted]` costs a reader
//! a moment, a key in a store costs a rotation.

use super::escapes::Plain;
use super::shapes::{self, ADDRESSES, Set, Shape};
use super::{accounts, assign, command, encoded, handed, said};
use std::borrow::Cow;
use std::ops::Range;

/// What stands for a credential.
pub const REDACTED: &str = "[redacted]";

/// How far a look-ahead goes that has found nothing yet.
const AHEAD: usize = 256;

/// `text` with every credential of a known shape or name replaced by [`REDACTED`].
pub fn redact(text: &str) -> Cow<'_, str> {
    let clean = without(text, &secrets(text.as_bytes()));
    let Some(plain) = Plain::of(clean.as_bytes()) else { return clean };
    let found: Vec<_> = secrets(&plain.bytes).iter().map(|piece| plain.place(piece)).collect();
    if found.is_empty() { clean } else { Cow::Owned(without(&clean, &found).into_owned()) }
}

/// Where secrets stand, in order.
fn secrets(text: &[u8]) -> Vec<Range<usize>> {
    let (mut all, mut kept, mut at) = (Vec::new(), 0, 0);
    while at < text.len() {
        match secret_at(text, at) {
            Some(found) if found.start >= kept && found.end > at && !found.is_empty() => {
                (kept, at) = (found.end, found.end);
                all.push(found);
            }
            _ => at += 1,
        }
    }
    all
}

fn without<'text>(text: &'text str, secrets: &[Range<usize>]) -> Cow<'text, str> {
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut out, mut kept) = (String::new(), 0);
    for secret in secrets {
        // The ends of a secret stand on the boundaries of characters.
        debug_assert!(text.is_char_boundary(secret.start) && text.is_char_boundary(secret.end));
        out.push_str(text.get(kept..secret.start).unwrap_or_default());
        out.push_str(REDACTED);
        kept = secret.end;
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(out)
}

/// The secret that begins, or is announced, at `at`.
fn secret_at(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = &text[at..];
    if !rest[0].is_ascii() {
        return said::foreign(text, at);
    }
    if rest.starts_with(b"://") {
        return user_info(text, at + 3);
    }
    if !begins(text, at) {
        return glued(text, at).map(|len| at..at + len);
    }
    if rest.starts_with(b"-----BEGIN ") {
        return private_key(rest).map(|len| at..at + len);
    }
    if rest.starts_with(b"-") {
        return command::option(text, at);
    }
    if rest.starts_with(b"*:") {
        return accounts::password(text, at);
    }
    if !(rest[0].is_ascii_alphanumeric() || rest[0] == b'_') {
        return None;
    }
    shaped(rest)
        .or_else(|| web_token(rest))
        .or_else(|| bot_token(rest))
        .or_else(|| dotted_token(rest))
        .or_else(|| jointed_token(rest))
        .map(|len| at..at + len)
        .or_else(|| address(rest).or_else(|| scheme(rest)).map(|r| at + r.start..at + r.end))
        .or_else(|| assign::value(text, at))
        .or_else(|| command::statement(text, at))
        .or_else(|| accounts::password(text, at))
        .or_else(|| handed::piped(text, at))
        .or_else(|| said::value(text, at))
        .or_else(|| said::foreign(text, at))
        .or_else(|| base64(text, at))
}

/// A word in base64 that holds a secret.
fn base64(text: &[u8], at: usize) -> Option<Range<usize>> {
    let holds_one = |plain: &[u8]| !secrets(plain).is_empty();
    encoded::held(text, at, holds_one).map(|len| at..at + len)
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
    let [first, second, third, ..] = *text else { return None };
    if !shapes::may_begin(first, second, third) {
        return None;
    }
    let shape = shapes::beginning_with(first).find(|shape| fits(shape, text))?;
    Some(whole(shape, text))
}

fn fits(shape: &Shape, text: &[u8]) -> bool {
    let Some(tail) = text.strip_prefix(shape.prefix.as_bytes()) else { return false };
    let seen = &tail[..tail.len().min(64)];
    let len = run(seen, shape.set);
    len >= shape.least && seen[..len].iter().any(u8::is_ascii_digit)
}

/// The whole word: a key may be longer than its alphabet says.
fn whole(shape: &Shape, text: &[u8]) -> usize {
    let len = shape.prefix.len();
    len + run(&text[len..], shape.set).max(run(&text[len..], Set::Word))
}

/// The same in the middle of a word, as in `my_ghp_…`: only a prefix that ends no other word.
fn glued(text: &[u8], at: usize) -> Option<usize> {
    let rest = &text[at..];
    let [first, second, third, ..] = *rest else { return None };
    if !shapes::may_begin(first, second, third) {
        return None;
    }
    if rest.starts_with(b"eyJ") {
        let seen = &rest[..rest.len().min(AHEAD)];
        return seen[run(seen, Set::Word)..].starts_with(b".eyJ").then(|| run(rest, Set::Dotted));
    }
    let own = |shape: &&Shape| shape.is_own(at.checked_sub(1).map(|before| text[before]));
    let shape = shapes::beginning_with(first).filter(own).find(|shape| fits(shape, rest))?;
    let seen = &rest[shape.prefix.len()..rest.len().min(shape.prefix.len() + 64)];
    let seen = &seen[..run(seen, shape.set)];
    // `task-proj-plan-of-2026` is none.
    let has = |kind: fn(&u8) -> bool| seen.iter().any(kind);
    let mut parts = seen.split(|b| !b.is_ascii_alphanumeric());
    let is_key = !(shape.prefix.starts_with("sk") || shape.prefix.starts_with("rk"))
        || (has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase))
        || parts.any(|part| part.len() >= 24);
    is_key.then(|| whole(shape, rest))
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

/// A token that is known by its middle: Terraform's `….atlasv1.…`, and Airtable's `pat…`, a dot and hexadecimal digits.
fn jointed_token(text: &[u8]) -> Option<usize> {
    let first = run(&text[..text.len().min(24)], Set::Alnum);
    let past = |joint: &[u8], set: Set, least: usize| {
        let len = run(text[first..].strip_prefix(joint)?, set);
        (len >= least).then_some(first + joint.len() + len)
    };
    match first {
        14 => past(b".atlasv1.", Set::Word, 30),
        17 if text.starts_with(b"pat") => past(b".", Set::Hex, 40),
        _ => None,
    }
}

fn address(text: &[u8]) -> Option<Range<usize>> {
    if !shapes::may_be_address(*text.first()?) {
        return None;
    }
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
    // A long name with digits may be a key itself, as GitHub takes it.
    let is_key = colon >= 20
        && run(&seen[..colon], Set::Word) == colon
        && seen[..colon].iter().any(u8::is_ascii_digit);
    let start = if is_key { at } else { at + colon + 1 };
    // Beside no password, or one that is kept elsewhere, only such a name is one.
    let end = if reference { at + colon } else { at + sign };
    (is_key || !reference).then_some(start..end)
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

#[cfg(test)]
#[path = "redact_hidden_tests.rs"]
mod hidden_tests;
