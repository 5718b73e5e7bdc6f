//! Credentials by their names: `API_KEY=…`, `"password": "…"`, `--token …`.

use super::redact::begins;
use std::ops::Range;

/// How long a name may be.
const NAME: usize = 128;

/// How much of a value is looked at.
const LOOK: usize = 1_024;

/// The keys that are secret; a primary, public or cache key is not.
const KEYS: &[&str] = &[
    "api",
    "access",
    "secret",
    "private",
    "signing",
    "encryption",
    "master",
    "auth",
    "account",
    "service",
    "client",
    "storage",
    "license",
    "admin",
    "session",
    "webhook",
    "deploy",
    "jwt",
    "hmac",
    "shared",
    "app",
    "subscription",
    "function",
];

/// The keys that are none, but names of what a key is about.
const PLAIN_KEYS: &[&str] =
    &["public", "primary", "foreign", "partition", "sort", "cache", "group", "index", "host"];

/// The kinds of secret names, by how ready a value is to be one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Secret {
    /// A header: all that follows on its line.
    Header,
    /// A password: nearly any value.
    Password,
    /// A token or key: names that programs also use for other things.
    Token,
    /// A key of any other kind: only where it is the word behind a long option.
    Key,
    /// A signature in an address: only a long value.
    Signature,
}

/// The value that is assigned to a secret name that begins at `at`.
pub(super) fn value(text: &[u8], at: usize) -> Option<Range<usize>> {
    if !(text[at].is_ascii_alphabetic() || text[at] == b'_') || !begins(text, at) {
        return None;
    }
    let part = |b: &&u8| b.is_ascii_alphanumeric() || matches!(**b, b'_' | b'-' | b'.');
    let len = text[at..].iter().take(NAME).take_while(part).count();
    // Few names have a value: that is looked at first.
    let dashes = text[..at].iter().rev().take(2).take_while(|b| **b == b'-').count();
    let start = Start::after(text, at + len, dashes)?;
    let secret = named(&text[at..at + len])?;
    if secret == Secret::Key && !start.is_option {
        return None;
    }
    let seen = start.value_len(text, secret, LOOK);
    let found = &text[start.at..start.at + seen];
    // What is too long to be looked at is taken for a secret: no place is read over and over.
    let len = if seen < LOOK { seen } else { start.value_len(text, secret, usize::MAX) };
    (seen >= LOOK || start.is_secret(found, secret)).then_some(start.at..start.at + len)
}

