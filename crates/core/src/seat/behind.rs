//! Helpers that belong to no turn any more.

use serde::{Deserialize, Serialize};
use thin_vec::ThinVec;

/// Helpers that have outlived a stop, or a turn, of their main agent: a later turn that fails, or is stopped, is no end of
/// theirs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Behind {
    pub helpers: ThinVec<String>,
    /// Nothing has listed them: each one's own end tells when it is over.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unlisted: bool,
    /// How the open turn has failed, which is told once they are over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<Failure>,
}

/// A failure of the main agent: its code, and in words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Failure {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// A person has seen it before helpers have gone on behind it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_seen: bool,
}
