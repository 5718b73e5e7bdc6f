//! Credentials that no sign assigns to a name: as people say them (`my password is …`), in a pair of a
//! name and a value, by an index, in a call, behind `setenv`, and under their names in other languages.

use super::assign::{is_code, opening, past_quote, past_stars, quote_before, quoted_end};
use super::command::{Word, separator, word};
#[cfg(test)]
use super::looks;
use super::names::{Secret, may_be_named, name_len, named};
use super::words::{is_argument, is_telling};
use std::ops::Range;

/// So much may stand between a name and its value.
const GAP: usize = 64;

/// How much of a value is looked at: a place that holds none costs no more than that.
pub(super) const LOOK: usize = 256;

/// Signs as Chinese and Japanese write them.
const WIDE: [&str; 2] = ["：", "＝"];

/// What others call a password; the case of ASCII letters makes no difference.
const NAMES: &[&str] = &[
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "비밀번호",
    "암호",
    "пароль",
    "Пароль",
    "ПАРОЛЬ",
    "hasło",
    "HASŁO",
    "contraseña",
    "CONTRASEÑA",
    "senha",
    "mot de passe",
    "wachtwoord",
    "Kennwort",
];

/// Words by which a shell, or the file of an image, sets the variable behind them.
const SETTERS: &[&str] = &[
    "setenv ",
    "SetEnv ",
    "setx ",
    "setx /M ",
    "set -x ",
    "set -gx ",
    "set -xg ",
    "set -lx ",
    "set -Ux ",
    "set --export ",
    "ENV ",
];

/// Where a value stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Beside its name, each under its own word: nothing else stands there.
    Member,
    /// Behind an index.
    Item,
    /// The second argument of a call.
    Argument,
    /// Behind a word that sets a variable.
    Set,
    /// Anything may stand there: only what looks like a password is one.
    Open,
}

/// The secret that belongs to the name that begins at `at`.
pub(super) fn value(text: &[u8], at: usize) -> Option<Range<usize>> {
    let end = at + name_len(text, at);
    let name = &text[at..end];
    // Few words are such a name, and few of them have a value: that is looked at first.
    if !may_be_named(name) {
        return None;
    }
    let (place, raw) = place(text, at, end)?;
    let is_variable = !name.iter().any(u8::is_ascii_lowercase);
    let is_password = match named(name)? {
        Secret::Password => true,
        Secret::Token => false,
        Secret::Key if is_variable => false,
        _ => return None,
    };
    let found = seen(text, raw, place == Place::Member);
    let value = &text[found.range.clone()];
    // The label of a field, as in `labels["password"] = "Password"`.
    if value.eq_ignore_ascii_case(name) {
        return None;
    }
    let is_said = value.contains(&b' ');
    let is_sure = match place {
        Place::Member => true,
        // A message about a password is none, and a variable holds no message.
        Place::Item => is_variable || !is_said,
        Place::Argument => is_variable && !is_said,
        Place::Set => is_variable,
        Place::Open => false,
    };
    if !is_sure {
        return is_likely(&found, value).then(|| whole(text, found, place));
    }
    let is_own = is_password || (value.len() >= 8 && value.iter().any(u8::is_ascii_digit));
    let is_bare = match place {
        _ if found.quote.is_some() => true,
        Place::Member => is_scalar(value, quote_before(text, at).is_some()),
        // Behind a sign the value is found by that.
        _ => is_argument(value, true) && !value.starts_with(b"="),
    };
    let is_secret = is_own && is_bare && found.is_secret(text);
    is_secret.then(|| whole(text, found, place))
}

/// Where the value stands of the name from `at` to `end`.
fn place(text: &[u8], at: usize, end: usize) -> Option<(Place, usize)> {
    let open = |raw: usize| (Place::Open, raw);
    match text.get(end)? {
        b'(' => call(text, end).map(open),
        b' ' | b'\t' => prose(text, end)
            .or_else(|| wide(text, end))
            .map(open)
            .or_else(|| member(text, at, end))
            .or_else(|| set(text, at, end)),
        b'"' | b'\'' | b'`' | b'\\' => item(text, end)
            .or_else(|| member(text, at, end))
            .or_else(|| argument(text, at, end))
            .or_else(|| wide(text, end).map(open))
            .or_else(|| set(text, at, end)),
        b',' | b'\n' | b'\r' => member(text, at, end),
        b'*' | 0xEF => wide(text, end).map(open),
        _ => None,
    }
}

/// The same under a name in another language.
#[inline]
pub(super) fn foreign(text: &[u8], at: usize) -> Option<Range<usize>> {
    if may_be_foreign(text, at) { translated(text, at) } else { None }
}

