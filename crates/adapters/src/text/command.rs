//! Credentials by the words before them: `curl -u ada:…`, `mysql -p…`, `sshpass -p …`, a line of
//! a `.netrc`, a statement that sets a password.

use super::assign::{
    Quote, bare_end, glued_end, inner_quote, is_kept_elsewhere, opening, past_quote, quote_before,
    quoted_end, skip_quote,
};
use super::handed;
use super::programs::{CURL, LOGINS, MYSQL, SSHPASS, TOOLS, Tool, WRAPPERS};
use super::redact::begins;
use super::words::is_plain;
use std::ops::Range;

/// How far back the words are looked for that tell.
const BACK: usize = 512;

/// So many words before an option that are called as its program are looked at.
const NAMESAKES: usize = 4;

/// A longer name beside a password may be a key itself.
const NAME: usize = 16;

/// What the option that begins at `at` hands to its program.
pub(super) fn option(text: &[u8], at: usize) -> Option<Range<usize>> {
    let before = at.checked_sub(1).map(|before| text[before])?;
    if !(before.is_ascii_whitespace() || matches!(before, b'"' | b'\'')) {
        return None;
    }
    curl(text, at)
        .or_else(|| mysql(text, at))
        .or_else(|| sshpass(text, at))
        .or_else(|| openssl(text, at))
        .or_else(|| literal(text, at))
        .or_else(|| tool(text, at))
        .or_else(|| handed::joined_to_name(text, at))
        .or_else(|| handed::cookie(text, at))
        .or_else(|| handed::here(text, at))
}

/// `-u NAME:…`, also joined and behind other letters, `--user NAME:…`, and `--pass …`.
fn curl(text: &[u8], at: usize) -> Option<Range<usize>> {
    let letter = |b: &&u8| b.is_ascii_alphabetic() || **b == b'-';
    let end = at + 1 + text[at + 1..].iter().take(NAME).take_while(letter).count();
    let spaced = separator(text, end);
    let name = &text[at + 1..end];
    let start = match name {
        b"-user" | b"-proxy-user" | b"-pass" if text.get(end) == Some(&b'=') => end + 1,
        b"-user" | b"-proxy-user" | b"-pass" => spaced?,
        [.., b'u' | b'U'] if spaced.is_some() && !name.starts_with(b"-") => spaced?,
        [b'u' | b'U', ..] => at + 2,
        _ => return None,
    };
    let whole = word(text, start);
    let is_called = || words_since(text, at, CURL).is_some_and(|(_, words)| is_one_command(words));
    if name == b"-pass" {
        return (whole.is_secret(text) && is_called()).then(|| whole.all(text));
    }
    let value = &text[whole.range.clone()];
    let found = match value.iter().position(|b| *b == b':') {
        Some(colon) if whole.quote.is_some() => {
            let range = whole.range.start + colon + 1..whole.range.end;
            Word { range, raw: whole.range.start + colon + 1, quote: whole.quote }
        }
        Some(colon) => word(text, whole.range.start + colon + 1),
        // `"NAME":"…"`
        None if whole.quote.is_some() => {
            let closed = skip_quote(text, whole.range.end).0;
            (text.get(closed) == Some(&b':')).then(|| word(text, closed + 1))?
        }
        None => return None,
    };
    if !found.is_secret(text) || is_numbers(value) || !is_called() {
        return None;
    }
    let range = found.all(text);
    // A long name may be a key itself.
    let is_long = range.start.saturating_sub(whole.range.start) > NAME + 1;
    Some(if is_long { whole.range.start..range.end } else { range })
}

/// `-p…`: with a blank between, what follows is no password.
fn mysql(text: &[u8], at: usize) -> Option<Range<usize>> {
    let found = text[at..].starts_with(b"-p").then(|| joined(text, at, 2))?;
    let is_own = found.is_secret(text) && !is_numbers(&text[found.range.clone()]);
    (is_own && is_called(text, at, MYSQL, &[])).then(|| found.all(text))
}

/// `-p …`, before the command that it runs.
fn sshpass(text: &[u8], at: usize) -> Option<Range<usize>> {
    if !text[at..].starts_with(b"-p") {
        return None;
    }
    let found =
        separator(text, at + 2).map_or_else(|| joined(text, at, 2), |next| word(text, next));
    let is_before = |words: &[u8]| {
        let mut is_value = false;
        words.split(|b| b.is_ascii_whitespace() || b"\"'\\,".contains(b)).all(|word| {
            let is_option = word.is_empty() || word.starts_with(b"-") || is_value;
            is_value = word == b"-P" || (is_value && word.is_empty());
            is_option
        })
    };
    let is_own = found.is_secret(text);
    let is_called = || words_since(text, at, SSHPASS).is_some_and(|(_, words)| is_before(words));
    (is_own && is_called()).then(|| found.all(text))
}

