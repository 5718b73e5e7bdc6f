//! Turns that have ended, by the names that their programs gave them; and processes, by their word alone.

use super::{ProcessFacts, Seat};
use crate::source::Source;
use crate::status::{ExitKind, Process};
use crate::time::{UnixMs, stored};
use serde::{Deserialize, Serialize};

/// So many turns before the last one are known again.
const BEFORE: usize = 32;

/// The last turn that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedTurn {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Digests of the names before it, the latest at the end: none of these turns is taken up again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<u32>,
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
        before.extend(last.as_deref().map(digest));
        let own = reference.as_deref().map(digest);
        before.retain(|name| own != Some(*name));
        let surplus = before.len().saturating_sub(BEFORE);
        before.drain(..surplus);
        Self { reference, before, at }
    }

    /// Did the turn of this name end before it?
    pub(crate) fn follows(&self, reference: &str) -> bool {
        self.before.contains(&digest(reference))
    }
}

impl Seat {
    /// Has nothing but a goodbye said that its process is over?
    pub fn is_over_by_word(&self) -> bool {
        let ProcessFacts { state, evidence, id, .. } = &self.process;
        let is_clean = matches!(state, Process::Exited(exit) if exit.kind == ExitKind::Clean);
        let is_told = matches!(evidence.source, Source::Hook | Source::Plugin);
        is_clean && is_told && id.is_some()
    }
}

/// FNV-1a.
fn digest(name: &str) -> u32 {
    let step = |digest: u32, byte: u8| (digest ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    name.bytes().fold(0x811c_9dc5, step)
}
