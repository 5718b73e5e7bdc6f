//! What the parser lets pass, and that of no program that reads JSON, with comments or without: raw control
//! characters in strings, and white space that JSON does not know.

use super::Unchanged;

/// Refuses a text with such a character in it. Comments may hold any.
pub(super) fn check(text: &str) -> Result<(), Unchanged> {
    let mut at = 0;
    while let Some(sign) = text[at..].chars().next() {
        let rest = &text[at..];
        at += match sign {
            '"' => string_length(rest).map_err(|within| refused(text, at + within))?,
            '/' if rest.starts_with("//") => rest.find(['\n', '\r']).unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            ' ' | '\t' | '\r' | '\n' => 1,
            _ if sign.is_whitespace() => return Err(refused(text, at)),
            _ => sign.len_utf8(),
        };
    }
    Ok(())
}

/// How long the string is that the text begins with, quotes and all; or where in it a control character is.
fn string_length(text: &str) -> Result<usize, usize> {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            ..=0x1f => return Err(at),
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return Ok(at + 1),
            _ => {}
        }
    }
    Ok(text.len())
}

fn refused(text: &str, at: usize) -> Unchanged {
    let line = text[..at].matches('\n').count() + 1;
    let sign = text[at..].chars().next().map_or(0, u32::from);
    Unchanged::NotJson(format!(
        "the character U+{sign:04X} on line {line} cannot stand there as it is"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inject::{recipe, server};

    const LAUNCHER: &str = "/home/dev/.headsup/bin/headsup";

    #[test]
    fn what_no_program_can_read_is_neither_taken_nor_called_well() {
        let recipe = recipe("gemini-cli").unwrap();
        let tools = server::of("gemini-cli").unwrap();
        let hooks = recipe.append("", LAUNCHER).unwrap();
        for (bad, place) in [
            ("\"a\": \"one\ntwo\",", "U+000A on line 1"),
            ("\n\"a\": \"one\ttwo\",", "U+0009 on line 2"),
            ("\"a\u{1b}\": 1,", "U+001B on line 1"),
            ("\"a\": \"\0\",", "U+0000 on line 1"),
            ("\u{c}", "U+000C on line 1"),
            ("\u{a0}", "U+00A0 on line 1"),
            ("// é\n\u{2028}", "U+2028 on line 2"),
        ] {
            let text = hooks.replacen('{', &format!("{{{bad}"), 1);
            let told = [
                recipe.append(&text, LAUNCHER).unwrap_err(),
                recipe.remove(&text, LAUNCHER, None).unwrap_err(),
                recipe.inspect(&text, LAUNCHER).unwrap_err(),
                tools.append(&text, LAUNCHER).unwrap_err(),
                tools.inspect(&text, LAUNCHER).unwrap_err(),
            ];
            for why in told.map(|why| why.to_string()) {
                assert!(why.starts_with("it is not JSON") && why.contains(place), "{bad:?}: {why}");
            }
        }
    }

    #[test]
    fn comments_may_hold_anything_and_strings_what_is_no_control_character() {
        for text in [
            "{ // \u{c} \u{a0} it's \"one\r\n}",
            "{ /* \u{1b}\n\" \u{2028} // */ \"a\": \"\u{a0}\u{2028}\u{7f}\\\"\\\\\\n\" }",
            "{\t\"a\": \"//\", \"b\": \"/*\" /**/ }\r\n// the end \u{b}",
            "",
        ] {
            assert_eq!(check(text), Ok(()), "{text:?}");
        }
    }
}