/// `-pass pass:…`, `-passin pass:…` and `-passout pass:…`.
fn openssl(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = &text[at..];
    let len = [&b"-passin"[..], b"-passout", b"-pass"].into_iter().find_map(|name| {
        let is_here = rest.starts_with(name) && !rest.starts_with(b"-passing");
        is_here.then_some(name.len())
    })?;
    let whole = word(text, separator(text, at + len)?);
    let start = whole.range.start + b"pass:".len();
    let is_password = text[whole.range.clone()].starts_with(b"pass:");
    let range = is_password.then_some(start..whole.range.end)?;
    let found = if whole.quote.is_some() {
        Word { range, raw: start, quote: whole.quote }
    } else {
        word(text, start)
    };
    found.is_secret(text).then(|| found.all(text))
}

/// `--from-literal=NAME=…` of a secret, by whatever name its program goes; of a `configmap` it is none.
fn literal(text: &[u8], at: usize) -> Option<Range<usize>> {
    const OPTION: &[u8] = b"--from-literal";
    let end = at + OPTION.len();
    if !text[at..].starts_with(OPTION) {
        return None;
    }
    let is_joined = text.get(end) == Some(&b'=');
    let start = if is_joined { end + 1 } else { separator(text, end)? };
    let whole = match quote_before(text, at).filter(|_| is_joined) {
        quote @ Some(_) => word_from(text, start, start, quote),
        None => word(text, start),
    };
    let sign = text[whole.range.clone()].iter().take(128).position(|b| *b == b'=')?;
    let value = whole.range.start + sign + 1;
    let found = match whole.quote {
        Some(_) => Word { range: value..whole.range.end, raw: value, quote: whole.quote },
        None => word(text, value),
    };
    let seen = &text[at.saturating_sub(BACK)..at];
    let kind = |name: &[u8]| seen.windows(name.len()).rposition(|piece| piece == name);
    let is_own = kind(b"secret") > kind(b"configmap").max(kind(b" cm "));
    (is_own && found.is_secret(text)).then(|| found.all(text))
}

/// The option of one of the [`TOOLS`].
fn tool(text: &[u8], at: usize) -> Option<Range<usize>> {
    let letter = text.get(at + 1)?;
    let is_here = |option: &&&str| {
        option.as_bytes().get(1) == Some(letter) && text[at..].starts_with(option.as_bytes())
    };
    TOOLS.iter().find_map(|Tool { programs, needs, options, is_joined }| {
        let option = options.iter().find(is_here)?;
        let found = match is_joined {
            true => joined(text, at, option.len()),
            false => word(text, separator(text, at + option.len())?),
        };
        let value = &text[found.range.clone()];
        let is_bare = found.quote.is_none();
        // Another option; and `-p-` asks for no password.
        let is_option = is_bare && value.starts_with(b"-") && (!is_joined || value.len() == 1);
        let is_file = value.starts_with(b"file://") || value.starts_with(b"fileb://");
        // `-p 27017` is a port of these.
        let is_port = *option == "-p"
            && (is_bare && programs.contains(&"mongosh"))
            && (value.len() <= 5 && value.iter().all(u8::is_ascii_digit));
        let is_other = is_option || is_file || is_port || is_numbers(value);
        let is_own = found.is_secret(text) && !is_other;
        (is_own && is_called(text, at, programs, needs)).then(|| found.all(text))
    })
}

/// Is the option at `at` one of a command that runs one of these programs, with one of these words?
fn is_called(text: &[u8], at: usize, programs: &[&str], needs: &[&str]) -> bool {
    // A person or an image may be called as a program is.
    calls(text, at, programs).take(NAMESAKES).any(|(start, words)| {
        let has = |needs: &&str| words.windows(needs.len()).any(|w| w == needs.as_bytes());
        let is_here = is_command(text, start, words) || has(&" -u") || has(&" -h");
        is_here && (needs.is_empty() || needs.iter().any(has)) && is_one_command(words)
    })
}

