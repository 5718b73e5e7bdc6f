//! What a start needs: the seats and the two ends of the log. No scan of the log.

use super::{StoreError, open};
use headsup_adapters::hook_table;
use headsup_core::gate;
use headsup_core::seat::Seat;
use headsup_core::time::UnixMs;
use rusqlite::{Connection, Error, OpenFlags, OptionalExtension as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

#[derive(Debug, Default)]
pub(crate) struct Loaded {
    /// They age from the start on: a hub that was away says nothing of an agent.
    pub(crate) seats: Vec<Arc<Seat>>,
    /// The last event's place, as far as there was one; 0 before the first.
    pub(crate) head: u64,
    /// The oldest event kept; one more than the head where there is none.
    pub(crate) oldest: u64,
    /// When the last event was written.
    pub(crate) last_at: UnixMs,
    /// Seats whose stored state this version cannot read. They stay in the store.
    pub(crate) unreadable: usize,
    /// The last id of a report by order, not by time. Read here, where damage is met.
    pub(crate) last_id: Option<String>,
}

impl Loaded {
    pub(super) fn from(
        connection: &Connection,
        path: &Path,
        now: UnixMs,
    ) -> Result<Self, StoreError> {
        Self::read(connection, path, now).map_err(misplaced)
    }

    fn read(connection: &Connection, path: &Path, now: UnixMs) -> Result<Self, StoreError> {
        let mut loaded = Self::default();
        let end = |order: &str| {
            let sql = format!("SELECT seq, at FROM events ORDER BY seq {order} LIMIT 1");
            let end = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get(1)?));
            connection.query_row(&sql, [], end).optional()
        };
        if let (Some((oldest, _)), Some((head, at))) = (end("ASC")?, end("DESC")?) {
            loaded.oldest = oldest.cast_unsigned();
            // Behind the end of a log that was damaged there lies what is lost.
            loaded.head = head.cast_unsigned().max(begins_behind(connection)?);
            loaded.last_at = UnixMs(at);
        } else {
            loaded.head = begins_behind(connection)?;
            loaded.oldest = loaded.head + 1;
        }
        let sql = "SELECT MAX(id) FROM report_ids";
        loaded.last_id = connection.query_row(sql, [], |row| row.get(0))?;
        (loaded.seats, loaded.unreadable) = seats(connection, path, now.max(loaded.last_at))?;
        Ok(loaded)
    }
}

/// The tables are strict: a value that its column does not take stands on a page of another table.
fn misplaced(error: StoreError) -> StoreError {
    match error {
        StoreError::Sqlite(error @ (Error::InvalidColumnType(..) | Error::Utf8Error(..))) => {
            StoreError::Damaged(error)
        }
        other => other,
    }
}

/// Rows that are read in one go, so that no core is left with a long rest.
const SHARE: i64 = 256;

/// Seats, and how many cannot be read.
type Read = (Vec<Arc<Seat>>, usize);

/// The rows that nobody has begun to read.
#[derive(Debug)]
struct Rows {
    next: AtomicI64,
    /// Behind the last one.
    end: i64,
}

impl Rows {
    fn take(&self) -> Option<(i64, i64)> {
        let from = self.next.fetch_add(SHARE, Ordering::Relaxed);
        (from < self.end).then_some((from, from + SHARE))
    }
}

/// Reading ten thousand seats is what a start takes its time for, so all cores do it, each on a
/// connection of its own. Nobody writes meanwhile.
fn seats(connection: &Connection, path: &Path, start: UnixMs) -> Result<Read, StoreError> {
    let last: Option<i64> =
        connection.query_row("SELECT MAX(rowid) FROM seats", [], |row| row.get(0))?;
    let rows = Rows { next: AtomicI64::new(0), end: last.map_or(0, |last| last + 1) };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // One share for each thread at least.
    let shares = usize::try_from(rows.end / SHARE).unwrap_or(usize::MAX);
    let others = cores.min(shares).saturating_sub(1);
    let beside = || {
        stretch_memory(usize::try_from(rows.end).unwrap_or(0) / cores * OF_ONE);
        let connection = open::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        read(&connection, &rows, start)
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (0..others).map(|_| scope.spawn(beside)).collect();
        let (mut seats, mut unreadable) = read(connection, &rows, start)?;
        for other in others {
            match other.join() {
                Ok(read) => {
                    let (more, not_these) = read?;
                    seats.extend(more);
                    unreadable += not_these;
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok((seats, unreadable))
    })
}

/// What a seat takes in memory, about, in bytes.
const OF_ONE: usize = 2_192;
/// Bytes at once that an allocator still takes from its heap.
const PIECE: usize = 96 << 10;
/// More than one heap of a thread does not grow to.
const HEAP: usize = 32 << 20;

/// Asks for memory in long pieces and gives it back at once. The system's allocator lets the heap of
/// any thread but the first grow a page at a time, and for each page all threads of the process stop;
/// what it has had before, it has again without that. Nothing is written there: it costs no memory.
fn stretch_memory(bytes: usize) {
    let pieces: Vec<Vec<u8>> =
        (0..bytes.min(HEAP).div_ceil(PIECE)).map(|_| Vec::with_capacity(PIECE)).collect();
    drop(std::hint::black_box(pieces));
}

fn read(connection: &Connection, rows: &Rows, start: UnixMs) -> Result<Read, StoreError> {
    let sql = "SELECT id, state FROM seats WHERE rowid >= ?1 AND rowid < ?2";
    let mut select = connection.prepare(sql)?;
    let (mut seats, mut unreadable) = (Vec::new(), 0);
    while let Some(share) = rows.take() {
        let mut rows = select.query(share)?;
        while let Some(row) = rows.next()? {
            // Read where it lies.
            match serde_json::from_str::<Seat>(row.get_ref(1)?.as_str().unwrap_or_default()) {
                Ok(mut seat) => {
                    // Its goodbye may still be waited for.
                    seat.parts_within_ms = hook_table::parts_within_ms(&seat.kind);
                    gate::restore(&mut seat, start);
                    // Put where it stays: ten thousand are not moved once more.
                    seats.push(Arc::new(seat));
                }
                Err(error) => {
                    let agent: String = row.get(0)?;
                    tracing::error!(%error, agent, "the stored seat cannot be read");
                    unreadable += 1;
                }
            }
        }
    }
    Ok((seats, unreadable))
}

/// Where a log was begun behind a damaged one, or goes on behind what is lost of it.
pub(super) fn begins_behind(connection: &Connection) -> Result<u64, StoreError> {
    number(connection, "begins_behind")
}

/// A number that is kept beside the events; 0 where it is not there.
pub(super) fn number(connection: &Connection, key: &str) -> Result<u64, StoreError> {
    let sql = "SELECT value FROM meta WHERE key = ?1";
    let value: Option<String> = connection.query_row(sql, [key], |row| row.get(0)).optional()?;
    Ok(value.and_then(|value| value.parse().ok()).unwrap_or(0))
}