/// What kind of secret a name announces: by its last words, split at `_`, `-`, `.` and humps.
fn named(name: &[u8]) -> Option<Secret> {
    let mut words: Vec<Vec<u8>> = vec![Vec::new()];
    let mut lower = false;
    for b in name {
        let hump = lower && b.is_ascii_uppercase();
        if hump || matches!(b, b'_' | b'-' | b'.') {
            words.push(Vec::new());
        }
        lower = b.is_ascii_lowercase() || b.is_ascii_digit();
        if b.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(b.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    let word = |back: usize| words.iter().rev().nth(back).map_or(&b""[..], Vec::as_slice);
    let ends = |tails: &[&str]| tails.iter().any(|tail| word(0).ends_with(tail.as_bytes()));
    if ends(&["password", "passwd", "passphrase", "passcode", "secret"]) {
        return Some(Secret::Password);
    }
    if ends(&["token", "apikey", "accesskey", "secretkey", "privatekey"]) {
        return Some(Secret::Token);
    }
    let is_key = word(0) == b"key" && KEYS.iter().any(|key| word(1) == key.as_bytes());
    if is_key || (word(2), word(1), word(0)) == (b"secret", b"key", b"base") {
        return Some(Secret::Token);
    }
    match (word(1), word(0)) {
        (kind, b"key") if !is_plain_key(kind) => Some(Secret::Key),
        (_, b"authorization" | b"cookie") => Some(Secret::Header),
        (_, b"credential" | b"credentials" | b"creds") => Some(Secret::Token),
        (_, b"sig" | b"signature") => Some(Secret::Signature),
        // Alone, or as the folder a shell came from, these are everyday words.
        (b"" | b"old", _) => None,
        (_, b"pwd" | b"pass") => Some(Secret::Password),
        (_, b"pat") => Some(Secret::Token),
        _ => None,
    }
}

fn is_plain_key(kind: &[u8]) -> bool {
    PLAIN_KEYS.iter().any(|plain| kind == plain.as_bytes())
}

/// Where a value begins, and how it is written.
struct Start {
    at: usize,
    quote: Option<u8>,
    /// `NAME=value`, as a shell or an address writes it.
    tight: bool,
    /// `--NAME value`.
    is_option: bool,
}

impl Start {
    fn after(text: &[u8], name_end: usize, dashes: usize) -> Option<Self> {
        let blanks = |from: usize| {
            from + text[from..].iter().take(4).take_while(|b| matches!(b, b' ' | b'\t')).count()
        };
        let closed = skip_quote(text, name_end).0;
        let gap = blanks(closed);
        let (mut at, sign) = match text.get(gap)? {
            b'=' if matches!(text.get(gap + 1), Some(b'=' | b'~')) => return None,
            sign @ (b'=' | b':') => (gap + 1, *sign),
            _ if dashes > 0 && gap > name_end && closed == name_end => (gap, b' '),
            _ => return None,
        };
        if matches!((sign, text.get(at)), (b'=', Some(b'>')) | (b':', Some(b'='))) {
            at += 1;
        }
        let value = blanks(at);
        let tight = sign == b'=' && gap == name_end && value == at;
        let (at, quote) = skip_quote(text, value);
        Some(Self { at, quote, tight, is_option: sign == b' ' && dashes == 2 })
    }

    /// The length of the value, or `most` if it is longer.
    fn value_len(&self, text: &[u8], secret: Secret, most: usize) -> usize {
        let rest = &text[self.at..];
        let ends = |b: &&u8| match (self.quote, **b) {
            (_, b'\n') | (None, b'"' | b'\'' | b'`' | b'\\') => true,
            (Some(quote), b) => b == quote,
            (None, b) if secret == Secret::Header => b < b' ',
            (None, b) => b <= b' ' || b",;&|)}]<>".contains(&b),
        };
        let len = rest.iter().take(most).take_while(|b| !ends(b)).count();
        // An escaped quote: the backslash before it is not the value's.
        let escaped = self.quote.is_some() && len > 0 && rest.get(len) == self.quote.as_ref();
        if escaped && rest[len - 1] == b'\\' { len - 1 } else { len }
    }

    fn is_secret(&self, value: &[u8], secret: Secret) -> bool {
        let digits = value.iter().any(u8::is_ascii_digit);
        let number = value.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-'));
        if value.is_empty() || is_reference(value) || is_plain(value) {
            return false;
        }
        match secret {
            Secret::Header => is_header_value(value),
            Secret::Signature => value.len() >= 20 && digits,
            Secret::Password if self.tight || self.quote.is_some() => true,
            Secret::Token | Secret::Key if number => value.len() >= 12,
            Secret::Key => value.len() >= 6 && !value.contains(&b'.') && is_argument(value, false),
            _ if self.is_option => is_argument(value, digits),
            Secret::Password => !is_code(value) && (value.len() >= 6 || digits),
            Secret::Token if self.tight => !is_code(value),
            Secret::Token if self.quote.is_some() => value.len() >= 6 && !value.contains(&b' '),
            Secret::Token => value.len() >= 8 && digits && !is_code(value),
        }
    }
}

/// Past one quote, plain or escaped.
pub(super) fn skip_quote(text: &[u8], at: usize) -> (usize, Option<u8>) {
    let slash = usize::from(text.get(at) == Some(&b'\\'));
    match text.get(at + slash) {
        Some(quote @ (b'"' | b'\'' | b'`')) => (at + slash + 1, Some(*quote)),
        _ => (at, None),
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
    const SCHEMES: &[&str] = &["bearer", "basic", "digest", "token", "apikey", "negotiate"];
    let first = value.split(|b| *b == b' ').next().unwrap_or_default();
    let odd = first.iter().any(|b| b.is_ascii_digit() || *b == b'=');
    if SCHEMES.iter().any(|name| first.eq_ignore_ascii_case(name.as_bytes())) {
        let token = value[first.len()..].trim_ascii_start();
        return !token.is_empty() && !is_reference(token);
    }
    odd && first.len() >= 6
}

/// A call or a path of names: `getToken()`, `self.token`, `process.env.TOKEN`.
fn is_code(value: &[u8]) -> bool {
    let name = |b: &u8| b.is_ascii_alphabetic() || matches!(b, b'_' | b'.' | b':');
    value.contains(&b'(') || (value.contains(&b'.') && value.iter().all(name))
}

/// Words that stand after a secret's name without being one: types and nothings.
pub(super) fn is_plain(value: &[u8]) -> bool {
    const WORDS: &[&str] = &[
        "string",
        "str",
        "null",
        "nil",
        "none",
        "true",
        "false",
        "undefined",
        "number",
        "int",
        "integer",
        "bool",
        "boolean",
        "bytes",
        "any",
        "object",
        "required",
        "optional",
        "missing",
        "invalid",
        "expired",
        "changed",
        "unknown",
        "empty",
        "unset",
        "yes",
        "no",
        "ok",
        "default",
    ];
    is_one_of(WORDS, value)
}

/// The word behind an option: no other option, no prose, and no path without a number.
fn is_argument(value: &[u8], digits: bool) -> bool {
    const PROSE: &[&str] = &[
        "a",
        "and",
        "argument",
        "as",
        "by",
        "can",
        "flag",
        "for",
        "from",
        "in",
        "is",
        "must",
        "needs",
        "of",
        "on",
        "option",
        "or",
        "parameter",
        "should",
        "the",
        "to",
        "value",
        "was",
        "with",
    ];
    let is_path = matches!(value, [b'/' | b'~', ..] | [b'.', b'.' | b'/', ..]);
    let is_other = value.starts_with(b"-") || is_one_of(PROSE, value);
    !is_other && (digits || !is_path)
}

fn is_one_of(words: &[&str], value: &[u8]) -> bool {
    let word = value.strip_suffix(b".").unwrap_or(value);
    words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}
