//! A word to whoever waits for a hub that takes long, or cannot go on yet: a file beside the database, there as long as
//! that lasts.

use super::{beside, put};
use crate::home::{self, DATABASE};
use std::fs;
use std::path::{Path, PathBuf};

const SUFFIX: &str = "-busy";
/// Of a hub that waits, which may be at something meanwhile.
const WAITS: &str = "-waits";
/// Of what is put in its place, until it is whole.
const NEW: &str = "-new";

/// Something is being done to a database that may take a while.
#[derive(Debug)]
pub(super) struct Busy(PathBuf);

impl Busy {
    pub(super) fn with(database: &Path, words: &str) -> Self {
        let path = beside(database, SUFFIX);
        // Whoever finds nothing here has the log.
        put(&path, words).ok();
        Self(path)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        fs::remove_file(&self.0).ok();
    }
}

/// A hub that ran cannot go on yet.
#[derive(Debug)]
pub(crate) struct Waiting(PathBuf);

impl Waiting {
    pub(crate) fn of(database: &Path) -> Self {
        Self(beside(database, WAITS))
    }

    /// What it waits for, from now on. Whoever reads it meanwhile reads all of it, or of what was said before.
    pub(crate) fn says(&self, words: &str) {
        let new = beside(&self.0, NEW);
        // The next hub may have the folder before it takes away what one that was killed has left.
        put(&new, &format!("{} {words}", std::process::id())).ok();
        // Also where the disk was full and took no word: that it is there says so much.
        fs::rename(&new, &self.0).ok();
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        fs::remove_file(beside(&self.0, NEW)).ok();
        fs::remove_file(&self.0).ok();
    }
}

/// Takes away what a hub that was killed has left.
pub(super) fn clear(database: &Path) {
    fs::remove_file(beside(database, SUFFIX)).ok();
}

/// The same of one that was killed while it waited. Not before the folder is ours.
pub(crate) fn waits_no_more(database: &Path) {
    drop(Waiting::of(database));
}

/// What the start of a hub in this folder is at, where that may take long.
pub fn busy_with(home: &Path) -> Option<String> {
    words(home, SUFFIX).filter(|words| !words.is_empty())
}

/// What the hub that has this folder waits for, where it cannot go on yet. It goes on by itself.
pub fn waits_for(home: &Path) -> Option<String> {
    let said = words(home, WAITS)?;
    let (whose, what) = said.split_once(' ').unwrap_or_default();
    // One that was killed waits for nothing.
    if !home::is_held_by(home, whose.parse().ok()) {
        return None;
    }
    // A full disk takes the file, and no word.
    let what = if what.is_empty() { "its disk takes nothing" } else { what };
    Some(what.to_owned())
}

fn words(home: &Path, suffix: &str) -> Option<String> {
    fs::read_to_string(beside(&home.join(DATABASE), suffix)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::Home;
    use std::io::Read as _;

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

    #[test]
    fn what_a_hub_waits_for_is_never_read_half_written() {
        let temp = tempfile::tempdir().unwrap();
        let database = temp.path().join(DATABASE);
        let files = || fs::read_dir(temp.path()).unwrap().count();
        let waiting = Waiting::of(&database);
        waiting.says("more room");
        let mut before = fs::File::open(beside(&database, WAITS)).unwrap();
        waiting.says("its disk");
        let mut said = String::new();
        before.read_to_string(&mut said).unwrap();
        assert!(said.ends_with(" more room"), "{said:?} is not as it was put there");
        assert_eq!(files(), 1);
        drop(waiting);
        assert_eq!(files(), 0);
    }

    #[test]
    fn what_a_hub_waits_for_is_read_as_long_as_it_has_the_folder() {
        let temp = tempfile::tempdir().unwrap();
        let database = temp.path().join(DATABASE);
        let waiting = Waiting::of(&database);
        let home = Home::claim(temp.path()).unwrap();
        assert_eq!(waits_for(temp.path()), None);
        waiting.says("more room");
        assert_eq!(waits_for(temp.path()).as_deref(), Some("more room"));
        let file = beside(&database, WAITS);
        fs::write(&file, "").unwrap();
        assert_eq!(waits_for(temp.path()).as_deref(), Some("its disk takes nothing"));
        fs::write(&file, format!("{} more room", u32::MAX)).unwrap();
        assert_eq!(waits_for(temp.path()), None, "another hub waited, and was killed");
        waiting.says("more room");
        drop(home);
        assert_eq!(waits_for(temp.path()), None, "nobody waits");
        let _home = Home::claim(temp.path()).unwrap();
        waits_no_more(&database);
        assert_eq!(waits_for(temp.path()), None);
    }
}
