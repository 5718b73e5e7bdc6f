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
        let mut loaded = Self::default();
        let mut seats = connection.prepare("SELECT id, state FROM seats")?;
        let mut rows = seats.query([])?;
        while let Some(row) = rows.next()? {
            match serde_json::from_str(row.get_ref(1)?.as_str().unwrap_or_default()) {
                Ok(seat) => loaded.seats.push(seat),
                Err(error) => {
                    let id: String = row.get(0)?;
                    tracing::error!(%error, agent = id, "the stored seat cannot be read");
                    loaded.unreadable += 1;
                }
            }
        }
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

fn begins_behind(connection: &Connection) -> Result<u64, StoreError> {
    let sql = "SELECT value FROM meta WHERE key = 'begins_behind'";
    let value: Option<String> = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    Ok(value.and_then(|value| value.parse().ok()).unwrap_or(0))
}
