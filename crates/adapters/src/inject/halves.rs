//! Halves of surrogate pairs that are alone, as `"\ud800"`: programs take them in JSON, and the parser does not.

use super::Unchanged;

/// Edits the text while something else stands in the place of its halves; then they are there again.
pub(super) fn kept(
    text: &str,
    edit: impl FnOnce(&str) -> Result<String, Unchanged>,
) -> Result<String, Unchanged> {
    match hidden(text) {
        Some((sign, hidden)) => Ok(edit(&hidden)?.replace(sign, "\\")),
        None => edit(text),
    }
}

/// A sign that is not in the text, and the text with it in the place of each backslash that begins a half.
/// `None`: it has no halves.
pub(super) fn hidden(text: &str) -> Option<(char, String)> {
    if !text.contains("\\u") {
        return None;
    }
    let halves = alone(text.as_bytes());
    if halves.is_empty() {
        return None;
    }
    // Nobody has given these a meaning.
    let sign = ('\u{e000}'..='\u{f8ff}').find(|sign| !text.contains(*sign))?;
    let mut hidden = String::with_capacity(text.len() + 2 * halves.len());
    let mut from = 0;
    for at in halves {
        hidden.push_str(&text[from..at]);
        hidden.push(sign);
        from = at + 1;
    }
    hidden.push_str(&text[from..]);
    Some((sign, hidden))
}

/// Where the halves begin that have no other half.
fn alone(text: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let is_pair = || matches!(unit(text, at + 6), Some(0xdc00..=0xdfff));
        at += match (text[at], unit(text, at)) {
            (b'\\', Some(0xd800..=0xdbff)) if is_pair() => 12,
            (b'\\', Some(0xd800..=0xdfff)) => {
                found.push(at);
                6
            }
            (b'\\', _) => 2,
            _ => 1,
        };
    }
    found
}

/// What is escaped there as `\uXXXX`.
fn unit(text: &[u8], at: usize) -> Option<u16> {
    let digits = text.get(at..)?.strip_prefix(b"\\u")?.get(..4)?;
    let digits = str::from_utf8(digits).ok()?;
    let are_digits = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    are_digits.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inject::{recipe, server};

    const LAUNCHER: &str = "/home/dev/.headsup/bin/headsup";

    #[test]
    fn only_a_half_that_is_alone_is_hidden() {
        let hidden = |text: &str| hidden(text).map(|(_, hidden)| hidden);
        for text in [r"\ud83d\ude00", r"\\ud800", r"\u0041", r"\u+d80", "ud800", r"\", r"\u", ""] {
            assert_eq!(hidden(text), None, "{text}");
        }
        for (text, expected) in [
            (r"\ud800", "\u{e000}ud800"),
            (r"\uDC00\uD800", "\u{e000}uDC00\u{e000}uD800"),
            (r"\ud83d\ud83d\ude00", "\u{e000}ud83d\\ud83d\\ude00"),
            (r"\\\ud800é", "\\\\\u{e000}ud800é"),
            ("\u{e000}\\ud800", "\u{e000}\u{e001}ud800"),
        ] {
            assert_eq!(hidden(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_file_with_half_a_pair_in_it_is_edited_and_comes_back_to_the_byte() {
        let both = [recipe("gemini-cli").unwrap(), server::of("gemini-cli").unwrap()];
        for recipe in both {
            let before =
                "{\n  \"a\\uDEAD\": \"cut \\ud83d\", // \u{e000}\n  \"b\": \"\\ud83d\\ude00\"\n}\n";
            let installed = recipe.append(before, LAUNCHER).unwrap();
            assert!(installed.contains(r#""a\uDEAD": "cut \ud83d","#), "{installed}");
            assert_eq!(recipe.append(&installed, LAUNCHER).unwrap(), installed);
            assert!(recipe.inspect(&installed, LAUNCHER).unwrap().is_complete());
            assert_eq!(recipe.remove(&installed, LAUNCHER, Some(before)).unwrap(), before);
        }
    }
}
