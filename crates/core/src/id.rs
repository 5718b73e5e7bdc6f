//! Identifiers: of agents, and of the processes that sit in their seats.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::num::NonZeroU32;
use std::sync::Arc;

/// The stable id of a seat in the roster: 1 to 128 of `A-Z a-z 0-9 . _ -`. Its copies share the text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(value_type = String, pattern = "^[A-Za-z0-9._-]{1,128}$"))]
pub struct AgentId(Arc<str>);

/// Why a text is not an agent id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an agent id is 1 to 128 of A-Z a-z 0-9 . _ -")]
pub struct BadAgentId;

impl AgentId {
    /// Checks `text` against the grammar. `.` and `..` are refused: they are file names.
    pub fn new(text: impl AsRef<str>) -> Result<Self, BadAgentId> {
        let text = text.as_ref();
        let legal = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
        let fits = (1..=128).contains(&text.len());
        if fits && text.bytes().all(legal) && text != "." && text != ".." {
            Ok(Self(text.into()))
        } else {
            Err(BadAgentId)
        }
    }

    /// The nearest legal id to any text, for ids derived from folders; never empty.
    pub fn slug(text: &str) -> Self {
        let mut slug = String::with_capacity(text.len().min(64));
        for c in text.chars().take(64) {
            match c {
                c if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') => slug.push(c),
                _ if slug.ends_with('-') => {}
                _ => slug.push('-'),
            }
        }
        let trimmed = slug.trim_matches(['-', '.']);
        Self(if trimmed.is_empty() { "agent".into() } else { trimmed.into() })
    }

    /// The same, for text that is an id already but may have grown too long.
    pub(crate) fn slug_keeping(text: &str) -> Self {
        Self::new(text).unwrap_or_else(|_| Self::slug(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for AgentId {
    type Error = BadAgentId;
    fn try_from(text: String) -> Result<Self, BadAgentId> {
        Self::new(text)
    }
}

impl From<AgentId> for String {
    fn from(id: AgentId) -> Self {
        id.as_str().to_owned()
    }
}

impl Serialize for AgentId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for AgentId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl de::Visitor<'_> for Read {
            type Value = AgentId;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an agent id")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<AgentId, E> {
                AgentId::new(text).map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Read)
    }
}

impl std::borrow::Borrow<str> for AgentId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// One operating-system process. A pid alone is reused; only with its pid namespace and the
/// kernel's start ticks does it name one process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProcessId {
    pub pid: u32,
    /// Start time in clock ticks after boot (`/proc/PID/stat`, field 22).
    pub start_ticks: u64,
    /// Inode of the pid namespace; `None` where it is the hub's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid_namespace: Option<u64>,
    /// The pid under which the hub sees a process of another namespace, if it does. It says where
    /// to look and is no part of the identity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_pid: Option<NonZeroU32>,
}

impl ProcessId {
    /// A process in the hub's own pid namespace.
    pub fn new(pid: u32, start_ticks: u64) -> Self {
        Self { pid, start_ticks, pid_namespace: None, host_pid: None }
    }

    /// The pid under which the hub sees it; `None` where it cannot see it.
    pub fn pid_here(&self) -> Option<u32> {
        match self.pid_namespace {
            None => Some(self.pid),
            Some(_) => self.host_pid.map(NonZeroU32::get),
        }
    }

    fn identity(&self) -> (u32, u64, Option<u64>) {
        (self.pid, self.start_ticks, self.pid_namespace)
    }
}

impl PartialEq for ProcessId {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for ProcessId {}

impl Hash for ProcessId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_grammar_is_an_agent_id() {
        for good in ["api", "claude-code-api-2", "a.b_c-9", "x.1", "-"] {
            assert!(AgentId::new(good).is_ok(), "{good}");
        }
        let long = "x".repeat(129);
        for bad in ["", ".", "..", "../x", "a/b", "a b", "a\\b", "a%2e", "é", "a:b", &long] {
            assert!(AgentId::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_slug_is_always_an_agent_id() {
        for (text, slug) in [("my api", "my-api"), ("..", "agent"), ("", "agent"), ("à la", "la")]
        {
            assert_eq!(AgentId::slug(text).as_str(), slug);
            assert!(AgentId::new(AgentId::slug(text).as_str()).is_ok());
        }
    }
}
