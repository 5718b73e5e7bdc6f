//! Credentials by the words before them: `curl -u ada:…`, `mysql -p…`, `sshpass -p …`, a line of
//! a `.netrc`, a statement that sets a password.

use super::assign::{is_plain, is_reference, skip_quote};
use super::redact::begins;
use std::ops::Range;

/// How far back the words are looked for that tell.
const BACK: usize = 512;

/// A longer name beside a password may be a key itself.
const NAME: usize = 16;

const CURL: &[&str] = &["curl"];
const MYSQL: &[&str] = &["mysql", "mysqldump", "mysqladmin", "mariadb", "mariadb-dump"];
const SSHPASS: &[&str] = &["sshpass"];

/// What the option that begins at `at` hands to its program.
pub(super) fn option(text: &[u8], at: usize) -> Option<Range<usize>> {
    let before = at.checked_sub(1).map(|before| text[before]);
    if !before.is_some_and(|b| b.is_ascii_whitespace()) {
        return None;
    }
    curl(text, at).or_else(|| mysql(text, at)).or_else(|| sshpass(text, at))
}

/// `-u NAME:…`, also joined and behind other letters, and `--user NAME:…`.
fn curl(text: &[u8], at: usize) -> Option<Range<usize>> {
    let letter = |b: &&u8| b.is_ascii_alphabetic() || **b == b'-';
    let end = at + 1 + text[at + 1..].iter().take(NAME).take_while(letter).count();
    let spaced = blanks(text, end);
    let name = &text[at + 1..end];
    let start = match name {
        b"-user" | b"-proxy-user" if text.get(end) == Some(&b'=') => end + 1,
        b"-user" | b"-proxy-user" => spaced,
        [.., b'u' | b'U'] if spaced > end && !name.starts_with(b"-") => spaced,
        [b'u' | b'U', ..] => at + 2,
        _ => return None,
    };
    let whole = word(text, start);
    let colon = text[whole.clone()].iter().position(|b| *b == b':')?;
    let behind = whole.start + colon + 1;
    let is_quoted = whole.start > start;
    let found = if is_quoted { behind..whole.end } else { word(text, behind) };
    let is_own = is_secret(text, &found) && !is_numbers(&text[whole.clone()]);
    if !is_own || !words_since(text, at, CURL).is_some_and(is_one_command) {
        return None;
    }
    Some(if colon > NAME { whole.start..found.end } else { found })
}

/// `-p…`: with a blank between, what follows is no password.
fn mysql(text: &[u8], at: usize) -> Option<Range<usize>> {
    let found = text[at..].starts_with(b"-p").then(|| word(text, at + 2))?;
    let is_own = is_secret(text, &found) && !is_numbers(&text[found.clone()]);
    (is_own && words_since(text, at, MYSQL).is_some_and(is_one_command)).then_some(found)
}

/// `-p …`, before the command that it runs.
fn sshpass(text: &[u8], at: usize) -> Option<Range<usize>> {
    let found = text[at..].starts_with(b"-p").then(|| word(text, blanks(text, at + 2)))?;
    let is_option = |word: &[u8]| word.is_empty() || word.starts_with(b"-");
    let is_before = |words: &[u8]| words.split(u8::is_ascii_whitespace).all(is_option);
    let is_own = is_secret(text, &found);
    (is_own && words_since(text, at, SSHPASS).is_some_and(is_before)).then_some(found)
}

/// What follows `PASSWORD` or `IDENTIFIED BY` in a statement, or `password` in a `.netrc`; the
/// first of these words begins at `at`.
pub(super) fn statement(text: &[u8], at: usize) -> Option<Range<usize>> {
    let quote = |at: usize| skip_quote(text, at).1;
    let start = if let Some(next) = past(text, at, b"password") {
        (quote(next) == Some(b'\'') || is_login(text, at)).then_some(next)?
    } else {
        let next = past(text, at, b"identified")?;
        let plugin = past(text, next, b"with").map(|plugin| word(text, plugin).end);
        let next = past(text, plugin.map_or(next, |end| blanks(text, end)), b"by")?;
        matches!(quote(next), Some(b'\'' | b'"')).then_some(next)?
    };
    let found = word(text, start);
    is_secret(text, &found).then_some(found)
}

/// Do the words before say `machine HOST login NAME`?
fn is_login(text: &[u8], at: usize) -> bool {
    let seen = &text[at.saturating_sub(BACK)..at];
    let mut words = seen.rsplit(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let mut next = || words.next().unwrap_or_default();
    let (_name, login, host, machine) = (next(), next(), next(), next());
    login == b"login" && (machine.ends_with(b"machine") || host.ends_with(b"default"))
}

/// All between the nearest of these programs, whose names begin with one letter, and `at`.
fn words_since<'text>(text: &'text [u8], at: usize, programs: &[&str]) -> Option<&'text [u8]> {
    let from = at.saturating_sub(BACK);
    let seen = &text[from..at];
    let initial = programs.iter().find_map(|name| name.as_bytes().first());
    let is_start = |start: &usize| seen.get(*start) == initial && begins(text, from + start);
    let after = |start: usize| {
        let rest = &seen[start..];
        let mut tails = programs.iter().filter_map(|name| rest.strip_prefix(name.as_bytes()));
        tails.find(|tail| tail.first().is_some_and(u8::is_ascii_whitespace))
    };
    (0..seen.len()).rev().filter(is_start).find_map(after)
}

/// Does a shell read these words to their end as arguments of one command?
fn is_one_command(words: &[u8]) -> bool {
    let mut quote = None;
    let mut bytes = words.iter().copied();
    while let Some(b) = bytes.next() {
        quote = match (quote, b) {
            (None, b'\n' | b';' | b'|' | b'&' | b'`') => return false,
            (None, b'\\') => match bytes.next() {
                // A line's end in quoted JSON.
                Some(b'n') => return false,
                _ => None,
            },
            (None, b'"' | b'\'') => Some(b),
            (Some(b'"'), b'\\') => {
                bytes.next();
                quote
            }
            (Some(open), b) if open == b => None,
            _ => quote,
        };
    }
    quote.is_none()
}

/// Past a word, in whichever case, and the blanks behind it.
fn past(text: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    let end = at + word.len();
    let is_here = text.get(at..end)?.eq_ignore_ascii_case(word);
    let next = blanks(text, end);
    (is_here && next > end).then_some(next)
}

fn blanks(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take(4).take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// The word that begins at `at`, without its quotes.
fn word(text: &[u8], at: usize) -> Range<usize> {
    let (start, quote) = skip_quote(text, at);
    let ends = |b: &&u8| match (quote, **b) {
        (_, b'\n') => true,
        (Some(quote), b) => b == quote,
        (None, b) => b <= b' ' || b"\"'`;|&)<>".contains(&b),
    };
    let end = start + text[start..].iter().take_while(|b| !ends(b)).count();
    // The backslash of an escaped quote is not the word's.
    let is_closed = matches!(text.get(end), Some(b'"' | b'\'' | b'`'));
    let is_escape = is_closed && text[start..end].ends_with(b"\\");
    start..end - usize::from(is_escape)
}

fn is_secret(text: &[u8], found: &Range<usize>) -> bool {
    let value = &text[found.clone()];
    !(value.is_empty() || is_reference(value) || is_plain(value))
}

/// Numbers of a user and a group, or of two ports.
fn is_numbers(value: &[u8]) -> bool {
    value.contains(&b':') && value.iter().all(|b| b.is_ascii_digit() || matches!(b, b':' | b'.'))
}
