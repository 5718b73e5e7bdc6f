//! A file of our own, as the whole of our part in a configuration.
//!
//! It is ours by a line near its beginning, and reports to the state folder that its launcher lies in.

use super::command::command;
use super::entries::BOM;
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
/// So many lines may come before what ours begin with: somebody may have put theirs there.
pub(super) const HEAD: usize = 20;

fn text(script: &Script, launcher: &str) -> String {
    let string = |text: &str| serde_json::Value::from(text).to_string();
    script.source.replace(KIND, &string(script.kind)).replace(LAUNCHER, &string(launcher))
}

/// The launcher that a file of ours names.
fn launcher_of(text: &str) -> Option<String> {
    let mut lines = text.trim_start_matches(BOM).lines();
    lines.by_ref().take(HEAD).find(|line| line.trim_start().starts_with(MARK))?;
    let named = lines.find_map(|line| line.strip_prefix(NAMES))?;
    serde_json::from_str(named.trim_end().trim_end_matches(';')).ok()
}

/// Whether it is the same text but for how its lines end, the end of the last one, and the mark of its
/// encoding: what editors and version control change by themselves.
pub fn is_same_text(one: &str, other: &str) -> bool {
    fn lines(text: &str) -> std::str::Lines<'_> {
        text.trim_start_matches(BOM).trim_end().lines()
    }
    lines(one).eq(lines(other))
}

pub(super) fn is_ours(text: &str) -> bool {
    launcher_of(text).is_some()
}

/// Whether a file of ours is not as this version writes it, for whatever state folder.
pub(super) fn is_altered(script: &Script, there: &str) -> bool {
    launcher_of(there).is_some_and(|launcher| !is_same_text(there, &text(script, &launcher)))
}

pub(super) fn append(script: &Script, there: &str, launcher: &str) -> Result<String, Unchanged> {
    let wished = text(script, launcher);
    if is_same_text(there, &wished) {
        return Ok(there.to_owned());
    }
    let is_free = there.trim().is_empty() || is_ours(there);
    if is_free { Ok(wished) } else { Err(Unchanged::Foreign) }
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
        Some(_) if is_same_text(there, &text(script, launcher)) => {
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

#[cfg(test)]
mod tests {
    use super::super::recipes;
    use super::*;

    #[test]
    fn a_file_of_ours_is_known_by_a_line_near_its_beginning() {
        let launcher = "/an \"other\"/bin/headsup";
        for recipe in recipes().iter().filter(|recipe| recipe.place() == "plugin file") {
            let text = recipe.append("", launcher).unwrap();
            let far = "// mine\n".repeat(HEAD) + &text;
            assert!(!recipe.is_all_ours(&far), "{}", recipe.kind);
            // What editors and version control change by themselves is nobody's work.
            for same in [
                format!("\u{feff}{text}"),
                text.replace('\n', "\r\n"),
                format!("{text}\n\n"),
                text.trim_end().to_owned(),
            ] {
                assert!(!recipe.is_altered(&same), "{}", recipe.kind);
                assert!(recipe.inspect(&same, launcher).unwrap().is_complete(), "{}", recipe.kind);
                assert_eq!(recipe.append(&same, launcher).unwrap(), same, "{}", recipe.kind);
                assert_eq!(recipe.remove(&same, launcher, None).unwrap(), "", "{}", recipe.kind);
            }
            for touched in [
                format!("\n{text}"),
                format!("// mine\n{text}"),
                format!("/* eslint-disable */ \n\n\t{text}"),
                text.replace("/bin/headsup\"\n", "/bin/headsup\";\n"),
            ] {
                assert!(recipe.is_altered(&touched), "{}: {touched}", recipe.kind);
                let found = recipe.inspect(&touched, launcher).unwrap();
                assert_eq!((found.outdated, found.others), (1, 0), "{}", recipe.kind);
                assert_eq!(recipe.append(&touched, launcher).unwrap(), text, "{}", recipe.kind);
                assert_eq!(recipe.remove(&touched, launcher, None).unwrap(), "", "{}", recipe.kind);
            }
        }
    }
}
