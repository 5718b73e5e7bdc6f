//! What sources of levels show.

use super::Seat;
use crate::source::{Source, Tier};
use crate::time::{UnixMs, stored};
use serde::{Deserialize, Serialize};

/// The latest level one source has shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    pub source: Source,
    pub word: String,
    /// Since when it has been showing it.
    #[serde(with = "stored")]
    pub since: UnixMs,
    #[serde(with = "stored")]
    pub confirmed_at: UnixMs,
}

impl Seat {
    /// Has any source of edges (hooks, plugins, reports) borne witness in this incarnation?
    pub fn has_edge_witness(&self) -> bool {
        self.last_edge_at.is_some()
    }

    /// A source of the given tier that still shows `word` and was confirmed since `earliest`.
    pub fn fresh_claim(&self, tier: Tier, earliest: UnixMs) -> Option<&Claim> {
        let fresh = |claim: &&Claim| claim.confirmed_at >= earliest && claim.source.tier() == tier;
        self.claims.iter().filter(fresh).max_by_key(|claim| claim.since)
    }
}
