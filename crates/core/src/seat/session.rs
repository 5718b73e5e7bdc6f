//! The conversations of a seat: the one that it is in, and those that it has left.

use crate::time::{UnixMs, stored};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub id: String,
    #[serde(with = "stored")]
    pub since: UnixMs,
    /// Its start was witnessed, not only inferred from a later fact.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub start_seen: bool,
    /// It was told before the prompt box was open.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_early: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftSession {
    pub id: String,
    #[serde(with = "stored")]
    pub at: UnixMs,
    /// The program may have meant that it leaves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_goodbye: bool,
}
