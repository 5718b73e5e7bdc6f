//! What can still be read of a damaged database goes into a new one.
//!
//! Each table is read from its beginning up to the damage, and from its end back to it. The new database is made
//! beside the old one and takes its place only when it is whole: a hub that is killed meanwhile begins again.

mod head;
mod rebuilt;
#[cfg(test)]
mod tests;

use super::busy::Busy;
use super::{StoreError, arguments, beside, load, log_path, migrations, open, quarantine};
use head::Mended;
use headsup_core::seat::Seat;
use headsup_core::time::UnixMs;
use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row, ffi, params_from_iter};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::{fmt, fs, io};

/// Under these names it is made, and waits for its place.
const FILLING: &str = "-filling";
const FILLED: &str = "-filled";
/// So often the log says how far it is. Rows.
const EVERY: u64 = 100_000;
/// A row in the file takes more than this. Bytes.
const ROW: u64 = 4;
/// An event takes more than this. Bytes.
const EVENT: u64 = 64;
/// Where `PRAGMA table_info` has the name of a column (`SQLite`'s documentation of it).
const NAME: usize = 1;
/// Columns that hold JSON, whatever the table.
const JSON: [&str; 7] = ["state", "doc", "history", "entry", "approvals", "reviews", "blocks"];

/// What was taken over.
#[derive(Debug, Default)]
pub(super) struct Saved {
    tables: Vec<Table>,
    /// Seats whose rows are lost, and of which the log knows.
    rebuilt: u64,
}

#[derive(Debug, Default)]
struct Table {
    name: &'static str,
    rows: u64,
    /// Rows that could be read and make no sense.
    bad: u64,
    /// Rows that are known to be missing.
    lost: u64,
    /// Nothing is missing.
    is_whole: bool,
    /// Its last row is there.
    has_end: bool,
}

/// Makes the new database beside the damaged one. `None` where nothing can be taken over: nothing that is wrong in
/// the old one keeps a hub from its start.
///
/// # Errors
/// The disk does not take the new one ([`is_of_the_disk`]): with room, all of it could be taken over.
pub(super) fn fill(path: &Path, now: UnixMs) -> Result<Option<Saved>, StoreError> {
    let words = "its database is damaged, and what can be read of it goes into a new one";
    let _busy = Busy::with(path, words);
    match try_fill(path, now) {
        Ok(saved) => Ok((saved.rows() > 0).then_some(saved)),
        Err(error) => {
            tracing::error!(%error, "nothing can be taken over from the damaged database");
            fs::remove_file(beside(path, FILLING)).ok();
            if is_of_the_disk(&error) { Err(error) } else { Ok(None) }
        }
    }
}

/// Whether another moment may do better: the disk is full, or fails.
pub(super) fn is_of_the_disk(error: &StoreError) -> bool {
    match error {
        StoreError::Full(_) | StoreError::Io(_) => true,
        StoreError::Sqlite(error) => matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen | ErrorCode::ReadOnly)
        ),
        _ => false,
    }
}

/// Puts the new database in its place, once the old one has left it; also for a hub that was killed between the two.
pub(super) fn finish(path: &Path) -> io::Result<()> {
    let filled = beside(path, FILLED);
    if path.exists() {
        // Made for one that is still to be put aside: it is made again.
        fs::remove_file(filled).ok();
    } else if filled.exists() {
        fs::rename(filled, path)?;
        // That was about the old one.
        quarantine::trust(path);
    }
    Ok(())
}

fn try_fill(path: &Path, now: UnixMs) -> Result<Saved, StoreError> {
    let length = |path: &Path| fs::metadata(path).map_or(0, |file| file.len());
    let bytes = length(path) + length(&log_path(path));
    tracing::warn!(
        at = %path.display(), bytes,
        "the database is damaged: what can be read of it is taken over into a new one, which may take a while"
    );
    let mended = Mended::of(path)?;
    let (old, format) = damaged(mended.as_ref().map_or(path, Mended::path))?;
    let filling = beside(path, FILLING);
    let mut new = empty(&filling, now)?;
    let mut saved = Saved::default();
    for (name, order) in migrations::TABLES {
        let table = match take(&old, &mut new, name, order, bytes) {
            Err(error) if is_of_the_disk(&error) => return Err(error),
            Err(error) => {
                tracing::warn!(table = name, %error, "a table cannot be taken over");
                Table { name, ..Table::default() }
            }
            Ok(table) => table,
        };
        let Table { rows, bad, is_whole, .. } = &table;
        tracing::info!(table = name, rows, bad, is_whole, "a table is taken over");
        saved.tables.push(table);
    }
    drop(old);
    if saved.rows() > 0 {
        complete(&new, &mut saved, bytes, now)?;
        if format != migrations::known() {
            arguments::move_out(&mut new, path, now)?;
        }
        drop(new);
        File::open(&filling)?.sync_all()?;
        fs::rename(&filling, beside(path, FILLED))?;
    } else {
        drop(new);
        fs::remove_file(&filling)?;
    }
    Ok(saved)
}

