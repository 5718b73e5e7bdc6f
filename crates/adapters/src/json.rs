//! Skimming JSON: the wanted members of an object are kept unread, the rest is skipped.
//!
//! A payload may hold a megabyte of tool output, members of another type than yesterday, or the
//! same member twice. None of these is an error: a member is read when it is asked for, as what
//! it is asked for, and is absent if it is not that. The last of two wins.
//!
//! A payload is checked as a whole while it is skimmed. Of a log most lines say nothing: they are
//! walked over faster, and checked if something is made of them.

mod walk;

use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// How many elements of a list are looked at.
const ITEMS: usize = 256;

/// One member of an object, unread: any JSON, or absent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Raw<'a>(Option<&'a str>);

impl<'a> Raw<'a> {
    /// The member's JSON text; `null` counts as absent.
    pub(crate) fn json(self) -> Option<&'a str> {
        self.0.filter(|json| *json != "null")
    }

    /// A string that is not empty.
    pub(crate) fn text(self) -> Option<Cow<'a, str>> {
        if let Some(plain) = self.plain() {
            return (!plain.is_empty()).then_some(Cow::Borrowed(plain));
        }
        let text: Text<'a> = self.read()?;
        (!text.0.is_empty()).then_some(text.0)
    }

    /// A string that is written as it is.
    fn plain(self) -> Option<&'a str> {
        let inner = self.json()?.strip_prefix('"')?.strip_suffix('"')?;
        let is_plain = |b: u8| b >= b' ' && b != b'"' && b != b'\\';
        inner.bytes().all(is_plain).then_some(inner)
    }

    /// Is the member there, also as `null`?
    pub(crate) fn is_there(self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn is_true(self) -> bool {
        self.json() == Some("true")
    }

    pub(crate) fn is_list(self) -> bool {
        self.json().is_some_and(|json| json.trim_start().starts_with('['))
    }

    /// Is it there, as something that does not begin as `mark` says?
    pub(crate) fn is_other_than(self, mark: char) -> bool {
        self.json().is_some_and(|json| !json.trim_start().starts_with(mark))
    }

    /// The first elements of a list; none if it is not a list.
    pub(crate) fn items(self) -> Vec<Raw<'a>> {
        self.read::<Items<'a>>().map_or_else(Vec::new, |items| items.0)
    }

    /// The same, walked over.
    pub(crate) fn walked_items(self) -> impl Iterator<Item = Raw<'a>> {
        let items = walk::items(self.json().unwrap_or_default(), ITEMS);
        items.into_iter().map(|item| Raw(Some(item)))
    }

    /// The member as an object that is walked over; all absent if it is not one.
    pub(crate) fn walked<T: Skim<'a>>(self) -> T {
        self.json().and_then(walked).unwrap_or_default()
    }

    /// The member as an object of which some members are wanted; all absent if it is not one.
    pub(crate) fn object<T: Deserialize<'a> + Default>(self) -> T {
        self.read().unwrap_or_default()
    }

    fn read<T: Deserialize<'a>>(self) -> Option<T> {
        serde_json::from_str(self.json()?).ok()
    }
}

impl<'de> Deserialize<'de> for Raw<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&RawValue>::deserialize(deserializer).map(|raw| Self(Some(raw.get())))
    }
}

/// A string. Half of a surrogate pair (JavaScript can write one) is replaced, not refused.
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_bytes<E: Error>(self, bytes: &'de [u8]) -> Result<Text<'de>, E> {
                Ok(Text(String::from_utf8_lossy(bytes)))
            }
            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(String::from_utf8_lossy(bytes).into_owned())))
            }
        }
        deserializer.deserialize_bytes(Read)
    }
}

struct Items<'a>(Vec<Raw<'a>>);

impl<'de> Deserialize<'de> for Items<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Items<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Items<'de>, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = list.next_element::<Raw<'de>>()? {
                    if items.len() < ITEMS {
                        items.push(item);
                    }
                }
                Ok(Items(items))
            }
        }
        deserializer.deserialize_seq(Read)
    }
}

/// A struct of [`Raw`] members.
pub(crate) trait Skim<'a>: Default {
    /// The names of its members, as they are written.
    const NAMES: &'static [&'static str];

    /// The place of the member that is written so; `None` if it is not wanted.
    fn member(&mut self, key: &str) -> Option<&mut Raw<'a>>;
}

/// Skims an object without checking the text of its members; `None` if it is not one.
pub(crate) fn walked<'a, T: Skim<'a>>(text: &'a str) -> Option<T> {
    let mut found = T::default();
    walk::members(text.as_bytes(), |key, value| {
        if let Some(place) = text.get(key).and_then(|key| found.member(key)) {
            *place = Raw(text.get(value));
        }
        Some(())
    })?;
    Some(found)
}