fn translated(text: &[u8], at: usize) -> Option<Range<usize>> {
    let is_here = |name: &&&str| {
        let own = text.get(at..at + name.len());
        own.is_some_and(|own| own.eq_ignore_ascii_case(name.as_bytes()))
    };
    let name = NAMES.iter().find(is_here)?;
    let end = past_stars(text, past_quote(text, at + name.len()).0);
    let gap = blanks(text, end);
    let raw = match text.get(gap)? {
        b':' | b'=' => gap + 1,
        _ => past_wide(text, gap)?,
    };
    let found = seen(text, blanks(text, past_stars(text, blanks(text, raw))), false);
    let value = &text[found.range.clone()];
    if found.quote.is_none() {
        return is_telling(value).then(|| whole(text, found, Place::Open));
    }
    // Files of translations hold sentences, and words for a password; and what is taken for an
    // opening quote may be a closing one.
    let is_translated = named(value).is_some() || value.eq_ignore_ascii_case(name.as_bytes());
    let is_word = value.len() >= 4 && value.iter().all(u8::is_ascii_graphic);
    let is_own = is_word && !is_translated && !is_behind(value) && found.is_secret(text);
    is_own.then(|| whole(text, found, Place::Open))
}

/// The first bytes of the [`NAMES`]: most places are none.
#[inline]
fn may_be_foreign(text: &[u8], at: usize) -> bool {
    let Some([first, second, third]) = text.get(at..at + 3) else { return false };
    match first {
        0xD0 => matches!(second, 0x9F | 0xBF),
        0xE3 => (*second, *third) == (0x83, 0x91),
        0xE5 => matches!((second, third), (0xAF, 0x86) | (0x8F, 0xA3)),
        0xEB => (*second, *third) == (0xB9, 0x84),
        0xEC => (*second, *third) == (0x95, 0x94),
        _ => matches!(
            &[first | 0x20, second | 0x20, third | 0x20],
            b"has" | b"con" | b"sen" | b"mot" | b"wac" | b"ken"
        ),
    }
}

/// What looks like a password: in quotes all of it.
fn is_likely(found: &Word, value: &[u8]) -> bool {
    let is_word = found.quote.is_none() || value.iter().all(u8::is_ascii_graphic);
    is_word && !is_behind(value) && is_telling(value)
}

/// Does it stand behind a closing quote that was taken for an opening one?
fn is_behind(value: &[u8]) -> bool {
    matches!(value.first(), Some(b',' | b')' | b'}' | b']'))
}

/// A value that is not quoted, of a name that may be: no number, call or path of names. Where
/// names are quoted, most texts are too.
fn is_scalar(value: &[u8], is_quoted: bool) -> bool {
    let is_number = value.len() < 6 && value.iter().all(u8::is_ascii_digit);
    !is_number && !is_code(value) && (!is_quoted || is_telling(value))
}

/// `NAME is …`; what is quoted there is found by its quotes.
fn prose(text: &[u8], end: usize) -> Option<usize> {
    let rest = text[end..].strip_prefix(b" is")?;
    let rest = rest.strip_prefix(b":").unwrap_or(rest).strip_prefix(b" ")?;
    let rest = rest.strip_prefix(b"**").unwrap_or(rest);
    Some(text.len() - rest.len())
}

/// Past a wide sign, and past what Markdown writes on both its sides.
fn wide(text: &[u8], end: usize) -> Option<usize> {
    let sign = blanks(text, past_stars(text, past_quote(text, end).0));
    let raw = past_wide(text, sign)?;
    Some(blanks(text, past_stars(text, blanks(text, raw))))
}

fn past_wide(text: &[u8], at: usize) -> Option<usize> {
    WIDE.iter().find(|sign| text[at..].starts_with(sign.as_bytes())).map(|sign| at + sign.len())
}

/// Past `"] = ` behind an index, where something quoted stands.
fn item(text: &[u8], end: usize) -> Option<(Place, usize)> {
    let (closed, quote) = past_quote(text, end);
    quote?;
    let rest = text[closed..].strip_prefix(b"]")?.trim_ascii_start().strip_prefix(b"=")?;
    let raw = text.len() - rest.trim_ascii_start().len();
    opening(text, raw).1.is_some().then_some((Place::Item, raw))
}