/// Is the program that begins at `start` the first word of a command, or behind a wrapper?
fn is_command(text: &[u8], start: usize, words: &[u8]) -> bool {
    let seen = &text[start.saturating_sub(BACK)..start];
    let is_list = !words.first().is_some_and(u8::is_ascii_whitespace);
    let is_end = |b: &u8| match b {
        b'"' | b'\'' | b'\\' => !is_list,
        b => b"\n;|&(`{[".contains(b),
    };
    let from = seen.iter().rposition(is_end).map_or(0, |end| end + 1);
    let is_escape = from > 0 && seen[from - 1] == b'\\' && seen[from..].starts_with(b"n");
    let mut before = &seen[from + usize::from(is_escape)..];
    if before.ends_with(b"/") {
        let is_path = |b: &&u8| !b.is_ascii_whitespace();
        let len = before.iter().rev().take_while(is_path).count();
        before = &before[..before.len() - len];
    }
    // A label, as in `Bash: mysql`, is no word of the command.
    if let Some(label) = before.windows(2).rposition(|pair| pair == b": ") {
        before = &before[label + 1..];
    }
    let is_blank = |b: &u8| b.is_ascii_whitespace() || b"\"'\\,".contains(b);
    let is_wrapper = |word: &[u8]| WRAPPERS.iter().any(|known| word == known.as_bytes());
    let mut pieces = before.split(is_blank).filter(|word| !word.is_empty());
    let mut is_value = false;
    let is_wrapped = pieces.clone().all(|word| {
        let is_option = word.starts_with(b"-");
        let is_own = is_option || is_wrapper(word) || word.contains(&b'=') || is_value;
        is_value = is_option || word == b"timeout" || word == b"ssh";
        is_own
    });
    let is_apart = before.last().is_none_or(is_blank);
    is_apart && (is_wrapped || pieces.any(|word| word == b"exec"))
}

/// What follows `PASSWORD` or `IDENTIFIED BY` in a statement, or `password` in a `.netrc`; the
/// first of these words begins at `at`.
pub(super) fn statement(text: &[u8], at: usize) -> Option<Range<usize>> {
    // Every word of a text comes by here.
    if !matches!(text[at] | 0x20, b'b' | b'c' | b'i' | b'n' | b'p' | b'r' | b's' | b'v' | b'w') {
        return None;
    }
    let mark = |at: usize| opening(text, at).1.map(|quote| quote.mark);
    // `PASSWORD('…')`, as MySQL writes it.
    if text[at..].starts_with(b"PASSWORD('") {
        let found = word(text, at + b"PASSWORD(".len());
        return found.is_secret(text).then_some(found.range);
    }
    if let Some(next) = past(text, at, b"ConvertTo-SecureString") {
        let options = [&b"-String"[..], b"-AsPlainText", b"-Force"];
        let behind = |next: usize| options.iter().find_map(|option| past(text, next, option));
        let next = (0..options.len()).fold(next, |next, _| behind(next).unwrap_or(next));
        let found = word(text, next);
        return (found.quote.is_some() && found.is_secret(text)).then(|| found.all(text));
    }
    let letter = text[at] | 0x20;
    let is_here = |(program, _): &&(&str, &str)| program.as_bytes().first() == Some(&letter);
    let login = LOGINS.iter().filter(is_here).find_map(|(program, word)| {
        past(text, at, program.as_bytes()).and_then(|next| past(text, next, word.as_bytes()))
    });
    if let Some(next) = login {
        let found = word(text, next);
        let value = &text[found.range.clone()];
        let is_token = value.len() >= 8 && value.iter().any(u8::is_ascii_digit);
        let is_option = value.starts_with(b"-");
        return (is_token && !is_option && found.is_secret(text)).then(|| found.all(text));
    }
    let found = if let Some(next) = past(text, at, b"password") {
        if let Some(found) = dollar_quoted(text, next) {
            return Some(found);
        }
        let user = past(text, next, b"for").and_then(|user| past_sign(text, user));
        let next = user.unwrap_or(next);
        let found = word(text, next);
        let is_own = mark(next) == Some(b'\'') || is_login(text, at, found.range.end);
        is_own.then_some(found)?
    } else {
        let next = past(text, at, b"identified")?;
        let plugin = past(text, next, b"with").map(|plugin| word(text, plugin).range.end);
        let next = past(text, plugin.map_or(next, |end| blanks(text, end)), b"by")?;
        matches!(mark(next), Some(b'\'' | b'"')).then(|| word(text, next))?
    };
    found.is_secret(text).then(|| found.all(text))
}

