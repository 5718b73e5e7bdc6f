//! What people read of an agent: the same words in a terminal and on a page.
//!
//! Nothing here makes a text harmless; whoever shows it does (a terminal in its one door, a page
//! in its own), with the help of [`text::is_hidden`].

pub mod age;
mod asked;
mod brief;
mod remains;
mod resolution;
mod row;
pub mod text;

pub use asked::{answered, asked};
pub use brief::{activity, brief, ending, location, marks, outcome, pane, prompt, spot, tilde};
pub use remains::{Remains, remains};
pub use resolution::{fallback, resolution, verdict as resolved};
pub use row::row;

use crate::time::UnixMs;
use serde::Serialize;

/// What stands before the time for which a person hears nothing of an agent.
pub const SNOOZED_FOR: &str = "snoozed for ";

/// That a person has put it off, and for how long from `now`: `snoozed for 6m`.
pub fn snoozed(until: UnixMs, now: UnixMs) -> String {
    format!("{SNOOZED_FOR}{}", age::short(until.since(now)))
}

/// The word that a value has on the wire.
pub fn word<T: Serialize>(value: &T) -> Option<String> {
    serde_json::to_value(value).ok()?.as_str().map(str::to_owned)
}