/// The damaged database, and its format as far as it is known. One of a newer version is left alone.
fn damaged(path: &Path) -> Result<(Connection, u32), StoreError> {
    let old = open::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // Tables whose description can be read are read, and the file may be shorter than it says.
    for pragma in ["query_only", "writable_schema", "cell_size_check"] {
        old.pragma_update(None, pragma, 1)?;
    }
    // The first statement fails on a damaged description; those behind it see what there is.
    old.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())).ok();
    match migrations::check(&old) {
        Err(error @ StoreError::Newer { .. }) => Err(error),
        other => Ok((old, other.unwrap_or(0))),
    }
}

/// An empty database of our format, that is given up if anything happens while it is filled.
fn empty(path: &Path, now: UnixMs) -> Result<Connection, StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    let mut new = open::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    new.pragma_update_and_check(None, "journal_mode", "MEMORY", |_| Ok(()))?;
    new.pragma_update(None, "synchronous", "OFF")?;
    migrations::run(&mut new, path, now)?;
    Ok(new)
}

fn take(
    old: &Connection,
    new: &mut Connection,
    name: &'static str,
    order: &[&str],
    bytes: u64,
) -> Result<Table, StoreError> {
    let mut table = Table { name, ..Table::default() };
    let Ok(there) = columns(old, name) else { return Ok(table) };
    // An older format has fewer.
    let mut both = columns(new, name)?;
    both.retain(|column| there.contains(column));
    if both.is_empty() {
        return Ok(table);
    }
    let into = new.transaction()?;
    let passage = Passage { old, into: &into, columns: &both, order, most: bytes / ROW };
    if passage.go(&mut table, "ASC")? == Way::Whole {
        (table.is_whole, table.has_end) = (table.bad == 0, true);
    } else {
        let before = table.rows;
        let back = passage.go(&mut table, "DESC")?;
        table.has_end = table.rows > before || back != Way::Damaged;
    }
    into.commit()?;
    Ok(table)
}

/// What the columns of a table are called; nothing of one that is not there. A damaged description may name one by
/// bytes that are no text: it is left out, and no statement is asked for it, as the library panics over such a name.
fn columns(connection: &Connection, table: &str) -> Result<Vec<String>, StoreError> {
    let mut select = connection.prepare(&format!("PRAGMA table_info({table})"))?;
    let mut rows = select.query([])?;
    let mut names = Vec::new();
    while let Some(row) = rows.next()? {
        names.extend(row.get_ref(NAME)?.as_str().ok().map(str::to_owned));
    }
    Ok(names)
}

/// How far a table could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// To its end.
    Whole,
    /// To what cannot be read.
    Damaged,
    /// To a row that is there already.
    Known,
}

/// From one database to the other.
struct Passage<'a> {
    old: &'a Connection,
    into: &'a Connection,
    columns: &'a [String],
    order: &'a [&'a str],
    /// More rows than the file has room for are read in a circle.
    most: u64,
}

impl Passage<'_> {
    /// Takes over what can be read in one direction. An error is one of the new database.
    fn go(&self, table: &mut Table, direction: &str) -> Result<Way, StoreError> {
        let (name, columns) = (table.name, self.columns.join(", "));
        let marks = vec!["?"; self.columns.len()].join(", ");
        let mut insert =
            self.into.prepare(&format!("INSERT INTO {name} ({columns}) VALUES ({marks})"))?;
        let order: Vec<String> =
            self.order.iter().map(|column| format!("{column} {direction}")).collect();
        let select = format!("SELECT {columns} FROM {name} ORDER BY {}", order.join(", "));
        let Ok(mut select) = self.old.prepare(&select) else { return Ok(Way::Damaged) };
        let Ok(mut rows) = select.query([]) else { return Ok(Way::Damaged) };
        for _ in 0..self.most {
            let row = match rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => return Ok(Way::Whole),
                Err(error) => {
                    let rows = table.rows;
                    tracing::info!(table = name, direction, rows, %error, "here is the damage");
                    return Ok(Way::Damaged);
                }
            };
            let Some(values) = sound(name, self.columns, row) else {
                table.bad += 1;
                continue;
            };
            match insert.execute(params_from_iter(values)) {
                Ok(_) => {
                    table.rows += 1;
                    if table.rows.is_multiple_of(EVERY) {
                        tracing::info!(table = name, rows = table.rows, "taken over so far");
                    }
                }
                Err(error) if is_there(&error) => return Ok(Way::Known),
                Err(error) if is_refused(&error) => table.bad += 1,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Way::Damaged)
    }
}