/// Where the value of each member of a JSON object stands; `None` if the text is not one whole
/// object, or has more than `most` members: it is not walked beyond them. What is nested is passed
/// over, not checked.
pub fn values(text: &[u8], most: usize) -> Option<Vec<Range<usize>>> {
    let mut values = Vec::new();
    walk::members(text, |_, value| {
        values.push(value);
        (values.len() <= most).then_some(())
    })?;
    Some(values)
}

/// Is it JSON, in every part?
pub(crate) fn is_whole(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Declares a struct of [`Raw`] members and how to skim them out of an object.
macro_rules! skim {
    ($(#[$meta:meta])* $name:ident { $($field:ident: $json:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct $name<'a> {
            $(pub(crate) $field: $crate::json::Raw<'a>,)*
        }

        impl<'a> $crate::json::Skim<'a> for $name<'a> {
            const NAMES: &'static [&'static str] = &[$($json),*];

            fn member(&mut self, key: &str) -> Option<&mut $crate::json::Raw<'a>> {
                match key {
                    $($json => Some(&mut self.$field),)*
                    _ => None,
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name<'de> {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                struct Read;
                impl<'de> serde::de::Visitor<'de> for Read {
                    type Value = $name<'de>;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("an object")
                    }
                    fn visit_map<A: serde::de::MapAccess<'de>>(
                        self,
                        mut map: A,
                    ) -> Result<$name<'de>, A::Error> {
                        let mut found = $name::default();
                        while let Some($crate::json::Text(key)) = map.next_key()? {
                            match $crate::json::Skim::member(&mut found, &key) {
                                Some(place) => *place = map.next_value()?,
                                None => {
                                    map.next_value::<serde::de::IgnoredAny>()?;
                                }
                            }
                        }
                        Ok(found)
                    }
                }
                from.deserialize_map(Read)
            }
        }
    };
}
pub(crate) use skim;

/// Reads a hook's payload, or says why it is none.
pub(crate) fn payload<'a, T: Deserialize<'a>>(body: &'a str) -> Result<T, &'static str> {
    if body.is_empty() {
        return Err("empty payload");
    }
    serde_json::from_str(body).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => "not a JSON object",
        _ => "not JSON",
    })
}

/// Bytes as text: what is not UTF-8 is replaced.
pub(crate) fn decode(body: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(body) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(body),
    }
}

/// Without a byte order mark and white space around it.
pub(crate) fn trim(body: &str) -> &str {
    let body = body.trim();
    body.strip_prefix('\u{feff}').unwrap_or(body).trim_start()
}

#[cfg(test)]
mod tests {
    use super::*;

    skim! { Some { a: "a", b: "bB" } }

    fn read(json: &str) -> Some<'_> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn wanted_members_are_found_among_others_and_the_last_wins() {
        let found = read(r#"{"x":{"a":1},"a":"one","bB":[1,"two"],"a":"last"}"#);
        assert_eq!(found.a.text().as_deref(), Option::Some("last"));
        assert_eq!(found.b.items().len(), 2);
        assert_eq!(found.b.items()[1].text().as_deref(), Option::Some("two"));
    }

    #[test]
    fn a_member_of_another_type_is_absent_and_the_rest_is_there() {
        for other in ["null", "1", "true", "[]", "{}", "\"\"", "1e999", "[[[]]]"] {
            let json = format!(r#"{{"a":{other},"bB":true}}"#);
            let found = read(&json);
            assert!(found.a.text().is_none(), "{other}");
            assert!(!found.a.object::<Some>().b.is_true());
            assert!(found.b.is_true(), "{other}");
        }
    }

    #[test]
    fn half_a_surrogate_pair_is_replaced() {
        let found = read(r#"{"a":"cut \ud83d","bB":"\u00e9\ud83d\ude00"}"#);
        assert!(found.a.text().unwrap().starts_with("cut \u{fffd}"));
        assert_eq!(found.b.text().as_deref(), Option::Some("é😀"));
    }

    #[test]
    fn nesting_without_end_is_skipped() {
        let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
        let json = format!(r#"{{"x":{deep},"a":{deep},"bB":true}}"#);
        let found = read(&json);
        assert!(found.b.is_true());
        assert!(found.a.text().is_none());
        assert_eq!(found.a.items().len(), 1);
    }

    #[test]
    fn a_list_is_bounded() {
        let json = format!(r#"{{"a":[{}1]}}"#, "1,".repeat(10_000));
        assert_eq!(read(&json).a.items().len(), ITEMS);
    }

    #[test]
    fn an_object_of_more_members_than_wanted_is_none() {
        assert_eq!(values(br#"{"a":1,"b":[2]}"#, 2), Option::Some(vec![5..6, 11..14]));
        assert_eq!(values(br#"{"a":1,"b":[2]}"#, 1), None);
        assert_eq!(values(b"{}", 0), Option::Some(vec![]));
    }

    #[test]
    fn a_mark_and_white_space_around_are_no_content() {
        assert_eq!(trim("\u{feff} {}\n"), "{}");
        assert_eq!(trim(" \u{feff}\n"), "");
        assert_eq!(decode(b"a\xffb"), "a\u{fffd}b");
    }
}
