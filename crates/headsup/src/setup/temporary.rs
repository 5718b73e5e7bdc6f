//! Where an edit writes before it puts the new content in place: beside the file, under a name of its process.

use crate::hook::process::Process;
use std::fs;
use std::path::{Path, PathBuf};

const ENDING: &str = "headsup-new";

/// A name in the same folder that only this process uses.
pub(super) fn beside(path: &Path) -> PathBuf {
    let pid = std::process::id();
    let start = Process::read(pid).map_or(0, |own| own.start);
    path.with_file_name(format!(".{}.{pid}-{start}.{ENDING}", name(path)))
}

/// What is there of edits of `path` that were killed: their processes are gone, or an edit of this one was
/// cut off. Older versions had one name for all of them.
pub(super) fn left(path: &Path) -> Vec<PathBuf> {
    let name = name(path);
    let entries = path.parent().and_then(|folder| fs::read_dir(folder).ok());
    let is_one = |there: &Path| is_left(&name, &self::name(there));
    let there = entries.into_iter().flatten().flatten().map(|entry| entry.path());
    there.filter(|path| is_one(path)).collect()
}

fn is_left(name: &str, there: &str) -> bool {
    let own = there.strip_prefix('.').and_then(|rest| rest.strip_prefix(name));
    let Some(own) = own.and_then(|rest| rest.strip_prefix('.')) else { return false };
    if own == ENDING {
        return true;
    }
    let process = own.strip_suffix(ENDING).and_then(|rest| rest.strip_suffix('.'));
    let process = process.and_then(|process| process.split_once('-'));
    let process = process
        .and_then(|(pid, start)| Some((pid.parse::<u32>().ok()?, start.parse::<u64>().ok()?)));
    let Some((pid, start)) = process else { return false };
    pid == std::process::id() || Process::read(pid).is_none_or(|now| now.start != start)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_that_is_there_writes_is_left_alone() {
        let parent = Process::read(std::os::unix::process::parent_id()).unwrap();
        let of = |pid: u32, start: u64| format!(".s.json.{pid}-{start}.headsup-new");
        for (there, expected) in [
            (of(parent.pid, parent.start), false),
            (of(parent.pid, parent.start + 1), true),
            (of(std::process::id(), 1), true),
            (".s.json.headsup-new".to_owned(), true),
            (".s.json.local.headsup-new".to_owned(), false),
            (".s.json.1-x.headsup-new".to_owned(), false),
            (".other.json.headsup-new".to_owned(), false),
            ("s.json".to_owned(), false),
        ] {
            assert_eq!(is_left("s.json", &there), expected, "{there}");
        }
        let own = beside(Path::new("/x/s.json"));
        assert!(own.starts_with("/x") && is_left("s.json", &name(&own)), "{}", own.display());
    }

    #[test]
    fn only_what_is_beside_that_very_file_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.json");
        assert!(left(&path).is_empty());
        let dead = folder.path().join(format!(".s.json.{}-1.headsup-new", u32::MAX));
        for there in [&path, &dead, &folder.path().join(".t.json.headsup-new")] {
            fs::write(there, "").unwrap();
        }
        assert_eq!(left(&path), [dead]);
        assert!(left(&folder.path().join("nowhere/s.json")).is_empty());
    }
}
