//! Opening the database: right settings, right format, and a damaged file put aside.

use super::salvage::{self, Saved};
use super::{
    Loaded, Log, Medium, Store, StoreError, activity, beside, busy, damage, load, log_path,
    migrations, quarantine, real, retention, wal,
};
use crate::launches;
use headsup_core::time::UnixMs;
use rusqlite::wal::CheckpointMode;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs::{File, OpenOptions, Permissions};
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long somebody else may keep the database locked.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
/// More events than a write-ahead log holds: it is kept short.
const IN_A_LOG: u64 = 1 << 17;
/// The index of a write-ahead log takes that at least. Bytes.
const INDEX: u64 = 32 << 10;
/// So often, and so long apart, a disk that does not give all is asked before a start gives up: 2 s.
const LOOKS: u32 = 10;
const LOOKS_AFTER: Duration = Duration::from_millis(200);

/// A store and what was in it.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) store: Store,
    pub(crate) loaded: Loaded,
    /// Where a damaged database was put, or a copy of its write-ahead log.
    pub(crate) quarantined: Option<PathBuf>,
}

impl Store {
    /// Opens the database at `path`, or makes it. A damaged one is put aside, and what can be read of it goes on in a
    /// new one.
    pub(crate) fn open(path: &Path, now: UnixMs) -> Result<Opened, StoreError> {
        let was_cut = is_cut(path);
        let opened = Self::try_open(path, now).map_err(|error| of_a_full_disk(error, path));
        // A start that fails may move all of the log into the database all the same: nobody has taken it away then.
        if opened.is_err() && !was_cut && !log_path(path).exists() {
            quarantine::forget_use(path);
        }
        opened
    }

    fn try_open(path: &Path, now: UnixMs) -> Result<Opened, StoreError> {
        busy::clear(path);
        salvage::finish(path)?;
        check_file(path)?;
        let is_emptied = is_emptied(path);
        if is_emptied {
            tracing::warn!(
                at = %path.display(),
                "the database is empty or gone, although hubs have run here: what was in it is lost"
            );
        }
        if quarantine::is_cut(path) || is_gone(path) {
            // What a hub meets behind the cut is none of the database's own damage, and what it has met in one that is
            // gone is none of the next one's.
            quarantine::trust(path);
        }
        // Taking over what can be read may move the log into the database.
        let was_cut = is_cut(path);
        // Its start may not meet what was found in it: where nothing can be taken over it goes on.
        if quarantine::is_doubted(path) {
            match save(path, now) {
                Ok(Some(saved)) => {
                    return replace(path, now, Some(saved), "the last hub has found damage");
                }
                Ok(None) => quarantine::trust(path),
                // It is served as it is: that can be read, and the next start tries again.
                Err(error) if salvage::is_of_the_disk(&error) => tracing::error!(
                    %error, "no new database can be written in place of the damaged one: it is used as it is"
                ),
                Err(error) => return Err(error),
            }
        }
        let looked = look_at_log(path);
        let is_cut = was_cut || quarantine::is_cut(path) || looked.is_short;
        let is_told_by_mark = was_cut
            && !beside(&real(path), "-shm").exists()
            && !quarantine::is_cut(path)
            && !looked.is_short;
        let log = looked.is_damaged.then(|| keep_log(path, now));
        if looked.is_older {
            leave_out_log(path);
        }
        match open_again(path, now) {
            Err(StoreError::Damaged(why)) => replace(path, now, save(path, now)?, &why.to_string()),
            Err(StoreError::Head(why)) => replace(path, now, save(path, now)?, why),
            other => {
                let (mut store, mut loaded) = other?;
                if is_emptied && loaded.oldest > loaded.head {
                    store.go_on_behind(&mut loaded, u64::try_from(now.0).unwrap_or(0))?;
                    store.empty_log();
                } else if is_cut || log.is_some() {
                    store.leave_free(&mut loaded, IN_A_LOG)?;
                    store.empty_log();
                }
                if let Some(kept) = &log {
                    tracing::error!(
                        kept = %kept.display(), goes_on_behind = loaded.head,
                        "the write-ahead log that a killed hub has left was damaged: what stood behind the damage is lost"
                    );
                } else if is_told_by_mark {
                    tracing::warn!(
                        missing = %store.log_path.display(), goes_on_behind = loaded.head,
                        "the write-ahead log that a killed hub has left is gone: unless another program (as sqlite3) has moved it into the database, what was reported last is lost"
                    );
                } else if is_cut {
                    tracing::error!(
                        missing = %store.log_path.display(), goes_on_behind = loaded.head,
                        "the write-ahead log of the last hub is gone or was cut: what was reported last is lost"
                    );
                }
                quarantine::forget_cut(path);
                Ok(Opened { store, loaded, quarantined: log })
            }
        }
    }