fn is_there(error: &rusqlite::Error) -> bool {
    let keys = [ffi::SQLITE_CONSTRAINT_PRIMARYKEY, ffi::SQLITE_CONSTRAINT_ROWID];
    error.sqlite_extended_error_code().is_some_and(|code| keys.contains(&code))
}

/// A value that its column does not take.
fn is_refused(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation)
}

/// As much of an event as shows that it is the one of its row.
#[derive(Deserialize)]
struct Told {
    cursor: String,
    agent_id: String,
}

/// The values of a row, if they make sense together.
fn sound(table: &str, columns: &[String], row: &Row<'_>) -> Option<Vec<Value>> {
    let values = (0..columns.len()).map(|column| row.get(column));
    let values = values.collect::<rusqlite::Result<Vec<Value>>>().ok()?;
    let value = |name: &str| {
        let column = columns.iter().position(|column| column == name)?;
        values.get(column)
    };
    let text = |name: &str| match value(name)? {
        Value::Text(text) => Some(text.as_str()),
        _ => None,
    };
    let is_sound = match table {
        "events" => {
            let Told { cursor, agent_id } = serde_json::from_str(text("body")?).ok()?;
            let is_its = |seq: &Value| *seq == Value::Integer(cursor.parse().unwrap_or(0));
            value("seq").is_some_and(is_its) && text("agent") == Some(agent_id.as_str())
        }
        "seats" => {
            let seat: Seat = serde_json::from_str(text("state")?).ok()?;
            text("id") == Some(seat.id.as_str())
        }
        _ => JSON.iter().all(|name| {
            text(name).is_none_or(|json| serde_json::from_str::<IgnoredAny>(json).is_ok())
        }),
    };
    is_sound.then_some(values)
}

/// What follows from one table for the others.
fn complete(
    new: &Connection,
    saved: &mut Saved,
    bytes: u64,
    now: UnixMs,
) -> Result<(), StoreError> {
    let sql = "SELECT MIN(seq), MAX(seq), COUNT(*) FROM events";
    let (first, last, count): (Option<i64>, Option<i64>, i64) =
        new.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let between = first.zip(last).map_or(0, |(first, last)| last - first + 1 - count);
    let mut ends_well = saved.is_whole("meta") || last.is_some();
    for events in saved.tables.iter_mut().filter(|table| table.name == "events") {
        events.lost = between.cast_unsigned();
        ends_well &= events.has_end;
    }
    let behind = load::begins_behind(new)?;
    let mut head = last.map_or(0, i64::cast_unsigned).max(behind);
    if !ends_well {
        // Nobody's cursor into what is lost may name a place in the new log.
        head += bytes / EVENT;
        if last.is_none() {
            head = head.max(u64::try_from(now.0).unwrap_or(0));
        }
        let sql = "INSERT OR REPLACE INTO meta (key, value) VALUES ('begins_behind', ?1)";
        new.execute(sql, [head.to_string()])?;
    }
    if !saved.is_whole("prompts") {
        // Of an id that was there twice the last one counts.
        let sql = "INSERT OR IGNORE INTO prompts (id, agent, seq)
                   SELECT body ->> '$.prompt.id', agent, seq FROM events
                   WHERE type = 'prompt.resolved' AND body ->> '$.prompt.id' IS NOT NULL
                   ORDER BY seq DESC";
        new.execute(sql, [])?;
    }
    if !saved.is_whole("seats") {
        saved.rebuilt = rebuilt::rebuild(new, head)?;
    }
    Ok(())
}

impl Saved {
    fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    fn is_whole(&self, name: &str) -> bool {
        self.tables.iter().any(|table| table.name == name && table.is_whole)
    }
}

impl fmt::Display for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |name: &str| {
            let tables = self.tables.iter().filter(|table| table.name == name);
            tables.map(|table| table.rows).sum::<u64>()
        };
        let (agents, events) = (of("seats"), of("events"));
        let others = self.rows() - agents - events;
        write!(f, "taken over: agents {agents}, events {events}, other rows {others}")?;
        let torn: Vec<String> =
            self.tables.iter().filter(|table| !table.is_whole).map(Table::loss).collect();
        if !torn.is_empty() {
            write!(f, "; not all could be read of {}", torn.join(", "))?;
        }
        match self.rebuilt {
            0 => Ok(()),
            rebuilt => write!(f, "; known by their events alone: agents {rebuilt}"),
        }
    }
}

impl Table {
    fn loss(&self) -> String {
        match self.lost.max(self.bad) {
            0 => self.name.to_owned(),
            lost => format!("{} ({lost} lost)", self.name),
        }
    }
}
