//! Words that stand where a secret could stand, and are none.

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
        "absent",
        "denied",
        "disabled",
        "enabled",
        "hidden",
        "incorrect",
        "mismatch",
        "present",
        "rejected",
        "valid",
        "wrong",
    ];
    is_one_of(WORDS, value)
}

/// The word behind an option: no other option, no prose, and no path without a number.
pub(super) fn is_argument(value: &[u8], digits: bool) -> bool {
    const PROSE: &[&str] = &[
        "a",
        "and",
        "argument",
        "as",
        "by",
        "can",
        "flag",
        "flags",
        "for",
        "from",
        "in",
        "is",
        "must",
        "needs",
        "of",
        "on",
        "option",
        "options",
        "or",
        "parameter",
        "should",
        "the",
        "to",
        "value",
        "was",
        "with",
    ];
    // Words that only go on with a sentence; what has a meaning of its own may be a password.
    const GOES_ON: &[&str] = &[
        "after", "are", "at", "because", "before", "but", "does", "has", "if", "into", "it", "not",
        "so", "than", "that", "then", "unless", "until", "when", "where", "which", "while", "will",
        "without",
    ];
    let is_path = matches!(value, [b'/' | b'~', ..] | [b'.', b'.' | b'/', ..]);
    let is_other = value.starts_with(b"-") || is_one_of(PROSE, value) || is_one_of(GOES_ON, value);
    !is_other && (digits || !is_path)
}

fn is_one_of(words: &[&str], value: &[u8]) -> bool {
    let word = value.strip_suffix(b".").unwrap_or(value);
    words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// Letters of both cases with digits, an end, or much of them, and as many as base64 makes.
pub(super) fn is_base64(value: &[u8]) -> bool {
    let padded = value.strip_suffix(b"==").or_else(|| value.strip_suffix(b"="));
    let letters = padded.unwrap_or(value);
    let is_in = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
    let has = |kind: fn(&u8) -> bool| letters.iter().any(kind);
    let is_telling = has(u8::is_ascii_digit) || padded.is_some() || value.len() >= 20;
    (value.len() >= 12 && value.len().is_multiple_of(4) && letters.iter().all(is_in))
        && (has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && is_telling)
}

/// Does a word look like a password where no sign says that it is one? Letters and digits, and no
/// measure, algorithm, path, call or name that programs give.
pub(super) fn is_telling(value: &[u8]) -> bool {
    const KNOWN: &[&str] = &[
        "aes", "argon", "base", "bcrypt", "ed25519", "es256", "hmac", "hs256", "http", "ipv",
        "md5", "oauth", "pbkdf", "pkcs", "rs256", "rsa", "scrypt", "sha", "utf", "x509",
    ];
    let has = |kind: fn(&u8) -> bool| value.iter().any(kind);
    let begins = |known: &&str| {
        value.get(..known.len()).is_some_and(|start| start.eq_ignore_ascii_case(known.as_bytes()))
    };
    let (upper, lower) = (has(u8::is_ascii_uppercase), has(u8::is_ascii_lowercase));
    // A long one is a key.
    let is_measure = value.first().is_some_and(u8::is_ascii_digit) && !upper && value.len() < 16;
    // As a commit is named.
    let is_hash = value.len() <= 12 && value.iter().all(u8::is_ascii_hexdigit);
    let is_name = value.iter().any(|b| matches!(b, b'-' | b'_')) && !(upper && lower);
    let is_code = value.iter().any(|b| b"/\\.:()[]{}<>\"'`".contains(b));
    value.len() >= 7
        && has(u8::is_ascii_digit)
        && (upper || lower)
        && !(is_measure || is_hash || is_name || is_code || KNOWN.iter().any(begins))
}