/// What stands between `$$` or `$TAG$` and the same again, as `PostgreSQL` quotes. A shell may want
/// these signs escaped.
fn dollar_quoted(text: &[u8], at: usize) -> Option<Range<usize>> {
    let sign = |at: usize| {
        let end = at + text[at..].iter().take(NAME).take_while(|b| **b == b'\\').count();
        (text.get(end) == Some(&b'$')).then_some(end + 1)
    };
    let tag = sign(at)?;
    let in_tag = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'_' || **b > 127;
    let start = sign(tag + text[tag..].iter().take(64).take_while(in_tag).count())?;
    let line = text[start..].iter().take(BACK).take_while(|b| **b != b'\n').count();
    let (mark, seen) = (&text[at..start], &text[start..start + line]);
    let len = seen.windows(mark.len()).position(|part| part == mark)?;
    // One that a shell fills in; and `$1` is a parameter.
    let is_elsewhere = matches!(&seen[..len], [] | [b'$', b'{' | b'(', ..]);
    (!is_elsewhere && !text[tag].is_ascii_digit()).then_some(start..start + len)
}

/// Past the next `=` of a statement.
fn past_sign(text: &[u8], at: usize) -> Option<usize> {
    let seen = text[at..].iter().take(128).take_while(|b| !matches!(**b, b'\n' | b';'));
    let sign = seen.take_while(|b| **b != b'=').count();
    (text.get(at + sign) == Some(&b'=')).then(|| blanks(text, at + sign + 1))
}

/// Do the words before say `machine HOST`, with a `login NAME` there or behind `end`?
fn is_login(text: &[u8], at: usize, end: usize) -> bool {
    let seen = &text[at.saturating_sub(BACK)..at];
    // A line's end in quoted JSON.
    let is_line = |n: usize| seen[n..].starts_with(b"\\n");
    let byte = |n: usize| if is_line(n) || (n > 0 && is_line(n - 1)) { b' ' } else { seen[n] };
    let flat: Vec<u8> = (0..seen.len()).map(byte).collect();
    let mut words = flat.rsplit(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let mut has_login = false;
    for _ in 0..3 {
        let (value, key) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        match key {
            b"login" => has_login = true,
            b"account" => {}
            _ => {
                let is_host = key.ends_with(b"machine") || value.ends_with(b"default");
                return is_host && (has_login || is_before_login(&text[end..]));
            }
        }
    }
    false
}

fn is_before_login(text: &[u8]) -> bool {
    let rest = text.strip_prefix(b"\\n").unwrap_or(text);
    rest[..rest.len().min(NAME)].trim_ascii_start().starts_with(b"login ")
}

/// Where the nearest of these programs begins, and all between it and `at`.
pub(super) fn words_since<'text>(
    text: &'text [u8],
    at: usize,
    programs: &'text [&'text str],
) -> Option<(usize, &'text [u8])> {
    calls(text, at, programs).next()
}

/// The same of each of them, the nearest first.
fn calls<'text>(
    text: &'text [u8],
    at: usize,
    programs: &'text [&'text str],
) -> impl Iterator<Item = (usize, &'text [u8])> {
    let from = at.saturating_sub(BACK);
    let seen = &text[from..at];
    // The first and second characters of the programs, one bit each: most places are none.
    let bit = |b: Option<&u8>| b.map_or(0, |b| 1_u128 << (b & 0x7f));
    let all = |at: usize| programs.iter().fold(0, |all, name| all | bit(name.as_bytes().get(at)));
    let (first, second) = (all(0), all(1));
    let is_start = move |start: &usize| {
        first & bit(seen.get(*start)) != 0
            && second & bit(seen.get(start + 1)) != 0
            && begins(text, from + start)
    };
    let after = move |start: usize| {
        let rest = &seen[start..];
        let is_like = |name: &&&str| name.as_bytes().first() == rest.first();
        let names = programs.iter().filter(is_like);
        let mut tails = names.filter_map(|name| rest.strip_prefix(name.as_bytes()));
        let is_end = |tail: &&[u8]| separator(text, at - tail.len()).is_some_and(|end| end <= at);
        tails.find(is_end).map(|tail| (from + start, tail))
    };
    (0..seen.len()).rev().filter(is_start).filter_map(after)
}

/// Does a shell read these words to their end as arguments of one command? The option behind
/// them may be quoted, and all of them may be items of a list.
pub(super) fn is_one_command(words: &[u8]) -> bool {
    let is_quote = |b: &u8| matches!(b, b'"' | b'\'');
    let short = words.strip_suffix(b"\"").or_else(|| words.strip_suffix(b"'")).unwrap_or(words);
    let skipped = usize::from(short.first().is_some_and(is_quote));
    [words, short, &short[skipped..]].into_iter().any(|words| reads_on(words, false))
        || [words, short].into_iter().any(|words| reads_on(words, true))
}