    /// The same, of an event log that goes on: what is kept of it is counted without these places.
    fn leave_free(&mut self, loaded: &mut Loaded, lost: u64) -> Result<(), StoreError> {
        self.go_on_behind(loaded, lost)?;
        self.free_places += lost;
        let sql = "INSERT OR REPLACE INTO meta (key, value) VALUES ('free_places', ?1)";
        self.connection.execute(sql, [self.free_places.to_string()])?;
        Ok(())
    }

    /// Leaves so many places free behind the last event: nobody's cursor into what is lost may name one of the log
    /// that goes on.
    fn go_on_behind(&self, loaded: &mut Loaded, lost: u64) -> Result<(), StoreError> {
        let is_empty = loaded.oldest > loaded.head;
        loaded.head += lost;
        if is_empty {
            loaded.oldest = loaded.head + 1;
        }
        let sql = "INSERT OR REPLACE INTO meta (key, value) VALUES ('begins_behind', ?1)";
        self.connection.execute(sql, [loaded.head.to_string()])?;
        Ok(())
    }

    /// Nothing that stood behind the damage is left for another start to meet, and where the log goes on is in the
    /// database: the next cut does not take it along.
    fn empty_log(&self) {
        match self.connection.wal_checkpoint_v2(None::<&str>, CheckpointMode::TRUNCATE) {
            Ok(_) => self.log.is(0),
            Err(error) => tracing::warn!(%error, "the write-ahead log cannot be emptied"),
        }
    }
}

/// `SQLite` says only that something has failed where the write-ahead log's index finds no room (`SQLITE_IOERR_SHMSIZE`,
/// 3.54.1).
fn of_a_full_disk(error: StoreError, path: &Path) -> StoreError {
    let real = real(path);
    let folder = real.parent().unwrap_or(Path::new("."));
    let has_no_room = || {
        let disk = rustix::fs::statvfs(folder);
        disk.is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) < INDEX)
    };
    match error {
        StoreError::Sqlite(error)
            if error.sqlite_error_code() == Some(ErrorCode::SystemIoFailure) && has_no_room() =>
        {
            StoreError::Full(error)
        }
        other => other,
    }
}

/// What can be read of a damaged database. Nothing is taken for damaged of which the disk does not give all: it may
/// give it in a moment, and nobody would look for it in what lies aside.
fn save(path: &Path, now: UnixMs) -> Result<Option<Saved>, StoreError> {
    read_all(path)?;
    let saved = salvage::fill(path, now);
    if damage::read_all(path).is_ok() {
        return saved;
    }
    // What it was not given meanwhile is missing in it.
    read_all(path)?;
    let saved = salvage::fill(path, now);
    damage::read_all(path)?;
    saved
}

/// A moment may be enough: a hub that starts again in its own process has no next start.
fn read_all(path: &Path) -> Result<(), StoreError> {
    for _ in 0..LOOKS {
        if damage::read_all(path).is_ok() {
            return Ok(());
        }
        std::thread::park_timeout(LOOKS_AFTER);
    }
    damage::read_all(path)
}

/// Opens it; where a read has failed, which `SQLite` may call damage, once more, if the disk gives all of it by then.
fn open_again(path: &Path, now: UnixMs) -> Result<(Store, Loaded), StoreError> {
    let opened = open(path, now);
    let may_be_unread = match &opened {
        Err(StoreError::Damaged(_)) => true,
        Err(StoreError::Sqlite(error)) => {
            error.sqlite_error_code() == Some(ErrorCode::SystemIoFailure)
        }
        _ => false,
    };
    if !may_be_unread {
        return opened;
    }
    read_all(path)?;
    open(path, now)
}

/// Puts a damaged database aside, and goes on with what was taken over of it, or with nothing.
fn replace(
    path: &Path,
    now: UnixMs,
    saved: Option<Saved>,
    why: &str,
) -> Result<Opened, StoreError> {
    let aside = quarantine::put_aside(path, now)?;
    if let Some(saved) = saved {
        let saved = saved.to_string();
        match salvage::finish(path).map_err(StoreError::from).and_then(|()| open(path, now)) {
            Ok((store, loaded)) => {
                tracing::error!(
                    why, kept = %aside.display(), saved,
                    "the database was damaged: it is kept aside, and what could be read of it goes on in a new one"
                );
                quarantine::note(&aside, &saved);
                return Ok(Opened { store, loaded, quarantined: Some(aside) });
            }
            // It is whole, and the next start goes on with it.
            Err(error) if salvage::is_of_the_disk(&error) => {
                quarantine::note(&aside, &saved);
                return Err(error);
            }
            Err(error) => {
                tracing::error!(%error, saved, "what was taken over cannot be used");
                for part in ["-wal", "-shm", ""] {
                    std::fs::remove_file(beside(path, part)).ok();
                }
            }
        }
    }
    tracing::error!(
        why, kept = %aside.display(),
        "the database is damaged: it is kept aside and a new one is begun"
    );
    let (store, mut loaded) = open(path, now)?;
    store.go_on_behind(&mut loaded, u64::try_from(now.0).unwrap_or(0))?;
    store.empty_log();
    Ok(Opened { store, loaded, quarantined: Some(aside) })
}

