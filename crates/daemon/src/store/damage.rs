//! Damage, or a disk that gives nothing for a while: `SQLite` says the same of both.

use super::{StoreError, files};
use rusqlite::Connection;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is read at once. Bytes.
const PIECE: usize = 64 << 10;
/// So long after the disk has not given all of it no other look is made: where a page can never be read again, each
/// report that meets it would cost one, and would be refused all the same.
const NOT_SOONER: Duration = Duration::from_secs(10);
/// How the database's own check ends its words on a page that it was not given.
const CODE: &str = "error code=";
/// The primary code of a failed read (`SQLITE_IOERR`), in the lowest byte of each that says more.
const UNREAD: u32 = 10;

/// The disk under a database that is open. Held until all connections of this process are closed.
#[derive(Debug)]
pub(crate) struct Medium {
    database: PathBuf,
    looks: Mutex<Looks>,
}

#[derive(Debug, Default)]
struct Looks {
    /// Kept open: with it a process that closes a file gives up its locks on that (fcntl(2)), and they are `SQLite`'s.
    file: Option<File>,
    /// When it did not give all of it last.
    unread_at: Option<Instant>,
}

impl Medium {
    pub(crate) fn of(database: &Path) -> Self {
        Self { database: database.to_owned(), looks: Mutex::default() }
    }

    /// Is the database damaged, as a statement has just said? `SQLite` says so as well where a read fails with `EIO`,
    /// `ERANGE` or `ENXIO` (`SQLITE_IOERR_CORRUPTFS` in its `os_unix.c`, which `vdbe.c` turns into `SQLITE_CORRUPT`; 3.54.1),
    /// and that may be over in a moment. All of it is read.
    pub(crate) fn is_damaged(&self, connection: &Connection) -> bool {
        // The disk may refuse in the middle of the check, too, which then finds something.
        let is_given = || self.is_given(Instant::now());
        let is_met = is_given() && matches!(damage_in(connection), Ok(Some(_)));
        is_met && is_given()
    }

    fn is_given(&self, now: Instant) -> bool {
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        let since = looks.unread_at.map(|at| now.saturating_duration_since(at));
        if since.is_some_and(|since| since < NOT_SOONER) {
            return false;
        }
        let read = looks.read_all(&self.database);
        if let Err(error) = &read {
            tracing::warn!(%error, "the disk does not give all of the database: it may be whole");
        }
        looks.unread_at = read.is_err().then_some(now);
        read.is_ok()
    }
}

impl Looks {
    fn read_all(&mut self, path: &Path) -> io::Result<()> {
        let database = match self.file.take() {
            Some(file) => file,
            None => File::open(path)?,
        };
        let read = through(&database);
        self.file = Some(database);
        read?;
        let [_, log, _] = files(path);
        through_if_there(&log)
    }
}

/// Reads all of a database that no connection of this process has open.
pub(crate) fn read_all(database: &Path) -> Result<(), StoreError> {
    let [database, log, _] = files(database);
    let read = through_if_there(&database).and_then(|()| through_if_there(&log));
    read.map_err(StoreError::Unread)
}

/// What is wrong with a database, in its own words.
pub(crate) fn damage_in(connection: &Connection) -> Result<Option<String>, StoreError> {
    let first: rusqlite::Result<String> =
        connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
    match first.map_err(StoreError::from) {
        Ok(first) if is_of_a_read(&first) => Err(StoreError::Unread(io::Error::other(first))),
        Ok(first) => Ok(Some(first).filter(|first| first != "ok")),
        Err(StoreError::Damaged(why)) => Ok(Some(why.to_string())),
        Err(error) => Err(error),
    }
}

/// Whether the check has found no more than that a page could not be read.
fn is_of_a_read(found: &str) -> bool {
    let code = found.rsplit_once(CODE).and_then(|(_, code)| code.trim().parse::<u32>().ok());
    code.is_some_and(|code| code & 0xFF == UNREAD)
}

fn through_if_there(path: &Path) -> io::Result<()> {
    match File::open(path) {
        Ok(file) => through(&file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn through(file: &File) -> io::Result<()> {
    let (mut piece, mut at) = (vec![0; PIECE], 0);
    loop {
        match file.read_at(&mut piece, at) {
            Ok(0) => return Ok(()),
            Ok(read) => at += read as u64,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;
    use headsup_core::time::UnixMs;

    #[test]
    fn a_disk_that_does_not_give_all_of_it_is_not_asked_again_at_once() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("headsup.db");
        std::fs::write(&path, "x").unwrap();
        let (medium, now) = (Medium::of(&path), Instant::now());
        assert!(medium.is_given(now));
        // A folder can be opened, and not be read.
        let log = temp.path().join("headsup.db-wal");
        std::fs::create_dir(&log).unwrap();
        assert!(!medium.is_given(now));
        std::fs::remove_dir(&log).unwrap();
        assert!(!medium.is_given(now + NOT_SOONER / 2), "nothing is read");
        assert!(medium.is_given(now + NOT_SOONER));
        assert!(medium.is_given(now + NOT_SOONER), "and from then on as ever");
    }

    #[test]
    fn a_page_that_the_check_was_not_given_is_no_damage() {
        let words = "*** in database main ***\nTree 36 page 172: unable to get the page.";
        let found = |code: u32| format!("{words} {CODE}{code}");
        // SQLITE_IOERR, SQLITE_IOERR_CORRUPTFS; SQLITE_CORRUPT.
        assert!([10, 8_458].into_iter().all(|code| is_of_a_read(&found(code))));
        assert!(!is_of_a_read(&found(11)));
        assert!(!is_of_a_read("ok") && !is_of_a_read("Tree 36 page 10: btreeInitPage() returns"));
    }

    #[test]
    fn what_is_whole_is_not_damaged_and_what_is_damaged_is() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("headsup.db");
        drop(Store::open(&path, UnixMs(0)).unwrap());
        let medium = Medium::of(&path);
        let is_damaged = || medium.is_damaged(&Connection::open(&path).unwrap());
        assert!(!is_damaged());
        let file = File::options().write(true).open(&path).unwrap();
        // Not the first page, without which there is no database.
        file.write_all_at(&[0xAA; 4_096], 4_096).unwrap();
        assert!(is_damaged());
    }
}
