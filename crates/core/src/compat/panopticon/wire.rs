//! What goes over the wire.

use super::Activity;
use crate::compat::Scale as _;
use crate::id::AgentId;
use crate::time::UnixMs;
use crate::timeline::Entry;
use crate::wire::SCHEMA;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// The body of `POST /api/agents/{id}/heartbeat`. What it does not name is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(try_from = "SpelledHeartbeat")]
pub struct HeartbeatBody {
    /// `active`, `idle`, `suspended` or `uninitialized`.
    pub state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// When the reporter says it happened. Also `ts`, as an entry has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<UnixMs>,
    /// What it did: the entry's action. Also `action`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// A member by its own name, or else by the other one: where that does not count it may be anything. `wanted`: what is
/// said of another one that is wrong, with its name, as nothing else leads to it.
fn spelled<T: DeserializeOwned>(
    own: Option<T>,
    other: Option<Value>,
    wanted: &str,
) -> Result<Option<T>, serde_json::Error> {
    match (own, other) {
        (None, Some(other)) => {
            let read = serde_json::from_value(other).map(Some);
            read.map_err(|_| serde_json::Error::custom(wanted))
        }
        (own, _) => Ok(own),
    }
}

/// A heartbeat as it comes: each member by both of its names, also at once.
#[derive(Deserialize)]
struct SpelledHeartbeat {
    state: String,
    #[serde(default)]
    tool: Option<String>,
    #[serde(default)]
    timestamp: Option<UnixMs>,
    #[serde(default)]
    ts: Option<Value>,
    #[serde(default)]
    summary: Option<String>,
    #[serde(default)]
    action: Option<Value>,
}

impl TryFrom<SpelledHeartbeat> for HeartbeatBody {
    type Error = serde_json::Error;

    /// The names of a heartbeat go before those of an entry.
    fn try_from(said: SpelledHeartbeat) -> Result<Self, Self::Error> {
        let SpelledHeartbeat { state, tool, timestamp, ts, summary, action } = said;
        let timestamp = spelled(timestamp, ts, "\"ts\" is an RFC 3339 time")?;
        let summary = spelled(summary, action, "\"action\" is a string")?;
        Ok(Self { state, tool, timestamp, summary })
    }
}

/// The body of `POST /api/agents/{id}/resume`. What it does not name is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TakeUpBody {
    /// The agent's first prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The body of `POST /api/specialists/{name}/report-status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReportStatusBody {
    #[serde(rename = "issueId")]
    pub issue_id: String,
    /// `passed`, `blocked`, `failed` or `in-progress`.
    pub status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// What an agent is and did lately.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ActivityDoc {
    pub schema: u32,
    pub agent_id: AgentId,
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub state: Cow<'static, str>,
    /// Oldest first.
    pub activity: Vec<ActivityEntry>,
    /// The same, by the name that our own route has for it.
    pub entries: Vec<ActivityEntry>,
}

impl ActivityDoc {
    /// `entries`: oldest first.
    pub fn new(agent_id: AgentId, state: Activity, entries: Vec<ActivityEntry>) -> Self {
        let state = state.word().into();
        Self { schema: SCHEMA, agent_id, state, activity: entries.clone(), entries }
    }
}

/// One thing that it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(try_from = "SpelledEntry")]
pub struct ActivityEntry {
    /// Also read as `timestamp`.
    pub ts: UnixMs,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub action: Option<String>,
    /// What it was after that.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub state: Cow<'static, str>,
}

/// An entry as it comes: its time by both names, also at once.
#[derive(Deserialize)]
struct SpelledEntry {
    #[serde(default)]
    ts: Option<UnixMs>,
    #[serde(default)]
    timestamp: Option<Value>,
    #[serde(default)]
    tool: Option<String>,
    #[serde(default)]
    action: Option<String>,
    state: Cow<'static, str>,
}

impl TryFrom<SpelledEntry> for ActivityEntry {
    type Error = serde_json::Error;

    /// An entry's own name goes before that of a heartbeat.
    fn try_from(said: SpelledEntry) -> Result<Self, Self::Error> {
        let SpelledEntry { ts, timestamp, tool, action, state } = said;
        let ts = spelled(ts, timestamp, "\"timestamp\" is an RFC 3339 time")?;
        let ts = ts.ok_or_else(|| serde_json::Error::missing_field("ts"))?;
        Ok(Self { ts, tool, action, state })
    }
}

