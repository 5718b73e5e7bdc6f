//! A body that is JSON; and plain words for one that is not what it should be.

mod words;

use super::Refused;
use crate::body::{check_depth, unmarked};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::marker::PhantomData;

/// What a body says.
///
/// # Errors
/// It is no JSON, or says something else than it should: with the name of the member, and what is taken there.
pub(super) fn read<T: DeserializeOwned>(text: &[u8]) -> Result<T, Refused> {
    let text = unmarked(text);
    check_depth(text)?;
    // A list would pass for the members in their order.
    if !text.trim_ascii_start().starts_with(b"{") {
        return Err(Refused::new(400, "bad_json", "the body is a JSON object"));
    }
    serde_json::from_slice(text).map_err(|error| {
        // Where it stands is looked for only now: most bodies are right.
        let again = &mut serde_json::Deserializer::from_slice(text);
        let path = serde_path_to_error::deserialize::<_, T>(again).err();
        let path = path.map(|error| error.path().to_string()).unwrap_or_default();
        let is_json = serde_json::from_slice::<IgnoredAny>(text).is_ok();
        let said = words::of(&error, &path, is_json);
        Refused::new(400, "bad_json", said.detail).with(|problem| problem.allowed = said.allowed)
    })
}

/// A value in a body whose members have their names: a list would pass for them in their order.
pub(super) fn by_names<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<T, D::Error> {
    from.deserialize_map(Members(PhantomData))
}

struct Members<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(members))
    }
}

#[cfg(test)]
mod tests;
