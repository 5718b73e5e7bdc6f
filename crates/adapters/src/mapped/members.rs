//! A payload whose members are known by name at run time alone.

use crate::json::{Raw, Text};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// How many members of an object are looked at.
const MOST: usize = 128;

/// The members of an object, unread. The last of two wins.
#[derive(Clone, Debug, Default)]
pub(super) struct Members<'a>(Vec<(Cow<'a, str>, Raw<'a>)>);

impl<'a> Members<'a> {
    /// The first of these paths at which something stands.
    pub(super) fn first(&self, paths: &[String]) -> Raw<'a> {
        let found = paths.iter().map(|path| self.at(path)).find(|raw| raw.json().is_some());
        found.unwrap_or_default()
    }

    /// What stands at a path.
    pub(super) fn at(&self, path: &str) -> Raw<'a> {
        let mut steps = path.split('.');
        let first = self.member(steps.next().unwrap_or_default());
        steps.fold(first, |raw, step| match step.parse::<usize>() {
            Ok(index) => raw.items().get(index).copied().unwrap_or_default(),
            Err(_) => raw.object::<Members<'a>>().member(step),
        })
    }

    fn member(&self, name: &str) -> Raw<'a> {
        let found = self.0.iter().rev().find(|(key, _)| key == name);
        found.map_or_else(Raw::default, |(_, raw)| *raw)
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut found = Vec::new();
                while let Some(Text(key)) = map.next_key()? {
                    if found.len() < MOST {
                        found.push((key, map.next_value()?));
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(Members(found))
            }
        }
        from.deserialize_map(Read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Members<'_> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_path_leads_through_objects_and_lists_and_the_last_of_two_wins() {
        let found = read(r#"{"a":{"b":[1,{"c":"x"}]},"d":"old","d":"new"}"#);
        assert_eq!(found.at("a.b.1.c").text().as_deref(), Some("x"));
        assert_eq!(found.at("d").text().as_deref(), Some("new"));
        for none in ["", "a.c", "a.b.7", "d.0", "a.b.1.c.d", "e"] {
            assert!(found.at(none).json().is_none(), "{none}");
        }
    }

    #[test]
    fn of_several_paths_the_first_that_leads_somewhere_counts() {
        let found = read(r#"{"a":null,"b":"x"}"#);
        let paths = ["a", "b"].map(str::to_owned);
        assert_eq!(found.first(&paths).text().as_deref(), Some("x"));
        assert!(found.first(&[]).json().is_none());
    }
}
