//! A moment as it is stored: a number, which takes a tenth of the time that its text takes to write
//! and to read. Text is read too: the first formats of the store had it. For `serde(with)`.

use super::UnixMs;
use serde::{Deserializer, Serialize, Serializer, de};
use std::fmt;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over like this")]
pub(crate) fn serialize<S: Serializer>(moment: &UnixMs, to: S) -> Result<S::Ok, S::Error> {
    moment.0.serialize(to)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<UnixMs, D::Error> {
    from.deserialize_any(Read)
}

/// The same of one that may be missing.
pub(crate) mod option {
    use super::UnixMs;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    struct Moment(#[serde(with = "super")] UnixMs);

    #[expect(clippy::ref_option, reason = "serde hands it over like this")]
    pub(crate) fn serialize<S: Serializer>(
        moment: &Option<UnixMs>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        moment.map(|moment| moment.0).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<UnixMs>, D::Error> {
        let moment = Option::<Moment>::deserialize(from)?;
        Ok(moment.map(|moment| moment.0))
    }
}

struct Read;

impl de::Visitor<'_> for Read {
    type Value = UnixMs;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("milliseconds since the Unix epoch, or an RFC 3339 time")
    }

    fn visit_i64<E: de::Error>(self, ms: i64) -> Result<UnixMs, E> {
        Ok(UnixMs(ms))
    }

    fn visit_u64<E: de::Error>(self, ms: u64) -> Result<UnixMs, E> {
        i64::try_from(ms).map(UnixMs).map_err(E::custom)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<UnixMs, E> {
        super::Read.visit_str(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Kept {
        #[serde(with = "super")]
        at: UnixMs,
        #[serde(default, with = "super::option", skip_serializing_if = "Option::is_none")]
        seen: Option<UnixMs>,
    }

    #[test]
    fn a_moment_is_kept_as_a_number_and_read_as_a_number_or_as_text() {
        let at = UnixMs(1_795_296_597_200);
        for seen in [None, Some(UnixMs(-1))] {
            let kept = serde_json::to_string(&Kept { at, seen }).unwrap();
            assert!(kept.starts_with(r#"{"at":1795296597200"#), "{kept}");
            assert_eq!(serde_json::from_str::<Kept>(&kept).unwrap(), Kept { at, seen });
        }
        let text = r#"{"at":"2026-11-21T21:29:57.200Z","seen":"2026-11-21T21:29:57.200Z"}"#;
        assert_eq!(serde_json::from_str::<Kept>(text).unwrap(), Kept { at, seen: Some(at) });
        for strange in ["true", "1.5", "\"soon\"", "18446744073709551615", "null", "{}"] {
            let json = format!("{{\"at\":{strange}}}");
            assert!(serde_json::from_str::<Kept>(&json).is_err(), "{strange}");
        }
    }
}
