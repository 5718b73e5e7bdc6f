//! A file of ours that a person has changed: their version is kept before ours takes its place, or nothing.

use super::edit::Step;
use super::record::Edited;
use super::uninstall::holds_nothing;
use super::{Site, guard};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What such a version is called: no program takes a file with this ending for a plugin or a skill.
const ENDING: &str = ".yours";

/// Where the first version of the file at `path` is kept.
pub(super) fn place(path: &Path) -> PathBuf {
    numbered(path, 1)
}

/// The name beside a plugin's folder for one of its files: the folder goes.
pub(super) fn outside(folder: &Path, file: &Path) -> PathBuf {
    let [folder_name, file_name] = [folder, file].map(name);
    folder.with_file_name(format!("{folder_name}.{file_name}"))
}

/// Keeps what is in the file at `path`, under the name of `beside`, and says so; no step if it is kept
/// there already.
pub(super) fn keep(
    path: &Path,
    beside: &Path,
    text: &str,
    mode: u32,
    notes: &mut Vec<String>,
) -> Option<Step> {
    let (at, step) = put(beside, text, mode)?;
    notes.push(format!(
        "{} is not as it was installed: what was in it is kept as {}",
        path.display(),
        at.display()
    ));
    step
}

/// Keeps what was in the file at `path` before us, and says so, where that file is empty by now: it is about to be
/// forgotten.
pub(super) fn keep_original(
    path: &Path,
    known: Option<&Edited>,
    text: &str,
    mode: u32,
    notes: &mut Vec<String>,
) -> Option<Step> {
    let known = known.filter(|known| text.trim().is_empty() && known.is_of(path));
    let original = known.and_then(Edited::original);
    let original = original.filter(|text| !text.trim().is_empty() && !holds_nothing(text))?;
    let (at, step) = put(path, original, mode)?;
    notes.push(format!(
        "{} is empty: what was in it before headsup came is kept as {}",
        path.display(),
        at.display()
    ));
    step
}

/// Where this text is kept under the name of `beside`, and what puts it there if it is not.
fn put(beside: &Path, text: &str, mode: u32) -> Option<(PathBuf, Option<Step>)> {
    let is_kept = |at: &Path| guard::read(at).is_some_and(|bytes| bytes == text.as_bytes());
    let is_free = |at: &Path| fs::symlink_metadata(at).is_err();
    let mut places = (1..).map(|number| numbered(beside, number));
    let at = places.find(|at| is_free(at) || is_kept(at))?;
    let step = Step::Write { path: at.clone(), before: None, after: text.to_owned(), mode };
    let step = (!is_kept(&at)).then_some(step);
    Some((at, step))
}

/// Is this a file of ours that nothing in it shows to be ours any more, but what we remember of it? Whoever has
/// put something else in its place has a file of their own.
pub(super) fn is_remembered(site: &Site, known: Option<&Edited>, text: &str) -> bool {
    site.recipe.is_own_file()
        && !site.recipe.is_all_ours(text)
        && known.is_some_and(|known| is_mostly(&known.after, text))
}

/// Is more than half of what was written still there?
fn is_mostly(written: &str, text: &str) -> bool {
    // Brackets are in everybody's files.
    fn lines(text: &str) -> impl Iterator<Item = &str> {
        text.lines().map(str::trim).filter(|line| line.len() > 3)
    }
    let there: HashSet<&str> = lines(text).collect();
    lines(written).filter(|line| there.contains(line)).count() * 2 > lines(written).count()
}

fn numbered(path: &Path, number: u32) -> PathBuf {
    let name = name(path);
    path.with_file_name(match number {
        1 => format!("{name}{ENDING}"),
        _ => format!("{name}{ENDING}-{number}"),
    })
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_still_what_was_written_as_long_as_most_of_it_is_there() {
        let written = "const one = 1\nconst two = 2\n{\n}\nconst three = 3\n";
        for text in [
            written.to_owned(),
            format!("// mine\n{}", written.replace('\n', "\r\n")),
            written.replace("const one = 1\n", ""),
            written.replace("const", "  const"),
        ] {
            assert!(is_mostly(written, &text), "{text}");
        }
        for text in ["", "{\n}\n", "const one = 1\n{\n}\n", "export const mine = 1\n"] {
            assert!(!is_mostly(written, text), "{text}");
        }
        assert!(!is_mostly("", "x"));
    }
}
