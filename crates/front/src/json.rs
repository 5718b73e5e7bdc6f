//! Whether an answer is one that an agent can read. `headsup/src/hook.rs` looks by this file, too.

/// Deeper nesting is nobody's answer.
const DEEPEST: u32 = 64;

/// One JSON object and nothing else, which is what every agent's protocol takes: what another server than the hub
/// says is not printed into an agent. Whether its strings are UTF-8 is not looked at.
pub(crate) fn is_object(text: &[u8]) -> bool {
    let text = blank(text);
    text.starts_with(b"{") && value(text, DEEPEST).is_some_and(|rest| blank(rest).is_empty())
}

/// Past a value.
fn value(text: &[u8], depth: u32) -> Option<&[u8]> {
    match text {
        [b'{', tail @ ..] => members(tail, b'}', depth.checked_sub(1)?),
        [b'[', tail @ ..] => members(tail, b']', depth.checked_sub(1)?),
        [b'"', ..] => string(text),
        [b't', ..] => text.strip_prefix(b"true"),
        [b'f', ..] => text.strip_prefix(b"false"),
        [b'n', ..] => text.strip_prefix(b"null"),
        _ => number(text),
    }
}

/// Past the members of an object or the items of a list, and its end.
fn members(text: &[u8], end: u8, depth: u32) -> Option<&[u8]> {
    let mut rest = blank(text);
    if rest.first() == Some(&end) {
        return rest.get(1..);
    }
    loop {
        if end == b'}' {
            rest = blank(blank(string(rest)?).strip_prefix(b":")?);
        }
        match blank(value(rest, depth)?) {
            [b',', tail @ ..] => rest = blank(tail),
            [sign, tail @ ..] if *sign == end => return Some(tail),
            _ => return None,
        }
    }
}

fn string(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text.strip_prefix(b"\"")?;
    loop {
        rest = match rest {
            [b'"', tail @ ..] => return Some(tail),
            [b'\\', b'u', tail @ ..] => {
                let (hex, tail) = tail.split_at_checked(4)?;
                hex.iter().all(u8::is_ascii_hexdigit).then_some(tail)?
            }
            [b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', tail @ ..] => tail,
            [b'\\' | 0..=0x1f, ..] | [] => return None,
            [_, tail @ ..] => tail,
        }
    }
}

fn number(text: &[u8]) -> Option<&[u8]> {
    let mut rest = match text.strip_prefix(b"-").unwrap_or(text) {
        [b'0', tail @ ..] => tail,
        whole => digits(whole)?,
    };
    if let [b'.', tail @ ..] = rest {
        rest = digits(tail)?;
    }
    if let [b'e' | b'E', b'+' | b'-', tail @ ..] | [b'e' | b'E', tail @ ..] = rest {
        rest = digits(tail)?;
    }
    Some(rest)
}

/// Past at least one digit.
fn digits(text: &[u8]) -> Option<&[u8]> {
    let len = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.get(len..).filter(|_| len > 0)
}

fn blank(text: &[u8]) -> &[u8] {
    let len = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
    text.get(len..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_one() {
        for text in [
            "{}",
            " { } \r\n",
            "{\"ok\":true}\n",
            r#"{"a":[],"b":{},"c":[1,-0.5,2e9,3E-1,0],"d":null,"e":false}"#,
            r#"{"a" : [ { "b" : [ [ ] , "é\"\\\u00e9\n" ] } , true ] }"#,
            r#"{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}"#,
        ] {
            assert!(is_object(text.as_bytes()), "{text}");
        }
        let deep = |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert!(is_object(deep(63).as_bytes()));
        assert!(!is_object(deep(64).as_bytes()));
        assert!(!is_object("{\"a\":".repeat(1 << 17).as_bytes()));
    }

    #[test]
    fn nothing_else_is() {
        for text in [
            "",
            " ",
            "not json!",
            "null",
            "[]",
            "\"a\"",
            "{",
            "}",
            "{]",
            "{}{}",
            "{} x",
            "{not json}",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{,}",
            "{\"a\":[1,]}",
            "{\"a\":[1 2]}",
            "{\"a\":01}",
            "{\"a\":.5}",
            "{\"a\":1.}",
            "{\"a\":1e}",
            "{\"a\":-}",
            "{\"a\":tru}",
            "{\"a\":truer}",
            "{\"a\":\"\n\"}",
            "{\"a\":\"\\x\"}",
            "{\"a\":\"\\u12g4\"}",
            "{\"a\":\"\\u12",
            "{\"a\":\"",
            "{\"a\":[}]",
        ] {
            assert!(!is_object(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_cut_object_is_none() {
        let text = br#"{"a":[1,{"b":"\u00e9"},null],"c":-1.5e3}"#;
        assert!((0..text.len()).all(|end| !is_object(&text[..end])));
        assert!(is_object(text));
    }
}
