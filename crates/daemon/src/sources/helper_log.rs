//! Where the log of a helper is: in a folder of a day, under a name that only ends with its id.

use headsup_adapters::{helper_logs, is_helper_log};
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

/// The log of a helper, by the one of its main agent, if it is there already. It stands beside that, or, where the
/// conversation has gone on for days, in the newest folder.
pub(super) fn find(kind: &str, log: &Path, helper: &str) -> Option<PathBuf> {
    let root = helper_logs(kind, log)?;
    let is_its = |entry: &DirEntry| {
        entry.file_name().to_str().is_some_and(|name| is_helper_log(name, helper))
    };
    let within = |folder: &Path| entries(folder).find(is_its).map(|entry| entry.path());
    within(log.parent()?).or_else(|| within(&newest(root)))
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
        assert_eq!(find("codex", &main, "h1"), Some(beside));
        assert_eq!(find("codex", &main, "h2"), Some(later));
        assert_eq!(find("codex", &main, "h3"), None);
        assert_eq!(find("other", &main, "h1"), None);
    }
}