/// Past `value:` or `value=` as the next member, attribute or line of a name that is a value itself.
fn member(text: &[u8], at: usize, end: usize) -> Option<(Place, usize)> {
    const WORD: &[u8] = b"value";
    let is_between = |b: &&u8| b.is_ascii_whitespace() || b",\"'\\".contains(b);
    let past = |from: usize| from + text[from..].iter().take(GAP).take_while(is_between).count();
    let first = past(end);
    // A line's end in quoted JSON.
    let is_line = text[..first].ends_with(b"\\") && text.get(first) == Some(&b'n');
    let next = if is_line { past(first + 1) } else { first };
    let after = next + WORD.len();
    if next == end || !text.get(next..after)?.eq_ignore_ascii_case(WORD) {
        return None;
    }
    let sign = past_quote(text, after).0;
    let is_assigned = matches!(text.get(sign), Some(b':' | b'=')) && is_value(text, at);
    is_assigned.then(|| (Place::Member, blanks(text, sign + 1)))
}

/// Is the name at `at` a value itself, as in `name: NAME`, `"key": "NAME"` and `name="NAME"`?
fn is_value(text: &[u8], at: usize) -> bool {
    let is_mark = |b: &u8| b"\"'\\ ".contains(b);
    let trim = |seen: &[u8]| seen.iter().rposition(|b| !is_mark(b)).map_or(0, |last| last + 1);
    let seen = &text[at.saturating_sub(GAP / 2)..at];
    let Some((b':' | b'=', own)) = seen[..trim(seen)].split_last() else { return false };
    let own = own[..trim(own)].to_ascii_lowercase();
    own.ends_with(b"name") || own.ends_with(b"key")
}

/// The second argument of a call whose first one is the name.
fn argument(text: &[u8], at: usize, end: usize) -> Option<(Place, usize)> {
    let is_quote = |b: &&u8| b"\"'\\".contains(b);
    let quotes = text[..at].iter().rev().take(GAP).take_while(is_quote).count();
    let before = &text[..at - quotes];
    let is_first = quotes > 0 && before.strip_suffix(b" ").unwrap_or(before).ends_with(b"(");
    let raw = if is_first { separator(text, end)? } else { return None };
    Some((Place::Argument, raw))
}

/// The argument of a call that is named so: `.password("…")`.
fn call(text: &[u8], end: usize) -> Option<usize> {
    let raw = end + 1;
    past_quote(text, raw).1.is_some().then_some(raw)
}

fn set(text: &[u8], at: usize, end: usize) -> Option<(Place, usize)> {
    let before = text[..at].strip_suffix(b"\"").unwrap_or(&text[..at]);
    let is_set = |words: &&str| {
        let Some(before) = before.strip_suffix(words.as_bytes()) else { return false };
        !before.last().is_some_and(|b| b.is_ascii_alphanumeric() || b"_-.$".contains(b))
    };
    if before.last() != Some(&b' ') || !SETTERS.iter().any(is_set) {
        return None;
    }
    Some((Place::Set, separator(text, end)?))
}

/// The word at `raw`, as far as it is looked at; without what only ends its sentence, and up to the
/// first character that is no ASCII. `is_flow`: it may stand in a list or map of YAML.
fn seen(text: &[u8], raw: usize, is_flow: bool) -> Word {
    let (start, quote) = opening(text, raw);
    let end = match quote {
        Some(quote) => quoted_end(text, start, quote, LOOK),
        None => bare_end(text, start, LOOK, is_flow),
    };
    Word { range: start..end, raw, quote }
}

fn bare_end(text: &[u8], start: usize, most: usize, is_flow: bool) -> usize {
    let ends = |n: usize| match text[n] {
        // In a sentence these end a word only before what is none.
        b'&' | b';' => text.get(n + 1).is_none_or(|b| *b <= b' ' || b"\"'`\\&;|)".contains(b)),
        b',' | b'}' | b']' => is_flow,
        b => b <= b' ' || !b.is_ascii() || b"\"'`\\|)<>".contains(&b),
    };
    let limit = text.len().min(start.saturating_add(most));
    let end = (start..limit).find(|n| ends(*n)).unwrap_or(limit);
    #[cfg(test)]
    looks::count(end - start);
    let is_stop = |b: &&u8| b".,:;!?*]}".contains(b);
    end - text[start..end].iter().rev().take_while(is_stop).count()
}

/// All of a word of which the beginning is a secret.
fn whole(text: &[u8], found: Word, place: Place) -> Range<usize> {
    match found.quote {
        _ if place == Place::Set => word(text, found.raw).all(text),
        Some(quote) => {
            let start = found.range.start;
            let range = start..quoted_end(text, start, quote, usize::MAX);
            Word { range, ..found }.all(text)
        }
        None if found.range.len() + GAP >= LOOK => {
            let start = found.range.start;
            start..bare_end(text, start, usize::MAX, place == Place::Member).max(found.range.end)
        }
        None => found.range,
    }
}

fn blanks(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take(4).take_while(|b| matches!(b, b' ' | b'\t')).count()
}

#[cfg(test)]
#[path = "said_tests.rs"]
mod tests;
