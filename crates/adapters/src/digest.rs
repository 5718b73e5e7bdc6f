//! A stable number for a piece of JSON, to know a tool call again by its input.

use crate::json::Raw;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;

/// The digest of a value: the order of members, white space and the way a character or a
/// number is written make no difference. The same on every machine and in every version.
pub(crate) fn digest(value: Raw<'_>) -> Option<u64> {
    let json = value.json()?;
    let mut reader = serde_json::Deserializer::from_str(json);
    // What the reader refuses (nesting deeper than 128, half a surrogate pair) is taken as it
    // is written: the program that wrote it writes it again the same way.
    Some(Canonical.deserialize(&mut reader).unwrap_or_else(|_| leaf(Tag::Raw, json.as_bytes())))
}

#[derive(Clone, Copy)]
enum Tag {
    Null,
    Bool,
    Integer,
    Float,
    Text,
    List,
    Object,
    Raw,
}

/// The digest of a text, in the same words.
pub(crate) fn of_text(text: &str) -> u64 {
    leaf(Tag::Text, text.as_bytes())
}

/// FNV-1a with 64 bits.
fn fold(hash: u64, bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME))
}

fn start(tag: Tag) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    fold(OFFSET, &[tag as u8])
}

fn leaf(tag: Tag, bytes: &[u8]) -> u64 {
    fold(start(tag), bytes)
}

struct Canonical;

impl<'de> DeserializeSeed<'de> for Canonical {
    type Value = u64;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<u64, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Canonical {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<u64, E> {
        Ok(start(Tag::Null))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<u64, E> {
        Ok(leaf(Tag::Bool, &[u8::from(value)]))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<u64, E> {
        Ok(leaf(Tag::Integer, &i128::from(value).to_le_bytes()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<u64, E> {
        Ok(leaf(Tag::Integer, &i128::from(value).to_le_bytes()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<u64, E> {
        // 1.0 and 1 are one number to a program in JavaScript.
        if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 {
            #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
            return self.visit_i64(value as i64);
        }
        Ok(leaf(Tag::Float, &value.to_bits().to_le_bytes()))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<u64, E> {
        Ok(leaf(Tag::Text, value.as_bytes()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<u64, A::Error> {
        let mut hash = start(Tag::List);
        while let Some(item) = list.next_element_seed(Canonical)? {
            hash = fold(hash, &item.to_le_bytes());
        }
        Ok(hash)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<u64, A::Error> {
        let mut members = BTreeMap::new();
        while let Some(key) = map.next_key_seed(Canonical)? {
            members.insert(key, map.next_value_seed(Canonical)?);
        }
        let pair = |hash, (key, value): (&u64, &u64)| {
            fold(fold(hash, &key.to_le_bytes()), &value.to_le_bytes())
        };
        Ok(members.iter().fold(start(Tag::Object), pair))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> Option<u64> {
        digest(serde_json::from_str(json).unwrap())
    }

    #[test]
    fn order_white_space_and_spelling_make_no_difference() {
        let one = of(r#"{"command":"touch /x","n":1,"list":[1,{"a":true,"b":null}]}"#);
        let other =
            of(r#"{ "list" : [1.0, {"b":null, "a":true}], "n":1, "command":"touch /\u0078"}"#);
        assert!(one.is_some());
        assert_eq!(one, other);
    }

    #[test]
    fn values_make_the_difference() {
        let all = [
            r#"{"a":1}"#,
            r#"{"a":2}"#,
            r#"{"b":1}"#,
            r#"{"a":"1"}"#,
            r#"{"a":[1]}"#,
            r#"{"a":true}"#,
            r#"{"a":1.5}"#,
            r#"{"a":-1}"#,
            r#"{"a":1,"b":1}"#,
            "{}",
            "[]",
            "\"\"",
            "0",
            "false",
            "[1,2]",
            "[2,1]",
            "[[1],2]",
        ];
        let mut digests: Vec<_> = all.iter().map(|json| of(json).unwrap()).collect();
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), all.len());
    }

    #[test]
    fn the_number_is_the_same_for_ever() {
        assert_eq!(of(r#"{"command":"ls"}"#), Some(10_340_771_757_986_261_445));
    }

    #[test]
    fn what_cannot_be_read_has_a_digest_all_the_same() {
        let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
        assert!(of(&deep).is_some());
        assert_ne!(of(r#""\ud83d""#), of(r#""\ud83e""#));
        assert!(of("1e999").is_some());
        assert_eq!(of("null"), None);
    }
}
