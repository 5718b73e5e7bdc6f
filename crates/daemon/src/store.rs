//! The store: the log of events and the seats it has led to, in one `SQLite` file.
//!
//! One connection writes, all in transactions of [`mod@write`]; readers have their own. The log and
//! the seats change in the same transaction, so the one is always the fold of the other.

mod activity;
mod arguments;
mod busy;
mod damage;
pub(crate) mod effects;
mod history;
mod load;
mod migrations;
mod open;
pub(crate) mod prompts;
pub(crate) mod pulls;
mod quarantine;
mod read;
mod retention;
mod salvage;
pub(crate) mod tasks;
#[cfg(test)]
mod tests;
mod unreadable;
mod wal;
pub(crate) mod webhooks;
mod write;

pub(crate) use busy::{Waiting, waits_no_more};
pub use busy::{busy_with, waits_for};
pub(crate) use damage::{Medium, damage_in, read_all};
pub(crate) use load::Loaded;
pub(crate) use open::Opened;
pub use quarantine::{Damaged, damaged};
pub(crate) use quarantine::{doubt, is_doubted, note_cut};
pub(crate) use read::Reader;
pub(crate) use unreadable::{Unreadable, look_through};
pub(crate) use write::{Changes, PromptKey, StoredId};

use rusqlite::config::DbConfig;
use rusqlite::wal::CheckpointMode;
use rusqlite::{Connection, ErrorCode};
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

/// The writer's connection.
#[derive(Debug)]
pub(crate) struct Store {
    /// Gone before the connection, which takes the write-ahead log away: whoever is killed between the two leaves that.
    _in_use: Option<quarantine::InUse>,
    connection: Connection,
    /// Closed behind the connection.
    medium: Medium,
    path: PathBuf,
    log_path: PathBuf,
    /// Pages in the write-ahead log after the last commit.
    log: Log,
    activity_until: u64,
    /// So many places between events were left free for some that are lost.
    free_places: u64,
    sweep: retention::Sweep,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    #[error("it has format {found}, this version knows up to {known}")]
    Newer { found: u32, known: u32 },
    /// What stands in it is not what its format has.
    #[error("{0}")]
    Unlike(String),
    #[error("the disk is full: {0}")]
    Full(rusqlite::Error),
    #[error("it is damaged: {0}")]
    Damaged(rusqlite::Error),
    /// So is its head: what that says no version has written.
    #[error("its head is damaged: {0}")]
    Head(&'static str),
    /// It may be whole.
    #[error("the disk does not give all of it ({0})")]
    Unread(std::io::Error),
    /// By somebody else, for longer than was waited.
    #[error("another program keeps it locked: {0}")]
    Locked(rusqlite::Error),
    #[error("{0}")]
    Sqlite(rusqlite::Error),
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// All others can be.
    #[error("what is kept of {what} cannot be read: {why}")]
    Row { what: String, why: serde_json::Error },
    #[error("a value cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full(error),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged(error),
            Some(ErrorCode::DatabaseBusy) => Self::Locked(error),
            _ => Self::Sqlite(error),
        }
    }
}

impl Store {
    /// The write-ahead log, as far as it is known without a look.
    pub(crate) fn log(&self) -> &Log {
        &self.log
    }

    /// For how long a commit waits for another program that keeps the database locked: not at all, or as every
    /// connection of ours.
    pub(crate) fn wait_for_others(&self, is_patient: bool) {
        let patience = if is_patient { open::PATIENCE } else { Duration::ZERO };
        if let Err(error) = self.connection.busy_timeout(patience) {
            tracing::debug!(%error, "how long is waited for a lock cannot be said");
        }
    }

    /// Copies what it can from the write-ahead log into the database, without waiting for anyone.
    pub(crate) fn checkpoint(&self) -> Result<(), StoreError> {
        checkpoint_of(&self.connection, &self.log)
    }

    /// Ends it. The last connection moves the log into the database, unless that was given up.
    pub(crate) fn close(self) {
        if self.log.is_given_up() {
            let without = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
            if let Err(error) = self.connection.set_db_config(without, true) {
                tracing::warn!(%error, "what is left of the write-ahead log goes into the database");
            }
        }
    }

    /// Is the database damaged, as a statement has just said?
    pub(crate) fn is_damaged(&self) -> bool {
        self.medium.is_damaged(&self.connection)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The write-ahead log's file.
    pub(crate) fn log_path(&self) -> &Path {
        &self.log_path
    }

    pub(crate) fn log_is_empty(&self) -> bool {
        std::fs::metadata(&self.log_path).map_or(true, |log| log.len() == 0)
    }

    /// What is stored, for the writer to look at.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }
}

/// So many pages of a log that is in use lie ready ahead of what is in it.
const AHEAD: u32 = 512;

/// How long the write-ahead log is. Whoever commits and whoever checkpoints tell it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    pages: Arc<AtomicU32>,
    is_given_up: Arc<AtomicBool>,
    /// How long one is, without its head: somebody may have written the database anew with others than ours.
    page_bytes: u64,
}

