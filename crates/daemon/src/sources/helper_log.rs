//! Where the log of a helper is: in a folder of a day, under a name that only ends with its id.

use headsup_adapters::{helper_logs, is_helper_log};
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

/// Those logs of helpers, by the one of their main agent, that are there already. They stand beside that, or, where the
/// conversation has gone on for days, in the newest folder. A folder of thousands of logs is read once for all of them.
pub(super) fn find<'a>(kind: &str, log: &Path, helpers: &[&'a str]) -> Vec<(&'a str, PathBuf)> {
    let Some((root, beside)) = helper_logs(kind, log).zip(log.parent()) else { return Vec::new() };
    let mut found = Vec::new();
    search(beside, helpers, &mut found);
    if found.len() < helpers.len() {
        let newest = newest(root);
        if newest != beside {
            search(&newest, helpers, &mut found);
        }
    }
    found
}

/// Adds the logs in this folder of those of whom none was found yet.
fn search<'a>(folder: &Path, helpers: &[&'a str], found: &mut Vec<(&'a str, PathBuf)>) {
    if found.len() == helpers.len() {
        return;
    }
    for entry in entries(folder) {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let Some(helper) = helpers.iter().find(|helper| is_helper_log(name, helper)) else {
            continue;
        };
        if found.iter().all(|(known, _)| known != helper) {
            found.push((*helper, entry.path()));
        }
        if found.len() == helpers.len() {
            return;
        }
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = DirEntry> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}

/// The last of the folders for days.
fn newest(root: &Path) -> PathBuf {
    let mut folder = root.to_owned();
    for _ in ["year", "month", "day"] {
        let is_folder = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        let Some(last) = entries(&folder).filter(is_folder).map(|entry| entry.file_name()).max()
        else {
            break;
        };
        folder.push(last);
    }
    folder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_helpers_log_is_found_beside_its_main_agents_or_in_the_newest_folder() {
        let home = tempfile::tempdir().unwrap();
        let file = |path: &str| {
            let path = home.path().join("sessions").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            path
        };
        let main = file("2025/12/31/rollout-2025-12-31T23-59-00-m.jsonl");
        let beside = file("2025/12/31/rollout-2025-12-31T23-59-59-h1.jsonl");
        file("2026/01/02/rollout-2026-01-02T00-00-00-x.jsonl");
        let later = file("2026/01/10/rollout-2026-01-10T00-00-00-h2.jsonl");
        let both = find("codex", &main, &["h2", "h3", "h1"]);
        assert_eq!(both, [("h1", beside.clone()), ("h2", later.clone())]);
        assert_eq!(find("codex", &main, &["h1"]), [("h1", beside)]);
        assert_eq!(find("codex", &main, &["h2"]), [("h2", later)]);
        for (kind, helpers) in [("codex", &["h3"][..]), ("codex", &[]), ("other", &["h1"])] {
            assert!(find(kind, &main, helpers).is_empty(), "{kind} {helpers:?}");
        }
    }
}
