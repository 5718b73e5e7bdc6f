//! Walking over an object's members without reading them: one pass, no recursion, no copy.
//!
//! It finds where each value ends and checks nothing else. Whoever acts on a member reads it with
//! a real parser; whoever acts on the whole text has it checked by `is_whole`, beside this.

use memchr::memchr;
use std::ops::Range;

const NEAR: usize = 16;

/// Calls `take` with each member of a JSON object, in their order: where the key is as it is
/// written, between its quotes, and where the value's text is. `None` where the text is no whole
/// object, and as soon as `take` wants no more; what has been taken by then counts for nothing.
pub(super) fn members(
    bytes: &[u8],
    mut take: impl FnMut(Range<usize>, Range<usize>) -> Option<()>,
) -> Option<()> {
    let mut at = open(bytes, b'{')?;
    while *bytes.get(at)? != b'}' {
        let key_end = string_end(bytes, at)?;
        let key = at + 1..key_end - 1;
        at = skip_space(bytes, key_end);
        if *bytes.get(at)? != b':' {
            return None;
        }
        let start = skip_space(bytes, at + 1);
        let end = value_end(bytes, start)?;
        take(key, start..end)?;
        at = next(bytes, end, b'}')?;
    }
    // Behind the object there is nothing.
    (skip_space(bytes, at + 1) == bytes.len()).then_some(())
}

/// The elements of a list, at most `most` of them; none if it is no list.
pub(super) fn items(text: &str, most: usize) -> Vec<&str> {
    list(text, most).unwrap_or_default()
}

fn list(text: &str, most: usize) -> Option<Vec<&str>> {
    let bytes = text.as_bytes();
    let mut items = Vec::new();
    let mut at = open(bytes, b'[')?;
    while items.len() < most && *bytes.get(at)? != b']' {
        let end = value_end(bytes, at)?;
        items.push(text.get(at..end)?);
        at = next(bytes, end, b']')?;
    }
    Some(items)
}

/// Behind the bracket that the text begins with.
fn open(bytes: &[u8], bracket: u8) -> Option<usize> {
    let at = skip_space(bytes, 0);
    (*bytes.get(at)? == bracket).then(|| skip_space(bytes, at + 1))
}

/// Where the next element begins behind one, or the closing bracket is.
fn next(bytes: &[u8], end: usize, closing: u8) -> Option<usize> {
    let at = skip_space(bytes, end);
    if *bytes.get(at)? != b',' {
        return (bytes[at] == closing).then_some(at);
    }
    let at = skip_space(bytes, at + 1);
    (*bytes.get(at)? != closing).then_some(at)
}

fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

/// Behind the closing quote of the string that begins at `start`.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    if *bytes.get(start)? != b'"' {
        return None;
    }
    let first = start + 1;
    let mut at = first;
    loop {
        at += quote(bytes.get(at..)?)?;
        // A tool's output has an escape in every line and quotes in few: these alone are stopped at.
        let escapes = bytes[first..at].iter().rev().take_while(|b| **b == b'\\').count();
        at += 1;
        if escapes % 2 == 0 {
            return Some(at);
        }
    }
}

/// Most strings are short: setting out for a long way costs more than they have, and their bytes are looked
/// at side by side.
fn quote(bytes: &[u8]) -> Option<usize> {
    const ONES: u128 = u128::from_ne_bytes([1; NEAR]);
    const QUOTES: u128 = u128::from_ne_bytes([b'"'; NEAR]);
    let Some((near, far)) = bytes.split_first_chunk::<NEAR>() else {
        return bytes.iter().position(|b| *b == b'"');
    };
    // A byte that is zero, and perhaps some behind it, has its highest bit set here.
    let zero = u128::from_le_bytes(*near) ^ QUOTES;
    match zero.wrapping_sub(ONES) & !zero & (ONES << 7) {
        0 => memchr(b'"', far).map(|at| NEAR + at),
        found => usize::try_from(found.trailing_zeros() / 8).ok(),
    }
}

