//! What was said of a seat lately, and what was not believed: for `explain` alone.
//!
//! It is as much as all the rest of a seat, and hardly ever looked at. So it is stored beside the
//! seat and not with it, and an agent at rest has none in memory.

use crate::source::Source;
use crate::time::{UnixMs, stored};
use crate::word::Word;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::VecDeque;

/// How many statements and rejections are kept.
const TRAIL: usize = 12;
const REJECTED: usize = 20;

/// Both oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// What was said of the turn.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub trail: VecDeque<Statement>,
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub rejected: VecDeque<Rejection>,
    /// The store does not have all of it.
    #[serde(skip)]
    pub unsaved: bool,
}

impl History {
    pub(crate) fn remember(&mut self, statement: Statement) {
        self.unsaved = true;
        if self.trail.len() == TRAIL {
            self.trail.pop_front();
        }
        self.trail.push_back(statement);
    }

    /// Whoever decided until now is overtaken.
    pub(crate) fn supersede(&mut self, why: &Word) {
        self.supersede_each(|_| why.clone());
    }

    /// The same, for a reason of its own each.
    pub(crate) fn supersede_each(&mut self, why: impl Fn(&Statement) -> Word) {
        self.unsaved = true;
        for said in self.trail.iter_mut().filter(|said| said.lost.is_none()) {
            said.lost = Some(why(said));
        }
    }

    /// Keeps why something was not believed; the oldest goes first.
    pub fn reject(&mut self, rejection: Rejection) {
        self.unsaved = true;
        if self.rejected.len() == REJECTED {
            self.rejected.pop_front();
        }
        self.rejected.push_back(rejection);
    }

    /// Was this the last that was not believed? Then only its time is another one.
    pub(crate) fn still_rejects(&mut self, rejection: &Rejection) -> bool {
        let Some(last) = self.rejected.back_mut() else { return false };
        let is_same = Rejection { at: rejection.at, ..last.clone() } == *rejection;
        if is_same {
            last.at = rejection.at;
            self.unsaved = true;
        }
        is_same
    }
}

/// Something a source said of the turn, and what became of it. Stored as a list of these fields,
/// and read as that or as an object, which it once was: do not change their order.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Statement {
    pub source: Source,
    pub event: Word,
    pub value: Word,
    #[serde(with = "stored")]
    pub at: UnixMs,
    /// Why it did not decide; `None` while it is the one that does.
    pub lost: Option<Word>,
}

impl Serialize for Statement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { source, event, value, at, lost } = self;
        (source, event, value, at.0, lost).serialize(serializer)
    }
}

/// Stored as a [`Statement`] is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Rejection {
    #[serde(with = "stored")]
    pub at: UnixMs,
    pub source: Source,
    pub event: Word,
    pub rule: Word,
    pub why: Word,
}

impl Serialize for Rejection {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { at, source, event, rule, why } = self;
        (at.0, source, event, rule, why).serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const AT: UnixMs = UnixMs(1_795_296_597_200);

    fn history() -> History {
        let mut history = History::default();
        for value in ["working(tool)", "idle"] {
            let (source, event) = (Source::Hook, "PreToolUse".into());
            history.supersede(&"superseded by the later Stop".into());
            history.remember(Statement { source, event, value: value.into(), at: AT, lost: None });
        }
        let (event, rule) = ("Stop".into(), "G1".into());
        let why = "of another session".into();
        history.reject(Rejection { at: AT, source: Source::Hook, event, rule, why });
        history
    }

    #[test]
    fn what_is_written_is_read() {
        let history = history();
        let stored = serde_json::to_string(&history).unwrap();
        assert!(stored.contains(r#"["hook","PreToolUse","idle",1795296597200,null]"#));
        let read: History = serde_json::from_str(&stored).unwrap();
        assert_eq!(read, History { unsaved: false, ..history });
        assert_eq!(serde_json::from_str::<History>("{}").unwrap(), History::default());
    }

    /// As the first versions wrote it.
    #[test]
    fn statements_that_were_stored_as_objects_are_read() {
        let at = "2026-11-21T21:29:57.200Z";
        let told = |value: &str, lost: Option<&str>| json!({"source": "hook", "event": "PreToolUse", "value": value, "at": at, "lost": lost});
        let stored = json!({
            "trail": [told("working(tool)", Some("superseded by the later Stop")), told("idle", None)],
            "rejected": [{"at": at, "source": "hook", "event": "Stop", "rule": "G1", "why": "of another session"}],
        });
        let read: History = serde_json::from_value(stored).unwrap();
        assert_eq!(read, History { unsaved: false, ..history() });
    }
}
