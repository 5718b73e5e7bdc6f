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