impl From<Entry> for ActivityEntry {
    /// An entry holds one word.
    fn from(entry: Entry) -> Self {
        let state = match &*entry.state {
            "idle" => Activity::Idle,
            "suspended" => Activity::Suspended,
            "none" => Activity::Uninitialized,
            _ => Activity::Active,
        };
        let Entry { ts, tool, action, .. } = entry;
        let tool = tool.map(|tool| tool.to_string());
        Self { ts, tool, action, state: state.word().into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_entry_says_what_the_agent_was_after_it() {
        for (state, said) in [
            ("working", "active"),
            ("blocked", "active"),
            ("idle", "idle"),
            ("suspended", "suspended"),
            ("none", "uninitialized"),
        ] {
            let entry = Entry { ts: UnixMs(0), tool: None, action: None, state: state.into() };
            assert_eq!(ActivityEntry::from(entry).state, said);
        }
    }

    #[test]
    fn an_entry_is_read_in_both_forms_and_written_in_one() {
        let at = "2026-11-21T21:29:57.200Z";
        for name in ["ts", "timestamp"] {
            let entry = json!({name: at, "tool": "Bash", "state": "active"});
            let read: ActivityEntry = serde_json::from_value(entry).unwrap();
            let written = json!({"ts": at, "tool": "Bash", "state": "active"});
            assert_eq!(serde_json::to_value(&read).unwrap(), written);
        }
        let at_both = json!({"ts": at, "timestamp": "2020-01-01T00:00:00Z", "state": "active"});
        let read: ActivityEntry = serde_json::from_value(at_both).unwrap();
        assert_eq!(Some(read.ts), UnixMs::parse(at));
        let timeless = serde_json::from_value::<ActivityEntry>(json!({"state": "active"}));
        assert!(timeless.unwrap_err().to_string().contains("`ts`"));
        let by = |ts: Value, timestamp: &str| {
            let said = json!({"ts": ts, "timestamp": timestamp, "state": "active"});
            serde_json::from_value::<ActivityEntry>(said)
        };
        assert_eq!(Some(by(json!(at), "yesterday").unwrap().ts), UnixMs::parse(at));
        assert!(by(Value::Null, "yesterday").unwrap_err().to_string().contains("3339"));
        // An entry can be handed back as a heartbeat.
        let entry = json!({"ts": at, "action": "ran the tests", "state": "idle"});
        let heartbeat: HeartbeatBody = serde_json::from_value(entry).unwrap();
        assert_eq!(heartbeat.summary.as_deref(), Some("ran the tests"));
        assert_eq!(heartbeat.timestamp, UnixMs::parse(at));
    }

    #[test]
    fn a_heartbeat_may_have_both_spellings_and_its_own_one_counts() {
        let (at, other) = ("2026-11-21T21:29:57.200Z", "2020-01-01T00:00:00Z");
        let said = json!({"state": "active", "ts": other, "timestamp": at, "action": "other",
            "summary": "ran the tests"});
        let heartbeat: HeartbeatBody = serde_json::from_value(said).unwrap();
        let written = json!({"state": "active", "timestamp": at, "summary": "ran the tests"});
        assert_eq!(serde_json::to_value(&heartbeat).unwrap(), written);
        // What does not count may be anything; alone it is read.
        let said = |other: Value| {
            let mut said = json!({"state": "active", "timestamp": at, "summary": "ran the tests"});
            said.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
            serde_json::from_value::<HeartbeatBody>(said)
        };
        assert_eq!(said(json!({"ts": "yesterday", "action": {}})).unwrap(), heartbeat);
        let alone = said(json!({"timestamp": null, "ts": other, "summary": null, "action": "x"}));
        let alone = alone.unwrap();
        assert_eq!(alone.timestamp, UnixMs::parse(other));
        assert_eq!(alone.summary.as_deref(), Some("x"));
        for bad in [
            json!({"timestamp": null, "ts": "yesterday"}),
            json!({"summary": null, "action": {}}),
            json!({"timestamp": "yesterday", "ts": at}),
        ] {
            assert!(said(bad.clone()).is_err(), "{bad}");
        }
        let twice = r#"{"state": "active", "summary": "one", "summary": "two"}"#;
        assert!(serde_json::from_str::<HeartbeatBody>(twice).is_err());
    }
}
