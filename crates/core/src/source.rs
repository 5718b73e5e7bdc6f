//! Who can bear witness, and how far each is believed.

use crate::time::{UnixMs, stored};
use serde::{Deserialize, Serialize, Serializer};
use thin_vec::ThinVec;

/// A witness. It emits facts and decides nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The operating system: pid with start time, wait status, cgroup.
    Process,
    /// A container engine.
    Container,
    /// The program's own status in the terminal stream (OSC 7501).
    ProgramStatus,
    /// A status file the program keeps about itself.
    Registry,
    /// The program's own server protocol.
    AppServer,
    /// The program's own event stream or bus.
    EventStream,
    /// The Agent Client Protocol, read by a proxy.
    Acp,
    /// A command the program runs at its events.
    Hook,
    /// Our code inside the program.
    Plugin,
    /// The agent's or a person's own word, by CLI, HTTP or MCP.
    Report,
    /// The program's log of its conversation.
    Transcript,
    /// The terminal title.
    Title,
    /// A versioned rule over visible terminal text.
    Screen,
    /// The passing of time without evidence. It can age a status, never author one.
    Quiet,
}

/// Sources of one tier are equals; a higher tier outranks a lower one while it is fresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    Quiet,
    Screen,
    Title,
    Transcript,
    Edge,
    Own,
    Process,
}

/// How sure a value is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    #[default]
    None,
    Weak,
    Strong,
    Authoritative,
}

impl Source {
    pub fn tier(self) -> Tier {
        match self {
            Self::Process | Self::Container => Tier::Process,
            Self::ProgramStatus
            | Self::Registry
            | Self::AppServer
            | Self::EventStream
            | Self::Acp => Tier::Own,
            Self::Hook | Self::Plugin | Self::Report => Tier::Edge,
            Self::Transcript => Tier::Transcript,
            Self::Title => Tier::Title,
            Self::Screen => Tier::Screen,
            Self::Quiet => Tier::Quiet,
        }
    }

    pub fn confidence(self) -> Confidence {
        match self.tier() {
            Tier::Process | Tier::Own => Confidence::Authoritative,
            Tier::Edge | Tier::Transcript => Confidence::Strong,
            Tier::Title | Tier::Screen => Confidence::Weak,
            Tier::Quiet => Confidence::None,
        }
    }

    /// The word used on the wire and on screens.
    pub fn word(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Container => "container",
            Self::ProgramStatus => "program_status",
            Self::Registry => "registry",
            Self::AppServer => "app_server",
            Self::EventStream => "event_stream",
            Self::Acp => "acp",
            Self::Hook => "hook",
            Self::Plugin => "plugin",
            Self::Report => "report",
            Self::Transcript => "transcript",
            Self::Title => "title",
            Self::Screen => "screen",
            Self::Quiet => "quiet",
        }
    }
}

/// Who says a dimension's value, how sure, since when. Stored as a list of these fields, and read as
/// that or as an object, which it once was: do not change their order. Each seat holds two of them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Evidence {
    pub source: Source,
    pub confidence: Confidence,
    /// When this value was first said.
    #[serde(with = "stored")]
    pub observed_at: UnixMs,
    /// When it was last said again, by any source that may.
    #[serde(with = "stored")]
    pub confirmed_at: UnixMs,
    #[serde(default)]
    pub notes: ThinVec<String>,
}

impl Serialize for Evidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { source, confidence, observed_at, confirmed_at, notes } = self;
        let first = (source, confidence, observed_at.0, confirmed_at.0);
        match &notes[..] {
            [] => first.serialize(serializer),
            notes => (first.0, first.1, first.2, first.3, notes).serialize(serializer),
        }
    }
}

impl Evidence {
    pub fn new(source: Source, at: UnixMs) -> Self {
        let confidence = source.confidence();
        Self { source, confidence, observed_at: at, confirmed_at: at, notes: ThinVec::new() }
    }

    /// The same, not as sure as the source allows.
    #[must_use]
    pub fn at_most(mut self, confidence: Confidence) -> Self {
        self.confidence = self.confidence.min(confidence);
        self
    }

    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn evidence_is_stored_as_a_list_and_read_as_that_or_as_an_object() {
        let (at, later) = (1_795_296_597_200_i64, 1_795_296_598_300_i64);
        let short =
            Evidence { confirmed_at: UnixMs(later), ..Evidence::new(Source::Hook, UnixMs(at)) };
        let noted = short.clone().note("why");
        let list = json!(["hook", "strong", at, later]);
        assert_eq!(serde_json::to_value(&short).unwrap(), list);
        let object = json!({"source": "hook", "confidence": "strong",
            "observed_at": at, "confirmed_at": "2026-11-21T21:29:58.300Z"});
        for stored in [list, object] {
            assert_eq!(serde_json::from_value::<Evidence>(stored).unwrap(), short);
        }
        let stored = serde_json::to_string(&noted).unwrap();
        assert_eq!(serde_json::from_str::<Evidence>(&stored).unwrap(), noted);
    }
}