/// `inner`: a `'\''` is a quote.
fn reads_on(words: &[u8], inner: bool) -> bool {
    let (mut quote, mut at) = (None, 0);
    while let Some(b) = words.get(at).copied() {
        let next = words.get(at + 1);
        let idiom = if inner { inner_quote(words, at) } else { None };
        let is_redirection = next == Some(&b'>') || (at > 0 && words[at - 1] == b'>');
        quote = match (quote, b) {
            (None, b'&') if is_redirection => None,
            (None, b'\n' | b';' | b'|' | b'&' | b'`') => return false,
            // A line's end in quoted JSON.
            (None, b'\\') if next == Some(&b'n') => return false,
            (None | Some(b'"'), b'\\') => {
                at += 1;
                quote
            }
            (None, b'"' | b'\'') => Some(b),
            (Some(open), b) if open == b => None,
            _ => quote,
        };
        at = idiom.unwrap_or(at + 1);
    }
    quote.is_none()
}

/// Past a word, in whichever case, and the blanks behind it.
fn past(text: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    let end = at + word.len();
    if !text.get(at..end)?.eq_ignore_ascii_case(word) {
        return None;
    }
    let next = blanks(text, end);
    (next > end).then_some(next)
}

fn blanks(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take(4).take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// Past what divides two words: blanks, a line that goes on, `","` in a list, or `" "`.
pub(super) fn separator(text: &[u8], at: usize) -> Option<usize> {
    let run = |from: usize, is_in: fn(&u8) -> bool| {
        from + text[from..].iter().take(64).take_while(|b| is_in(b)).count()
    };
    let blanks = |from: usize| run(from, |b| matches!(*b, b' ' | b'\t'));
    let (closed, quote) = past_quote(text, at);
    if quote.is_some() {
        let gap = blanks(closed);
        let next = match text.get(gap)? {
            b',' => run(gap + 1, u8::is_ascii_whitespace),
            _ if gap > closed => gap,
            _ => return None,
        };
        return skip_quote(text, next).1.is_some().then_some(next);
    }
    let end = blanks(at);
    let next = match text.get(end..end + 2) {
        Some(b"\\\n") => blanks(end + 2),
        _ => end,
    };
    (end > at).then_some(next)
}

/// A word of a shell.
pub(super) struct Word {
    /// Without its quotes.
    pub(super) range: Range<usize>,
    /// Where it begins, with them.
    pub(super) raw: usize,
    pub(super) quote: Option<Quote>,
}

impl Word {
    pub(super) fn is_secret(&self, text: &[u8]) -> bool {
        let value = &text[self.range.clone()];
        !(value.is_empty() || is_kept_elsewhere(value, self.quote) || is_plain(value))
    }

    /// The range, or more if more is glued to it.
    pub(super) fn all(self, text: &[u8]) -> Range<usize> {
        match glued_end(text, self.range.end, self.quote) {
            Some(end) => self.raw..end,
            None => self.range,
        }
    }
}

/// The word that begins at `raw`.
pub(super) fn word(text: &[u8], raw: usize) -> Word {
    let (start, quote) = opening(text, raw);
    word_from(text, raw, start, quote)
}

/// What is joined to the option of this length at `at`; a quote may stand before both.
fn joined(text: &[u8], at: usize, len: usize) -> Word {
    match quote_before(text, at) {
        quote @ Some(_) => word_from(text, at + len, at + len, quote),
        None => word(text, at + len),
    }
}

pub(super) fn word_from(text: &[u8], raw: usize, start: usize, quote: Option<Quote>) -> Word {
    let is_line = |at: usize| matches!(text.get(at), Some(b'n' | b'r' | b't' | b'\n' | b'\\'));
    let ends = |b: u8| b <= b' ' || b"\"'`;|&)<>".contains(&b);
    let end = match quote {
        Some(quote) => quoted_end(text, start, quote, usize::MAX),
        None => bare_end(text, start, ends, usize::MAX),
    };
    let cut = |n: &usize| text[*n] == b'\\' && (is_line(n + 1) || n + 1 == end);
    let end = if quote.is_none() { (start..end).find(cut).unwrap_or(end) } else { end };
    Word { range: start..end, raw, quote }
}

/// Numbers of a user and a group, or of two ports.
fn is_numbers(value: &[u8]) -> bool {
    value.contains(&b':') && value.iter().all(|b| b.is_ascii_digit() || matches!(b, b':' | b'.'))
}
