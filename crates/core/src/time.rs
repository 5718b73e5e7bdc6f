//! Points in time as the hub writes them.

mod digits;
pub(crate) mod stored;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// Milliseconds since the Unix epoch. On the wire: RFC 3339 UTC with milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(value_type = String, format = DateTime))]
pub struct UnixMs(pub i64);

const PRINTER: jiff::fmt::temporal::DateTimePrinter =
    jiff::fmt::temporal::DateTimePrinter::new().precision(Some(3));

impl UnixMs {
    /// This moment `ms` milliseconds later.
    #[must_use]
    pub fn plus(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Milliseconds from `earlier` to this moment; negative if it is later.
    pub fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    fn timestamp(self) -> jiff::Timestamp {
        let (min, max) = (jiff::Timestamp::MIN, jiff::Timestamp::MAX);
        let ms = self.0.clamp(min.as_millisecond() + 1, max.as_millisecond());
        jiff::Timestamp::from_millisecond(ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
    }

    /// Reads RFC 3339 text; `None` if it is not a moment with an offset.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(ms) = digits::read(text.as_bytes()) {
            return Some(Self(ms));
        }
        // The end of the year 9999, which people write for no end, lies behind the library's last moment.
        if let Some(second) = text.strip_suffix('Z')
            && let Some(ms) = digits::read(format!("{second}.000Z").as_bytes())
        {
            return Some(Self(ms));
        }
        let stamp: jiff::Timestamp = text.parse().ok()?;
        Some(Self(stamp.as_millisecond()))
    }
}

impl fmt::Display for UnixMs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut buffer = [0; digits::LENGTH];
        if let Some(text) = digits::write(self.0, &mut buffer) {
            return f.write_str(text);
        }
        let mut text = String::with_capacity(24);
        PRINTER.print_timestamp(&self.timestamp(), &mut text).map_err(|_| fmt::Error)?;
        f.write_str(&text)
    }
}

impl Serialize for UnixMs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut buffer = [0; digits::LENGTH];
        match digits::write(self.0, &mut buffer) {
            Some(text) => serializer.serialize_str(text),
            None => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for UnixMs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Read)
    }
}

struct Read;

impl de::Visitor<'_> for Read {
    type Value = UnixMs;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an RFC 3339 time")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<UnixMs, E> {
        UnixMs::parse(text).ok_or_else(|| E::custom("not an RFC 3339 time"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_with_milliseconds_and_read_back() {
        let moment = UnixMs(1_795_296_597_200);
        assert_eq!(moment.to_string(), "2026-11-21T21:29:57.200Z");
        assert_eq!(UnixMs::parse("2026-11-21T22:29:57.2+01:00"), Some(moment));
        assert_eq!(UnixMs::parse("2026-11-21T21:29:57Z"), Some(UnixMs(1_795_296_597_000)));
        let last = UnixMs::parse("9999-12-31T23:59:59Z").unwrap();
        assert_eq!(last.to_string(), "9999-12-31T23:59:59.000Z");
        for text in ["yesterday", "Z", "2026-13-21T21:29:57Z", "2026-11-21T21:29:57.200"] {
            assert_eq!(UnixMs::parse(text), None, "{text}");
        }
        let json = serde_json::to_string(&moment).unwrap();
        assert_eq!(serde_json::from_str::<UnixMs>(&json).unwrap(), moment);
    }
}
