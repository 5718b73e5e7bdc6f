//! What the parser of JSON says, in the words of whoever has sent it.

use serde_json::Error;
use serde_json::error::Category;

/// Letters of a value that are shown.
const SHOWN: usize = 60;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) detail: String,
    /// What is taken instead, where that is a closed set.
    pub(super) allowed: Vec<String>,
}

impl Said {
    fn new(detail: String) -> Self {
        Self { detail, allowed: Vec::new() }
    }
}

/// `path`: the member that was read when it broke off. `is_json`: it would have been well for another reader.
pub(super) fn of(error: &Error, path: &str, is_json: bool) -> Said {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&place).unwrap_or(&message);
    let path = path.trim_matches('.');
    if let Some(wrong) = wrong_token(message).filter(|_| is_json) {
        return Said::new(format!("{} is {wrong}", member(path)));
    }
    match error.classify() {
        // A word of a closed set was wanted.
        Category::Syntax if is_json => Said::new(format!("{} is a string", member(path))),
        Category::Eof => Said::new("the body is no JSON: it ends too early".to_owned()),
        Category::Syntax | Category::Io => {
            let (line, column) = (error.line(), error.column());
            Said::new(format!("the body is no JSON: see line {line}, column {column}"))
        }
        Category::Data => data(message, path),
    }
}

/// What is well formed and means nothing.
fn wrong_token(message: &str) -> Option<&'static str> {
    match message {
        "number out of range" => Some("a number out of range"),
        "invalid unicode code point"
        | "unexpected end of hex escape"
        | "lone leading surrogate in hex escape" => Some("not valid Unicode"),
        _ => None,
    }
}

fn data(message: &str, path: &str) -> Said {
    if let Some(name) = between(message, "missing field `", "`") {
        return Said::new(format!("{} is missing", inside(path, name)));
    }
    if let Some(name) = between(message, "duplicate field `", "`") {
        return Said::new(format!("{} stands there twice", quoted(name)));
    }
    if let Some((name, allowed)) = unknown(message, "unknown field `") {
        // The path may lead to the member itself.
        let path = path.strip_suffix(name).unwrap_or(path).trim_end_matches('.');
        let there = match allowed.as_slice() {
            [] => "there are none".to_owned(),
            allowed => format!("there are {}", allowed.join(", ")),
        };
        let detail = format!("there is no {}; {there}", inside(path, name));
        return Said { detail, allowed };
    }
    if let Some((name, allowed)) = unknown(message, "unknown variant `") {
        let detail =
            format!("{} is one of {}, and not {}", member(path), allowed.join(", "), quoted(name));
        return Said { detail, allowed };
    }
    for kind in ["invalid type: ", "invalid value: "] {
        let rest = message.strip_prefix(kind).and_then(|rest| rest.rsplit_once(", expected "));
        if let Some((given, wanted)) = rest {
            return Said::new(format!(
                "{} is {}, and not {}",
                member(path),
                form(wanted),
                value(given)
            ));
        }
    }
    // Our own words.
    Said::new(match path {
        "" => message.to_owned(),
        path => format!("{}: {message}", quoted(path)),
    })
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    text.strip_prefix(before)?.split_once(after).map(|(name, _)| name)
}

/// A word that is not known, and those that are.
fn unknown<'a>(message: &'a str, before: &str) -> Option<(&'a str, Vec<String>)> {
    let rest = message.strip_prefix(before)?;
    let (name, known) =
        rest.split_once("`, expected ").or_else(|| rest.split_once("`, there are no "))?;
    Some((name, known.split('`').skip(1).step_by(2).map(str::to_owned).collect()))
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", cut(name))
}

fn inside(path: &str, name: &str) -> String {
    match path {
        "" => quoted(name),
        path => format!("{} of {}", quoted(name), quoted(path)),
    }
}

fn member(path: &str) -> String {
    match path {
        "" => "the body".to_owned(),
        path => quoted(path),
    }
}

/// What is taken, by its name in the parser.
fn form(wanted: &str) -> &str {
    match wanted {
        "a string" | "a borrowed string" | "string or map" => "a string",
        "a boolean" => "true or false",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0 on",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a sequence" => "a list",
        "a map" => "an object",
        wanted if wanted.starts_with("struct ") => "an object",
        wanted => wanted,
    }
}

/// What was given, by its description in the parser.
fn value(given: &str) -> String {
    let plain = given
        .strip_prefix("string ")
        .or_else(|| given.strip_prefix("integer "))
        .or_else(|| given.strip_prefix("floating point "))
        .or_else(|| given.strip_prefix("boolean "));
    match (given, plain) {
        ("sequence", _) => "a list".to_owned(),
        ("map", _) => "an object".to_owned(),
        (_, Some(plain)) => cut(plain.trim_matches('`')),
        (given, None) => cut(given),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
