//! What sources of levels show.

use crate::source::Source;
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
