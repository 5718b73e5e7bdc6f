//! What people read of an agent: the same words in a terminal and on a page.
//!
//! Nothing here makes a text harmless; whoever shows it does (a terminal in its one door, a page
//! in its own), with the help of [`text::is_hidden`].

pub mod age;
mod asked;
mod brief;
mod resolution;
mod row;
pub mod text;

pub use asked::{answered, asked};
pub use brief::{activity, brief, ending, location, marks, outcome, prompt, tilde};
pub use resolution::{fallback, resolution, verdict as resolved};
pub use row::row;

use serde::Serialize;

/// The word that a value has on the wire.
pub fn word<T: Serialize>(value: &T) -> Option<String> {
    serde_json::to_value(value).ok()?.as_str().map(str::to_owned)
}
