//! What a start needs: the seats and the two ends of the log. No scan of the log.

use super::StoreError;
use headsup_core::seat::Seat;
use headsup_core::time::UnixMs;
use rusqlite::{Connection, OptionalExtension as _};

#[derive(Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) seats: Vec<Seat>,
    /// The last event's place; 0 before the first.
    pub(crate) head: u64,
    /// The oldest event kept; one more than the head where there is none.
    pub(crate) oldest: u64,
    /// When the last event was written.
    pub(crate) last_at: UnixMs,
    /// Seats whose stored state this version cannot read. They stay in the store.
    pub(crate) unreadable: usize,
}

impl Loaded {
    pub(super) fn from(connection: &Connection) -> Result<Self, StoreError> {
        let (seats, unreadable) = seats(connection)?;
        let mut loaded = Self { seats, unreadable, ..Self::default() };
        let end = |order: &str| {
            let sql = format!("SELECT seq, at FROM events ORDER BY seq {order} LIMIT 1");
            let end = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get(1)?));
            connection.query_row(&sql, [], end).optional()
        };
        if let (Some((oldest, _)), Some((head, at))) = (end("ASC")?, end("DESC")?) {
            loaded.oldest = oldest.cast_unsigned();
            loaded.head = head.cast_unsigned();
            loaded.last_at = UnixMs(at);
        } else {
            loaded.head = begins_behind(connection)?;
            loaded.oldest = loaded.head + 1;
        }
        Ok(loaded)
    }
}

/// An id and a state.
type Stored = (String, String);

/// Seats that one thread reads at a time; fewer are not worth a thread.
const SHARE: usize = 256;

/// All seats, and how many cannot be read. Reading ten thousand of them is what a start takes its
/// time for, so all cores do it.
fn seats(connection: &Connection) -> Result<(Vec<Seat>, usize), StoreError> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut select = connection.prepare("SELECT id, state FROM seats")?;
    let mut rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (mut seats, mut stored) = (Vec::new(), 0);
    loop {
        let some = rows.by_ref().take(SHARE * cores).collect::<Result<Vec<Stored>, _>>()?;
        if some.is_empty() {
            let unreadable = stored - seats.len();
            return Ok((seats, unreadable));
        }
        stored += some.len();
        std::thread::scope(|scope| {
            let mut shares = some.chunks(SHARE);
            let first = shares.next().unwrap_or_default();
            let others: Vec<_> = shares.map(|share| scope.spawn(|| read(share))).collect();
            seats.extend(read(first));
            for other in others {
                // One that panicked has read nothing: its seats count as unreadable.
                seats.extend(other.join().unwrap_or_default());
            }
        });
    }
}

fn read(stored: &[Stored]) -> Vec<Seat> {
    let read = |(id, state): &Stored| {
        serde_json::from_str(state)
            .inspect_err(|error| {
                tracing::error!(%error, agent = id, "the stored seat cannot be read");
            })
            .ok()
    };
    stored.iter().filter_map(read).collect()
}

fn begins_behind(connection: &Connection) -> Result<u64, StoreError> {
    let sql = "SELECT value FROM meta WHERE key = 'begins_behind'";
    let value: Option<String> = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    Ok(value.and_then(|value| value.parse().ok()).unwrap_or(0))
}
