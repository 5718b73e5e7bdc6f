//! What kind of secret a name announces.

/// How long a name may be.
pub(super) const NAME: usize = 128;

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
    "preshared",
];

/// The keys that are none, but names of what a key is about.
const PLAIN_KEYS: &[&str] = &[
    "public",
    "primary",
    "foreign",
    "partition",
    "sort",
    "cache",
    "group",
    "index",
    "host",
    "issue",
    "project",
    "idempotency",
    "s3",
    "row",
];

/// The tokens that are pieces of a text to a model.
const PLAIN_TOKENS: &[&str] = &["eos", "bos", "pad", "unk", "sep", "cls", "mask", "stop"];

/// The kinds of secret names, by how ready a value is to be one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Secret {
    /// A header: all that follows on its line.
    Header,
    /// A password: nearly any value.
    Password,
    /// A token or key: names that programs also use for other things.
    Token,
    /// A key of any other kind: only where it is the word behind a long option, or a variable.
    Key,
    /// A signature in an address: only a long value.
    Signature,
    /// A name and its password in base64, as `docker login` and npm keep them: nothing else.
    Pair,
    /// An everyday word that may also mean a password: only a value that looks like one.
    Loose,
}

/// The keys whose names people write with a blank; `license key:` and `session key:` say something else.
const SPOKEN_KEYS: &[&str] = &["api", "secret", "preshared"];

/// The length of the name that begins at `at`; `API key` is one, as people write it.
pub(super) fn name_len(text: &[u8], at: usize) -> usize {
    let part = |b: &&u8| b.is_ascii_alphanumeric() || matches!(**b, b'_' | b'-' | b'.');
    let len = text[at..].iter().take(NAME).take_while(part).count();
    let rest = &text[at + len..];
    // Few words stand before such a one: that is looked at first.
    if !matches!(rest, [b' ', b'k' | b'K', b'e' | b'E', b'y' | b'Y', ..]) {
        return len;
    }
    let goes_on = rest.get(4).as_ref().is_some_and(part);
    let is_option = at > 0 && text[at - 1] == b'-';
    let first = &text[at..at + len];
    let is_one = |key: &&str| first.eq_ignore_ascii_case(key.as_bytes());
    let before = text.get(at.saturating_sub(7)..at).unwrap_or_default();
    let is_access = || is_one(&"access") && before.eq_ignore_ascii_case(b"secret ");
    let is_whole = !goes_on && !is_option;
    if is_whole && (SPOKEN_KEYS.iter().any(is_one) || is_access()) { len + 4 } else { len }
}

/// Do its last two letters let this be a name that [`named`] knows? Few words are looked at further.
pub(super) fn may_be_named(name: &[u8]) -> bool {
    let end = name.iter().rposition(u8::is_ascii_alphanumeric).unwrap_or_default();
    let Some([before, last]) = name.get(end.saturating_sub(1)..=end) else { return false };
    match last | 0x20 {
        b'd' => matches!(before | 0x20, b'r' | b'w'),
        b'e' => matches!(before | 0x20, b's' | b'd' | b'i' | b'r'),
        b's' => matches!(before | 0x20, b'l' | b'd' | b's'),
        b't' => matches!(before | 0x20, b'r' | b'e' | b'a'),
        b'n' => matches!(before | 0x20, b'e' | b'o'),
        b'y' => before | 0x20 == b'e',
        b'l' => before | 0x20 == b'a',
        b'k' => before | 0x20 == b's',
        b'g' => before | 0x20 == b'i',
        b'h' => before | 0x20 == b't',
        b'w' => before | 0x20 == b'p',
        _ => false,
    }
}

/// What kind of secret a name announces: by its last words, split at `_`, `-`, `.`, blanks and humps.
pub(super) fn named(name: &[u8]) -> Option<Secret> {
    if !may_be_named(name) {
        return None;
    }
    let mut words: Vec<Vec<u8>> = vec![Vec::new()];
    let mut lower = false;
    for b in name {
        let hump = lower && b.is_ascii_uppercase();
        if hump || matches!(b, b'_' | b'-' | b'.' | b' ') {
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
    if ends(&["password", "passwd", "passphrase", "passcode", "passwort", "secret"]) {
        return Some(Secret::Password);
    }
    if word(0) == b"token" && PLAIN_TOKENS.iter().any(|kind| word(1) == kind.as_bytes()) {
        return None;
    }
    if ends(&["token", "apikey", "accesskey", "authkey", "secretkey", "privatekey"]) {
        return Some(Secret::Token);
    }
    let is_key = word(0) == b"key" && KEYS.iter().any(|key| word(1) == key.as_bytes());
    if is_key || (word(2), word(1), word(0)) == (b"secret", b"key", b"base") {
        return Some(Secret::Token);
    }
    match (word(1), word(0)) {
        (kind, b"key") if !is_plain_key(kind) => Some(Secret::Key),
        (_, b"authorization" | b"cookie") => Some(Secret::Header),
        (_, b"credential" | b"credentials" | b"creds" | b"psk") => Some(Secret::Token),
        (_, b"sig" | b"signature") => Some(Secret::Signature),
        (b"", b"pass") if name == b"PASS" => Some(Secret::Key),
        (_, b"sshpass") => Some(Secret::Password),
        (b"", b"auth") => Some(Secret::Pair),
        (b"", b"pwd" | b"pass" | b"pw") => Some(Secret::Loose),
        // As the folder a shell came from it is none.
        (b"" | b"old", _) => None,
        (_, b"pwd" | b"pass") => Some(Secret::Password),
        (_, b"pat") => Some(Secret::Token),
        _ => None,
    }
}

fn is_plain_key(kind: &[u8]) -> bool {
    PLAIN_KEYS.iter().any(|plain| kind == plain.as_bytes())
}
