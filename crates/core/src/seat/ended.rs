//! Turns that have ended, by the names that their programs gave them.

use crate::time::{UnixMs, stored};
use serde::{Deserialize, Serialize};

/// So many turns before the last one are kept.
const BEFORE: usize = 4;

/// The last turn that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedTurn {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Those before it, the latest at the end: none of them is taken up again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    #[serde(with = "stored")]
    pub at: UnixMs,
}

impl EndedTurn {
    /// A turn ends `at` a time, after the one that ended last.
    pub(crate) fn after(last: Option<Self>, reference: Option<String>, at: UnixMs) -> Self {
        let (mut before, last) = last.map_or_else(Default::default, |last| {
            let Self { reference, before, .. } = last;
            (before, reference)
        });
        before.extend(last);
        before.retain(|name| reference.as_ref() != Some(name));
        let surplus = before.len().saturating_sub(BEFORE);
        before.drain(..surplus);
        Self { reference, before, at }
    }
}
