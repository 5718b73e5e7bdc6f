//! The store: the log of events and the seats it has led to, in one `SQLite` file.
//!
//! One connection writes, all in transactions of [`mod@write`]; readers have their own. The log and
//! the seats change in the same transaction, so the one is always the fold of the other.

mod activity;
pub(crate) mod effects;
mod history;
mod load;
mod migrations;
mod open;
mod prompts;
pub(crate) mod pulls;
mod quarantine;
mod read;
mod retention;
pub(crate) mod tasks;
#[cfg(test)]
mod tests;
pub(crate) mod webhooks;
mod write;

pub(crate) use load::Loaded;
pub(crate) use open::Opened;
pub(crate) use read::Reader;
pub(crate) use write::{Changes, PromptKey, StoredId};

use rusqlite::wal::CheckpointMode;
use rusqlite::{Connection, ErrorCode};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The writer's connection.
#[derive(Debug)]
pub(crate) struct Store {
    connection: Connection,
    path: PathBuf,
    /// Pages in the write-ahead log after the last commit.
    log_pages: Arc<AtomicU32>,
    activity_until: u64,
    sweep: retention::Sweep,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    #[error("it has format {found}, this version knows up to {known}")]
    Newer { found: u32, known: u32 },
    #[error("the disk is full: {0}")]
    Full(rusqlite::Error),
    #[error("it is damaged: {0}")]
    Damaged(rusqlite::Error),
    #[error("{0}")]
    Sqlite(rusqlite::Error),
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("a value cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full(error),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged(error),
            _ => Self::Sqlite(error),
        }
    }
}

impl Store {
    /// Pages in the write-ahead log that may wait for a checkpoint.
    pub(crate) fn log_pages(&self) -> u32 {
        self.log_pages.load(Ordering::Relaxed)
    }

    /// Copies what it can from the write-ahead log into the database, without waiting for anyone.
    pub(crate) fn checkpoint(&self) -> Result<(), StoreError> {
        checkpoint(&self.connection)
    }

    /// The write-ahead log's file.
    pub(crate) fn log_path(&self) -> PathBuf {
        log_path(&self.path)
    }

    pub(crate) fn log_is_empty(&self) -> bool {
        std::fs::metadata(self.log_path()).map_or(true, |log| log.len() == 0)
    }

    /// What is stored, for the writer to look at.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }
}

pub(crate) fn checkpoint(connection: &Connection) -> Result<(), StoreError> {
    connection.wal_checkpoint_v2(None::<&str>, CheckpointMode::PASSIVE)?;
    Ok(())
}

/// Empties a write-ahead log that is in the database already: the next start after a kill reads
/// all that is in it. Whoever uses it now is let be; it is then emptied another time.
pub(crate) fn empty_log(connection: &Connection) -> Result<(), StoreError> {
    connection.busy_timeout(Duration::ZERO)?;
    match connection.wal_checkpoint_v2(None::<&str>, CheckpointMode::TRUNCATE) {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(()),
        other => Ok(other.map(drop)?),
    }
}

fn log_path(database: &Path) -> PathBuf {
    let mut name = database.to_owned().into_os_string();
    name.push("-wal");
    name.into()
}

/// A second connection to a database that is open already.
pub(crate) fn connect_again(path: &Path) -> Result<Connection, StoreError> {
    open::connect_again(path)
}
