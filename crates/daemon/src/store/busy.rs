//! A word to whoever waits for a start that takes long: a file beside the database, there as long as that lasts.

use super::beside;
use crate::home::DATABASE;
use std::fs;
use std::path::{Path, PathBuf};

const SUFFIX: &str = "-busy";

/// Something is being done to a database that may take a while.
#[derive(Debug)]
pub(super) struct Busy(PathBuf);

impl Busy {
    pub(super) fn with(database: &Path, words: &str) -> Self {
        let path = beside(database, SUFFIX);
        // Whoever finds nothing here has the log.
        fs::write(&path, words).ok();
        Self(path)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        fs::remove_file(&self.0).ok();
    }
}

/// Takes away what a hub that was killed has left.
pub(super) fn clear(database: &Path) {
    fs::remove_file(beside(database, SUFFIX)).ok();
}

/// What the start of a hub in this folder is at, where that may take long.
pub fn busy_with(home: &Path) -> Option<String> {
    let words = fs::read_to_string(beside(&home.join(DATABASE), SUFFIX)).ok()?;
    (!words.is_empty()).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_waits_reads_what_is_being_done_as_long_as_it_is() {
        let temp = tempfile::tempdir().unwrap();
        let database = temp.path().join(DATABASE);
        let busy = Busy::with(&database, "it is written anew");
        assert_eq!(busy_with(temp.path()).as_deref(), Some("it is written anew"));
        drop(busy);
        assert_eq!(busy_with(temp.path()), None);
        fs::write(beside(&database, SUFFIX), "of a hub that was killed").unwrap();
        clear(&database);
        assert_eq!(busy_with(temp.path()), None);
    }
}
