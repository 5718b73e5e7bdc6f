//! Versioned rules over what a terminal shows: the weakest witness, for dialogs that have no other.
//!
//! The rules are data, beside the program that they are about. One needs a whole menu with its
//! footer, or else the last part of the dialog from the beginning of a line on, at the end of the
//! screen and no further in than the program draws it: words alone, as an agent or a file may show
//! them, are not enough.

mod rules;

use headsup_core::status::BlockedReason;
use rules::Rule;
use std::path::Path;

/// A version as numbers, of as many parts as it has: `2.1.330`.
type Version = Vec<u64>;

/// What a screen shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A dialog that waits for a person.
    Dialog {
        /// The rule's name, for `explain`.
        name: &'static str,
        reason: BlockedReason,
        /// What it asks, in a line.
        title: &'static str,
        /// It comes before the program's first prompt alone.
        opening: bool,
    },
    /// An empty prompt box of a program at rest.
    Prompt,
}

/// Whether there are rules for this kind at all.
pub fn has_screens(kind: &str) -> bool {
    !rules::of(kind).is_empty()
}

/// What `screen`, the visible lines of a terminal, shows of a program of this kind. Without its
/// `version`, the rules of the newest one hold.
pub fn screen(kind: &str, version: Option<&str>, screen: &str) -> Option<Shown> {
    let version = version.and_then(numbers);
    let lines = lines_of(screen);
    let mut fitting = rules::of(kind).iter().filter(|rule| rule.is_of(version.as_deref()));
    fitting.find(|rule| rule.fits(&lines)).map(Rule::shown)
}

/// The last lines of a screen that are not blank.
fn lines_of(screen: &str) -> Vec<&str> {
    let lines: Vec<&str> =
        screen.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(MOST_LINES)..].to_vec()
}

/// The version that a program's path tells: `…/versions/2.1.330`.
pub fn screen_version(program: &Path) -> Option<String> {
    let mut parts = program.iter().rev().filter_map(|part| part.to_str());
    parts.find(|part| numbers(part).is_some_and(|numbers| numbers.len() > 2)).map(str::to_owned)
}

/// A dialog is not longer; what stands above is not looked at.
const MOST_LINES: usize = 60;

fn numbers(version: &str) -> Option<Version> {
    version.split('.').map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests;
