//! A body that is JSON; and plain words for one that is not what it should be.

mod words;

use super::Refused;
use crate::body::check_depth;
use serde::de::{DeserializeOwned, IgnoredAny};

/// What a body says.
///
/// # Errors
/// It is no JSON, or says something else than it should: with the name of the member, and what is taken there.
pub(super) fn read<T: DeserializeOwned>(text: &[u8]) -> Result<T, Refused> {
    // A list would pass for the members in their order.
    if !text.trim_ascii_start().starts_with(b"{") {
        return Err(Refused::new(400, "bad_json", "the body is a JSON object"));
    }
    check_depth(text)?;
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

#[cfg(test)]
mod tests;
