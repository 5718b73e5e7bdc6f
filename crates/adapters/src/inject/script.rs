//! A file of our own, as the whole of our part in a configuration.
//!
//! It is ours by its first line, and reports to the state folder that its launcher lies in.

use super::command::command;
use super::{Found, Unchanged};

/// How a program wants it.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) kind: &'static str,
    /// With [`KIND`] and [`LAUNCHER`] in the place of strings.
    pub(crate) source: &'static str,
    /// The event that stands for all of it.
    pub(crate) event: &'static str,
}

const KIND: &str = "\"@KIND@\"";
const LAUNCHER: &str = "\"@LAUNCHER@\"";
/// What stands before the launcher, on its line.
const NAMES: &str = "const LAUNCHER = ";
const MARK: &str = "// Reports to headsup what this program does.";

fn text(script: &Script, launcher: &str) -> String {
    let string = |text: &str| serde_json::Value::from(text).to_string();
    script.source.replace(KIND, &string(script.kind)).replace(LAUNCHER, &string(launcher))
}

/// The launcher that a file of ours names.
fn launcher_of(text: &str) -> Option<String> {
    let mut lines = text.lines();
    lines.next().filter(|line| line.starts_with(MARK))?;
    serde_json::from_str(lines.find_map(|line| line.strip_prefix(NAMES))?).ok()
}

pub(super) fn is_ours(text: &str) -> bool {
    launcher_of(text).is_some()
}

/// Whether a file of ours is not as this version writes it, for whatever state folder.
pub(super) fn is_altered(script: &Script, there: &str) -> bool {
    launcher_of(there).is_some_and(|launcher| there != text(script, &launcher))
}

pub(super) fn append(script: &Script, there: &str, launcher: &str) -> Result<String, Unchanged> {
    let is_free = there.trim().is_empty() || is_ours(there);
    if is_free { Ok(text(script, launcher)) } else { Err(Unchanged::Foreign) }
}

/// Nothing is left of it, and what was there before is there again.
pub(super) fn remove(there: &str, launcher: &str, original: Option<&str>) -> String {
    match launcher_of(there).as_deref() == Some(launcher) {
        true => original.unwrap_or_default().to_owned(),
        false => there.to_owned(),
    }
}

pub(super) fn inspect(script: &Script, there: &str, launcher: &str) -> Found {
    let mut found = Found { missing: vec![script.event], ..Found::default() };
    match launcher_of(there) {
        None => {}
        Some(_) if there == text(script, launcher) => {
            let command = command(script.kind, launcher, script.event);
            found.entries.push((script.event.to_owned(), command));
            found.missing.clear();
        }
        Some(named) if named == launcher => found.outdated = 1,
        Some(named) => {
            found.others = 1;
            found.elsewhere.extend(named.strip_suffix("/bin/headsup").map(str::to_owned));
        }
    }
    found
}
