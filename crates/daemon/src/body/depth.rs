//! How deep JSON is nested, without reading it.

use crate::api::Refused;
use memchr::memchr2;

/// Deeper nesting is no request of ours.
const DEEPEST: usize = 64;

/// Refuses JSON that is nested without end, before anything is made of it.
pub(crate) fn check_depth(text: &[u8]) -> Result<(), Refused> {
    if is_too_deep(text) {
        let detail = format!("the body is nested more than {DEEPEST} deep");
        return Err(Refused::new(400, "too_deep", detail));
    }
    Ok(())
}

/// Is this JSON nested without end?
pub(crate) fn is_too_deep(text: &[u8]) -> bool {
    // Of most there is no more to be looked at: counting takes next to no time.
    let opened = text.iter().filter(|byte| matches!(byte, b'[' | b'{')).count();
    if opened <= DEEPEST {
        return false;
    }
    let (mut depth, mut rest) = (0_usize, text);
    while let [byte, tail @ ..] = rest {
        rest = match byte {
            b'"' => behind_string(tail),
            _ => tail,
        };
        match byte {
            b'[' | b'{' if depth == DEEPEST => return true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// What stands behind a string whose first quote has been read.
pub(crate) fn behind_string(mut text: &[u8]) -> &[u8] {
    while let Some(at) = memchr2(b'"', b'\\', text) {
        match text.get(at..) {
            Some([b'"', rest @ ..]) => return rest,
            // What is escaped is no end.
            Some([_, _, rest @ ..]) => text = rest,
            _ => break,
        }
    }
    &[]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_counted_outside_of_texts() {
        let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(check_depth(nested(DEEPEST).as_bytes()).is_ok());
        assert_eq!(check_depth(nested(DEEPEST + 1).as_bytes()).unwrap_err().code(), "too_deep");
        let text =
            format!(r#"{{"a":"{}\\\"{}","b":[[]],"c":[[]]}}"#, "[".repeat(99), "{".repeat(99));
        assert!(check_depth(text.as_bytes()).is_ok());
        // Behind a string, in members, without an end, and in what is no JSON.
        let (string, deep) = ("\"[\\\\\\\"[\"", "[".repeat(DEEPEST));
        for (text, is_deep) in [
            (format!("{{{string}:{deep}"), true),
            (format!("[{string},{deep}"), true),
            (format!("{{\"a\":[{string}],\"b\":{}", nested(DEEPEST - 1)), false),
            ("{\"a\":".repeat(DEEPEST + 1), true),
            (format!("[]{}", "[{}],".repeat(100_000)), false),
            (format!("\"{deep}{deep}"), false),
            (format!("\"{deep}{deep}\\"), false),
            (format!("]]]{deep}["), true),
        ] {
            assert_eq!(is_too_deep(text.as_bytes()), is_deep, "{}", &text[..20]);
        }
    }
}