/// Whoever opens a pipe waits for its other end, and what a link leads to may be on a disk that is not there yet.
fn check_file(path: &Path) -> Result<(), StoreError> {
    let unlike = |words: &str| Err(StoreError::Unlike(words.to_owned()));
    match std::fs::metadata(path) {
        Ok(file) if file.is_dir() => unlike("it is a folder"),
        Ok(file) if !file.is_file() => unlike("it is no regular file"),
        Err(error) if error.kind() == ErrorKind::NotFound && path.is_symlink() => {
            unlike("it is a link to a file that is not there")
        }
        // Whatever else is wrong is said where it is opened.
        _ => check_parts(path),
    }
}

/// Of what lies beside it `SQLite` says only that something cannot be opened, or written; nor does it follow a link
/// there. And whoever opens a pipe, to say that the database is in use, waits.
fn check_parts(path: &Path) -> Result<(), StoreError> {
    let parts = ["-wal", "-shm", "-journal"].map(|part| beside(&real(path), part));
    for part in parts.into_iter().chain([quarantine::place_of_use(path)]) {
        if std::fs::symlink_metadata(&part).is_ok_and(|part| !part.is_file()) {
            let part = part.display();
            let said = format!("{part} is in the way and is not a regular file; move it away");
            return Err(std::io::Error::other(said).into());
        }
    }
    Ok(())
}

fn is_gone(path: &Path) -> bool {
    std::fs::metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// A hub has been here for a while, and the database is not, or has nothing in it.
pub(super) fn is_emptied(path: &Path) -> bool {
    let is_there = |name: &str| path.parent().is_some_and(|home| home.join(name).exists());
    let has_nothing = match std::fs::metadata(path) {
        Err(error) => error.kind() == ErrorKind::NotFound,
        // One byte is nothing to `SQLite`, too.
        Ok(file) => file.len() <= 1 || has_lost_all(path),
    };
    has_nothing && ["token", launches::FOLDER, "forge"].into_iter().any(is_there)
}

/// All that was in it stood in a write-ahead log, which somebody has taken away together with its index: there is a
/// first page that says so, and it lists no table (`SQLite`'s file format, 1.3 and 1.6).
fn has_lost_all(path: &Path) -> bool {
    const OF_A_LOG: [u8; 2] = [2, 2];
    const LEAF: u8 = 13;
    const NO_CELLS: [u8; 2] = [0, 0];
    let is_there = |part: &str| beside(&real(path), part).exists();
    let mut head = [0; 105];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok()
        && head.starts_with(b"SQLite format 3\0")
        && head[18..20] == OF_A_LOG
        && head[100] == LEAF
        && head[103..] == NO_CELLS
        && !is_there("-wal")
        && !is_there("-shm")
}

/// Somebody has taken the write-ahead log away: a hub that was killed has left it, and `SQLite` removes the log's
/// index before the log, so whoever leaves that leaves the log, too.
pub(super) fn is_cut(path: &Path) -> bool {
    let is_filled = std::fs::metadata(path).is_ok_and(|file| file.len() > 0);
    let was_there = quarantine::is_in_use(path) || beside(&real(path), "-shm").exists();
    is_filled && was_there && !log_path(path).exists()
}

/// Whether something is wrong with the write-ahead log that a killed hub has left.
fn look_at_log(path: &Path) -> wal::Looked {
    let log = log_path(path);
    wal::look(&log, &beside(&real(path), "-shm")).unwrap_or_else(|error| {
        tracing::warn!(at = %log.display(), %error, "the write-ahead log cannot be looked at");
        wal::Looked::default()
    })
}

/// The copy of a write-ahead log that was damaged. `SQLite` goes on with what stands before the damage, and writes over
/// all of it.
fn keep_log(path: &Path, now: UnixMs) -> PathBuf {
    let kept = quarantine::place_of_log(path, now);
    if let Err(error) = std::fs::copy(log_path(path), &kept) {
        tracing::error!(%error, "no copy of the damaged write-ahead log can be made");
    }
    kept
}

/// `SQLite` would put what is left of the log over what is newer in the database.
fn leave_out_log(path: &Path) {
    let log = log_path(path);
    let emptied = OpenOptions::new().write(true).open(&log).and_then(|file| file.set_len(0));
    match emptied {
        Ok(()) => tracing::warn!(
            at = %log.display(),
            "what is left of the write-ahead log is older than the database: it is left out"
        ),
        Err(error) => tracing::error!(%error, "the write-ahead log cannot be left out"),
    }
}

fn open(path: &Path, now: UnixMs) -> Result<(Store, Loaded), StoreError> {
    // SQLite gives its other files the mode of the first.
    let mut there = OpenOptions::new();
    there.read(true).write(true).create(true).truncate(false).mode(0o600);
    let writer = writer_of(&there.open(path)?);
    close_to_others(path);
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    migrations::check(&connection)?;
    check_head(&connection, writer)?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // Checkpoints wait for the disk; the writer's callers must not. The flusher does them.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "cache_size", -2_048)?;
    migrations::run(&mut connection, path, now).map_err(migrations::in_words)?;
    let loaded = Loaded::from(&connection, path, now).map_err(migrations::in_words)?;
    // What a killed hub has left counts too.
    let log_path = log_path(path);
    let page: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let page_bytes = u64::from(page);
    let log = std::fs::metadata(&log_path).map_or(0, |log| log.len() / page_bytes);
    let (pages, log) = (u32::try_from(log).unwrap_or(u32::MAX), Log::of_pages(page_bytes));
    log.is(pages);
    let seen = log.clone();
    connection.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages| {
        seen.is(u32::try_from(pages).unwrap_or(0));
        Ok(())
    }))?;
    let activity_until = activity::until(&connection)?.max(loaded.oldest.saturating_sub(1));
    let free_places = load::number(&connection, "free_places")?;
    // A file system without shared memory has no such log.
    let in_use = log_path.exists().then(|| quarantine::InUse::begin(path));
    let store = Store {
        free_places,
        connection,
        medium: Medium::of(path),
        _in_use: in_use,
        path: path.to_owned(),
        log_path,
        log,
        activity_until,
        sweep: retention::Sweep::default(),
    };
    Ok((store, loaded))
}

