//! Which processes have said goodbye: their status file went away before they did.

use headsup_core::id::ProcessId;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// More than these are never remembered: a goodbye counts for a moment.
const MOST: usize = 1_024;

#[derive(Debug, Default)]
pub(super) struct Goodbyes {
    known: Mutex<Known>,
    news: Notify,
}

#[derive(Debug, Default)]
struct Known {
    said: HashSet<ProcessId>,
    /// Pids with a status file, and the files of that name that there are.
    files: HashMap<u32, Vec<PathBuf>>,
}

impl Goodbyes {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A status file has appeared.
    pub(super) fn file_is_there(&self, pid: u32, file: &Path) {
        self.known().files.entry(pid).or_default().push(file.to_owned());
    }

    /// A status file has gone. `of`: whose it was, if it could be read.
    pub(super) fn file_is_gone(&self, pid: u32, file: &Path, of: Option<ProcessId>) {
        let mut known = self.known();
        if let Some(files) = known.files.get_mut(&pid) {
            files.retain(|one| one != file);
            if files.is_empty() {
                known.files.remove(&pid);
            }
        }
        if known.said.len() >= MOST {
            known.said.clear();
        }
        known.said.extend(of);
        drop(known);
        self.news.notify_waiters();
    }

    pub(super) fn has_file(&self, pid: u32) -> bool {
        self.known().files.contains_key(&pid)
    }

    /// Whether the files of this pid that were there are gone by now: on a busy machine it may take long until that
    /// is told.
    pub(super) fn has_taken_its_files(&self, pid: u32) -> bool {
        let files = self.known().files.get(&pid).cloned().unwrap_or_default();
        !files.is_empty() && files.iter().all(|file| file.symlink_metadata().is_err())
    }

    /// Whether it is known by now that the process has said goodbye.
    pub(super) fn has_said(&self, process: &ProcessId) -> bool {
        self.known().said.contains(process)
    }

    /// Comes back when the process has said goodbye.
    pub(super) async fn said_by(&self, process: &ProcessId) {
        loop {
            let news = self.news.notified();
            if self.has_said(process) {
                return;
            }
            news.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_that_is_gone_before_that_is_told_is_a_goodbye() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("7.json");
        fs::write(&file, "{}").unwrap();
        let goodbyes = Goodbyes::default();
        assert!(!goodbyes.has_taken_its_files(7), "it never had one");
        goodbyes.file_is_there(7, &file);
        assert!(goodbyes.has_file(7) && !goodbyes.has_taken_its_files(7));
        fs::remove_file(&file).unwrap();
        assert!(goodbyes.has_taken_its_files(7));
        goodbyes.file_is_gone(7, &file, None);
        assert!(!goodbyes.has_file(7) && !goodbyes.has_taken_its_files(7));
    }
}
