//! Opening the database: right settings, right format, and a damaged file put aside.

use super::{
    Loaded, Log, Store, StoreError, activity, log_path, migrations, quarantine, retention,
};
use headsup_core::time::UnixMs;
use rusqlite::{Connection, OpenFlags};
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A page in the write-ahead log, about.
const PAGE_BYTES: u64 = 4_096;

/// A store and what was in it.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) store: Store,
    pub(crate) loaded: Loaded,
    /// Where a damaged database was put.
    pub(crate) quarantined: Option<PathBuf>,
}

impl Store {
    /// Opens the database at `path`, or makes it. A damaged one is put aside and a new one made.
    pub(crate) fn open(path: &Path, now: UnixMs) -> Result<Opened, StoreError> {
        let (found, quarantined) = match open(path, now) {
            Err(StoreError::Damaged(why)) => {
                let aside = quarantine::put_aside(path, now)?;
                tracing::error!(
                    %why, kept = %aside.display(),
                    "the database is damaged: it is kept aside and a new one is begun"
                );
                let mut fresh = open(path, now)?;
                // Nobody's cursor into the lost log may name a place in the new one.
                fresh.1.head = fresh.0.begin_at(now)?;
                fresh.1.oldest = fresh.1.head + 1;
                (fresh, Some(aside))
            }
            other => (other?, None),
        };
        let (store, loaded) = found;
        Ok(Opened { store, loaded, quarantined })
    }

    fn begin_at(&self, now: UnixMs) -> Result<u64, StoreError> {
        let head = u64::try_from(now.0).unwrap_or(0);
        let sql = "INSERT INTO meta (key, value) VALUES ('begins_behind', ?1)";
        self.connection.execute(sql, [head.to_string()])?;
        Ok(head)
    }
}

fn open(path: &Path, now: UnixMs) -> Result<(Store, Loaded), StoreError> {
    // SQLite gives its other files the mode of the first.
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    migrations::check(&connection)?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // Checkpoints wait for the disk; the writer's callers must not. The flusher does them.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "cache_size", -2_048)?;
    migrations::run(&mut connection, path, now)?;
    let loaded = Loaded::from(&connection, path, now)?;
    // What a killed hub has left counts too.
    let log = std::fs::metadata(log_path(path)).map_or(0, |log| log.len() / PAGE_BYTES);
    let (pages, log) = (u32::try_from(log).unwrap_or(u32::MAX), Log::default());
    log.is(pages);
    let seen = log.clone();
    connection.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages| {
        seen.is(u32::try_from(pages).unwrap_or(0));
        Ok(())
    }))?;
    let activity_until = activity::until(&connection)?.max(loaded.oldest.saturating_sub(1));
    let store = Store {
        connection,
        path: path.to_owned(),
        log,
        activity_until,
        sweep: retention::Sweep::default(),
    };
    Ok((store, loaded))
}

pub(super) fn connect_again(path: &Path) -> Result<Connection, StoreError> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "cache_size", -512)?;
    Ok(connection)
}

pub(super) fn connect(path: &Path, access: OpenFlags) -> Result<Connection, StoreError> {
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}