/// Who may write it, as its head says; 0 where that is not read (`SQLite`'s file format, 1.3).
fn writer_of(file: &File) -> u8 {
    let mut writer = [0];
    file.read_exact_at(&mut writer, 18).ok().map_or(0, |()| writer[0])
}

/// What is read of a head as something else than damage, although no version has written it (`SQLite`'s file format,
/// 1.3; what it says of such a head: 3.54.1).
fn check_head(connection: &Connection, writer: u8) -> Result<(), StoreError> {
    const NEWEST: u8 = 2;
    if connection.is_readonly("main")? {
        if writer > NEWEST {
            return Err(StoreError::Head("it says that a newer SQLite alone may write it"));
        }
        // A file that cannot be opened to be written, for a moment, is opened to be read (its `os_unix.c`, 3.54.1).
        return Err(std::io::Error::other("it can only be read just now").into());
    }
    // The first statement that looks into the description of the tables.
    let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE rootpage = 2)";
    let has_root = match connection.query_row(sql, [], |row| row.get::<_, bool>(0)) {
        Err(rusqlite::Error::SqliteFailure(_, Some(said))) if said == "unsupported file format" => {
            return Err(StoreError::Head(
                "it says that its tables are described as by a newer SQLite",
            ));
        }
        other => other?,
    };
    // Where pages are moved the second one tells where all others belong, and is no table's: whoever writes would
    // write that over it.
    let moves: u32 = connection.pragma_query_value(None, "auto_vacuum", |row| row.get(0))?;
    if moves != 0 && has_root {
        return Err(StoreError::Head("it says that its pages are moved, and they are not"));
    }
    Ok(())
}

/// A database that somebody has put there, as a copy of an earlier day, may be open to others.
fn close_to_others(path: &Path) {
    for part in ["", "-wal", "-shm"] {
        let file = beside(&real(path), part);
        let mode = std::fs::metadata(&file).map_or(0, |meta| meta.mode());
        let is_open = mode & 0o077 != 0;
        if !is_open {
            continue;
        }
        match std::fs::set_permissions(&file, Permissions::from_mode(mode & 0o700)) {
            Ok(()) => tracing::warn!(at = %file.display(), "it was open to others: closed"),
            Err(error) => tracing::warn!(at = %file.display(), %error, "it is open to others"),
        }
    }
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
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}
