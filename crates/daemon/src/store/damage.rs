//! Damage, or a disk that gives nothing for a while: `SQLite` says the same of both.

use super::{Store, StoreError};
use rusqlite::Connection;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

/// What is read at once. Bytes.
const PIECE: usize = 64 << 10;

impl Store {
    /// Is the database damaged, as a statement has just said? `SQLite` says so as well where a read fails with `EIO`,
    /// `ERANGE` or `ENXIO` (`SQLITE_IOERR_CORRUPTFS` in its `os_unix.c`, which `vdbe.c` turns into `SQLITE_CORRUPT`; 3.54.1),
    /// and that may be over in a moment. All of it is read.
    pub(crate) fn is_damaged(&mut self) -> bool {
        // The disk may refuse in the middle of the check, too, which then finds something.
        let is_met = self.is_given() && matches!(damage_in(&self.connection), Ok(Some(_)));
        is_met && self.is_given()
    }

    fn is_given(&mut self) -> bool {
        let read = self.read_all();
        if let Err(error) = &read {
            tracing::warn!(%error, "the disk does not give all of the database: it may be whole");
        }
        read.is_ok()
    }

    fn read_all(&mut self) -> io::Result<()> {
        // Kept open: with it a process that closes a file gives up its locks on that (fcntl(2)), and they are `SQLite`'s.
        let database = match self.probe.take() {
            Some(file) => file,
            None => File::open(&self.path)?,
        };
        let read = through(&database);
        self.probe = Some(database);
        read?;
        match File::open(&self.log_path) {
            Ok(log) => through(&log),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// What is wrong with a database, in its own words.
pub(crate) fn damage_in(connection: &Connection) -> Result<Option<String>, StoreError> {
    let first = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
    match first.map_err(StoreError::from) {
        Ok(first) => Ok(Some(first).filter(|first: &String| first != "ok")),
        Err(StoreError::Damaged(why)) => Ok(Some(why.to_string())),
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
