//! What goes over the wire.

use super::Activity;
use crate::compat::Scale as _;
use crate::id::AgentId;
use crate::time::UnixMs;
use crate::timeline::Entry;
use crate::wire::SCHEMA;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The body of `POST /api/agents/{id}/heartbeat`. What it does not name is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct HeartbeatBody {
    /// `active`, `idle`, `suspended` or `uninitialized`.
    pub state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// When the reporter says it happened. Also `ts`, as an entry has it.
    #[serde(default, alias = "ts", skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<UnixMs>,
    /// What it did: the entry's action. Also `action`.
    #[serde(default, alias = "action", skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
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
pub struct ActivityEntry {
    /// Also read as `timestamp`.
    #[serde(alias = "timestamp")]
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
        // An entry can be handed back as a heartbeat.
        let entry = json!({"ts": at, "action": "ran the tests", "state": "idle"});
        let heartbeat: HeartbeatBody = serde_json::from_value(entry).unwrap();
        assert_eq!(heartbeat.summary.as_deref(), Some("ran the tests"));
        assert_eq!(heartbeat.timestamp, UnixMs::parse(at));
    }
}