impl Log {
    fn of_pages(page_bytes: u64) -> Self {
        Self { page_bytes, ..Self::default() }
    }

    /// Pages that may wait for a checkpoint. 0: the log begins anew with the next commit, and that one waits for
    /// the disk.
    pub(crate) fn pages(&self) -> u32 {
        self.pages.load(Ordering::Relaxed)
    }

    fn is(&self, pages: u32) {
        self.pages.store(pages, Ordering::Relaxed);
    }

    /// It was not to be, unless somebody has begun it by now.
    fn goes_on(&self, pages: u32) {
        self.pages.compare_exchange(0, pages, Ordering::Relaxed, Ordering::Relaxed).ok();
    }

    /// Somebody has cut it, and what is left of it must not go into the database.
    pub(crate) fn give_up(&self) {
        self.is_given_up.store(true, Ordering::Relaxed);
    }

    fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::Relaxed)
    }

    /// Whether its file, which has so many bytes, is to grow for whoever writes next. One that begins anew, or was cut,
    /// is not: that is to be seen.
    pub(crate) fn is_short_of_room(&self, length: u64) -> bool {
        let pages = self.pages();
        let until = |pages: u32| u64::from(pages) * self.page_bytes;
        let is_whole = pages > 0 && !self.is_given_up() && length >= until(pages);
        is_whole && length < until(pages.saturating_add(AHEAD))
    }

    /// How many bytes the file at `path` still has, where what waits in it for a checkpoint is not there any more. It
    /// has none for a moment, too, when it is emptied by ourselves.
    pub(crate) fn cut(&self, path: &Path) -> Option<u64> {
        let pages = self.pages();
        let file = File::open(path).ok().filter(|_| pages > 0)?;
        let length = file.metadata().ok()?.len();
        // It may have begun anew between the two looks.
        let pages = pages.min(self.pages());
        (pages > 0).then_some(())?;
        // Whoever goes on writing behind the cut leaves a hole before it.
        let mut magic = [1; 4];
        let is_hole = file.read_exact_at(&mut magic, 0).is_ok() && magic == [0; 4];
        let is_short = length < u64::from(pages) * self.page_bytes;
        (is_hole || is_short).then_some(length)
    }
}

/// Copies what it can from the write-ahead log into the database, without waiting for anyone. True: it was all.
pub(crate) fn checkpoint(connection: &Connection) -> Result<bool, StoreError> {
    let (log, copied) = connection.wal_checkpoint_v2(None::<&str>, CheckpointMode::PASSIVE)?;
    Ok(log == copied)
}

/// The same for a log that is `log`.
pub(crate) fn checkpoint_of(connection: &Connection, log: &Log) -> Result<(), StoreError> {
    if log.is_given_up() {
        return Ok(());
    }
    if checkpoint(connection)? {
        log.is(0);
    }
    Ok(())
}

/// A checkpoint, and an empty log: the next start after a kill reads all that is in it. Whoever uses it now, or
/// writes meanwhile, is let be; it is then emptied another time.
pub(crate) fn empty(connection: &Connection, log: &Log) -> Result<(), StoreError> {
    if log.is_given_up() {
        return Ok(());
    }
    let pages = log.pages();
    // From here on no report writes on the thread that serves: there is a lock to be waited for.
    log.is(0);
    let is_empty = empty_quietly(connection, log);
    match is_empty {
        // With what came in the last moment.
        Ok(true) => log.is(0),
        Ok(false) | Err(_) => log.goes_on(pages),
    }
    is_empty.map(drop)
}

fn empty_quietly(connection: &Connection, log: &Log) -> Result<bool, StoreError> {
    // All is on the disk then: the lock is not held for the time that this takes.
    if !checkpoint(connection)? || log.pages() > 0 {
        return Ok(false);
    }
    connection.busy_timeout(Duration::ZERO)?;
    match connection.wal_checkpoint_v2(None::<&str>, CheckpointMode::TRUNCATE) {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(false),
        other => Ok(other.map(|_| true)?),
    }
}

fn log_path(database: &Path) -> PathBuf {
    beside(&real(database), "-wal")
}

/// The files of a database that is open.
pub(crate) fn files(database: &Path) -> [PathBuf; 3] {
    let real = real(database);
    [database.to_owned(), beside(&real, "-wal"), beside(&real, "-shm")]
}

/// Of a database that is a link, `SQLite` has its other files beside the real one.
fn real(database: &Path) -> PathBuf {
    let real = database.is_symlink().then(|| std::fs::canonicalize(database).ok()).flatten();
    real.unwrap_or_else(|| database.to_owned())
}

/// A file whose name begins as the database's.
fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.to_owned().into_os_string();
    name.push(suffix);
    name.into()
}

/// A file of these words, as nobody else may read the database beside it.
fn put(path: &Path, words: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path)?.write_all(words.as_bytes())
}

/// A second connection to a database that is open already.
pub(crate) fn connect_again(path: &Path) -> Result<Connection, StoreError> {
    open::connect_again(path)
}
