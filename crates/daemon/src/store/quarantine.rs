//! A damaged database is evidence: it is put aside, never deleted.

use super::{beside, put};
use crate::home::DATABASE;
use headsup_core::time::UnixMs;
use std::path::{Path, PathBuf};
use std::{fs, io};

const ASIDE: &str = ".corrupt-";
/// Beside a database that was put aside: what of it goes on in the new one, in words.
const SAVED: &str = "-saved";
/// A write-ahead log alone; what stood before the damage is in the database.
const LOG: &str = "-log";
/// Beside a database in which damage was found that its start had not met.
const DOUBTED: &str = "-doubted";
/// Beside a database whose write-ahead log was cut while a hub had it.
const CUT: &str = "-cut";
/// Beside a database that a hub has open, or was killed with: its write-ahead log is there, too.
const IN_USE: &str = "-in-use";

/// A database is open. `SQLite` takes the write-ahead log and its index away with its last connection, and whoever
/// takes both away from a hub that was killed would leave nothing that tells of it.
#[derive(Debug)]
pub(super) struct InUse(PathBuf);

impl InUse {
    pub(super) fn begin(database: &Path) -> Self {
        let path = place_of_use(database);
        // A full disk takes no word more; the log's index may tell the same.
        put(&path, "").ok();
        Self(path)
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        fs::remove_file(&self.0).ok();
    }
}

/// What tells that a hub has a database.
pub(super) fn place_of_use(database: &Path) -> PathBuf {
    beside(database, IN_USE)
}

/// Whether a hub has it, or was killed with it.
pub(super) fn is_in_use(path: &Path) -> bool {
    place_of_use(path).exists()
}

pub(super) fn forget_use(path: &Path) {
    let place = place_of_use(path);
    // Of anything else in its place a start has said that it is in the way.
    if fs::symlink_metadata(&place).is_ok_and(|mark| mark.is_file()) {
        fs::remove_file(place).ok();
    }
}

/// A damaged database that was put aside, or a copy of its damaged write-ahead log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    pub path: PathBuf,
    /// What of it goes on in the new one, in words; `None` where nothing does.
    pub saved: Option<String>,
}

impl Damaged {
    /// Whether it is a write-ahead log alone, and the database goes on.
    pub fn is_log(&self) -> bool {
        self.path.to_string_lossy().ends_with(LOG)
    }
}

/// Renames the database and what belongs to it; returns the new name.
pub(super) fn put_aside(path: &Path, now: UnixMs) -> io::Result<PathBuf> {
    // First: whoever is killed behind that leaves the log, or takes it along.
    forget_use(path);
    let aside = beside(path, &format!("{ASIDE}{}", now.0));
    for part in ["-wal", "-shm", ""] {
        match fs::rename(beside(path, part), beside(&aside, part)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::remove_file(beside(path, DOUBTED)).ok();
    forget_cut(path);
    Ok(aside)
}

/// Where a damaged write-ahead log is kept.
pub(super) fn place_of_log(path: &Path, now: UnixMs) -> PathBuf {
    beside(path, &format!("{ASIDE}{}{LOG}", now.0))
}

/// Writes down what of it goes on. The log has said the same.
pub(super) fn note(aside: &Path, saved: &str) {
    put(&beside(aside, SAVED), saved).ok();
}

/// The next start is to know that the end of the write-ahead log is lost, although it may look whole.
pub(crate) fn note_cut(path: &Path) -> io::Result<()> {
    put(&beside(path, CUT), "")
}

/// Whether it is to know that.
pub(super) fn is_cut(path: &Path) -> bool {
    beside(path, CUT).exists()
}

pub(super) fn forget_cut(path: &Path) {
    fs::remove_file(beside(path, CUT)).ok();
}

/// The next start is to put the database aside, although it may not meet the damage.
pub(crate) fn doubt(path: &Path) -> io::Result<()> {
    put(&beside(path, DOUBTED), "")
}

/// Whether the next start is to do so.
pub(crate) fn is_doubted(path: &Path) -> bool {
    beside(path, DOUBTED).exists()
}

/// Nothing can be taken over: where there is damage all the same, it is met again.
pub(super) fn trust(path: &Path) {
    fs::remove_file(beside(path, DOUBTED)).ok();
}

/// The damaged databases that lie in a hub's folder, the oldest first.
pub fn damaged(home: &Path) -> Vec<Damaged> {
    let start = format!("{DATABASE}{ASIDE}");
    let names = fs::read_dir(home).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let names = names.filter_map(|name| name.into_string().ok());
    let mut names: Vec<String> = names.filter(|name| is_aside(name, &start)).collect();
    names.sort();
    let read = |name: String| {
        let path = home.join(name);
        let saved = fs::read_to_string(beside(&path, SAVED)).ok();
        Damaged { path, saved }
    };
    names.into_iter().map(read).collect()
}

/// Not what lies beside it and goes where it goes.
fn is_aside(name: &str, start: &str) -> bool {
    name.starts_with(start) && !["-wal", "-shm", SAVED].iter().any(|part| name.ends_with(part))
}