/// Behind the value that begins at `start`.
fn value_end(bytes: &[u8], start: usize) -> Option<usize> {
    match *bytes.get(start)? {
        b'"' => string_end(bytes, start),
        b'{' | b'[' => nest_end(bytes, start),
        _ => {
            let ends = |b: &u8| matches!(b, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r');
            let length = bytes[start..].iter().position(ends)?;
            (length > 0).then_some(start + length)
        }
    }
}

/// Behind the bracket that closes the one at `start`.
fn nest_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = start;
    loop {
        match *bytes.get(at)? {
            b'"' => {
                at = string_end(bytes, at)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn walked(text: &str) -> Option<Vec<(&str, &str)>> {
        let mut found = Vec::new();
        members(text.as_bytes(), |key, value| {
            found.push((&text[key], &text[value]));
            Some(())
        })?;
        Some(found)
    }

    #[test]
    fn a_quote_is_found_wherever_it_stands() {
        for length in 0..50 {
            for other in [b'x', b'!', b'#', 0, 0x80, 0xff, b'"' ^ 0x80] {
                let mut bytes = vec![other; length];
                assert_eq!(quote(&bytes), None);
                for at in (0..length).rev() {
                    bytes[at] = b'"';
                    assert_eq!(quote(&bytes), Some(at), "{other} {length}");
                }
            }
        }
    }

    #[test]
    fn members_are_found_with_their_values_unread() {
        let text = " {\"a\" : \"x\\\"},\", \"b\":{\"c\":[1,\"]}\"]} ,\"d\":-1e5,\"\":null}\n";
        let expected =
            vec![("a", "\"x\\\"},\""), ("b", "{\"c\":[1,\"]}\"]}"), ("d", "-1e5"), ("", "null")];
        assert_eq!(walked(text), Some(expected));
        assert_eq!(walked("{}"), Some(vec![]));
        assert_eq!(walked(" { } "), Some(vec![]));
    }

    #[test]
    fn what_is_no_whole_object_is_broken() {
        for text in [
            "",
            " ",
            "[]",
            "1",
            "{",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":1",
            "{\"a\":1,",
            "{\"a\":1,}",
            "{,}",
            "{\"a\" 1}",
            "{a:1}",
            "{\"a\":}",
            "{\"a\":\"x}",
            "{\"a\":{}",
            "{\"a\":1}x",
            "{}{}",
            "{\"a\":1 2}",
            "{\"a\":\"\\",
            "{\"a\":\"\\\"}",
            "{\"a\":\"\\\\\\\"}",
            "{\"a\":]}",
        ] {
            assert_eq!(walked(text), None, "{text}");
        }
    }

    #[test]
    fn who_wants_no_more_members_walks_no_further() {
        let mut taken = 0;
        let walked = members(b"{\"a\":1,\"b\":2,\"c\":3}", |_, _| {
            taken += 1;
            (taken < 2).then_some(())
        });
        assert_eq!((walked, taken), (None, 2));
    }

    #[test]
    fn a_list_is_taken_apart_and_bounded() {
        assert_eq!(items("[ 1 , \"a,]\",[2,3] ]", 9), ["1", "\"a,]\"", "[2,3]"]);
        assert_eq!(items("[1,2,3]", 2), ["1", "2"]);
        for none in ["[]", "[ ]", "{}", "1", "", "[1", "[1,", "[1,]", "[1 2]", "[,]"] {
            assert!(items(none, 9).is_empty(), "{none}");
        }
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[\\PC\"\\\\{}\\[\\]\n]{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map("[a-z\"\\\\]{0,6}", inner, 0..6)
                    .prop_map(Value::from_iter),
            ]
        })
    }

    proptest! {
        #[test]
        fn whatever_is_written_is_found_again(
            object in prop::collection::btree_map("[a-z]{1,6}", json(), 0..8),
            pretty in any::<bool>(),
        ) {
            let value = Value::from_iter(object.clone());
            let text = match pretty {
                true => serde_json::to_string_pretty(&value).unwrap(),
                false => value.to_string(),
            };
            let found = walked(&text).unwrap();
            let found = found.iter().map(|(key, value)| {
                ((*key).to_owned(), serde_json::from_str(value).unwrap())
            });
            prop_assert_eq!(found.collect::<std::collections::BTreeMap<String, Value>>(), object);
            // A text that was cut is never taken for a whole one.
            let cut = text.len() / 2;
            if let Some(cut) = text.get(..cut) {
                prop_assert!(walked(cut).is_none());
            }
        }

        #[test]
        fn any_text_is_walked_to_an_end(text in "[{}\\[\\]\",:\\\\a1 ]{0,40}") {
            let mut steps = 0;
            let _end = members(text.as_bytes(), |_, value| {
                steps += value.len();
                Some(())
            });
            prop_assert!(steps <= text.len());
            let counted = items(&text, 9).len();
            prop_assert!(counted <= 9);
        }
    }
}
