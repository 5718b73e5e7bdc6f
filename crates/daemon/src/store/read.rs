//! Reading the log and the activity, beside the writer and without waiting for it.

use super::{StoreError, Unreadable, activity, history};
use crate::frame::Message;
use headsup_core::id::AgentId;
use headsup_core::seat::History;
use rusqlite::{Connection, OpenFlags, Row, params};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;

/// A connection that cannot write, for one reader at a time.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(super) connection: Mutex<Connection>,
    turn: Arc<Semaphore>,
    pub(super) unreadable: Unreadable,
}

/// A stretch of the log.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Messages of those events that were asked for.
    pub(crate) messages: Vec<Message>,
    /// The first and the last event looked at; `None` where there are none.
    pub(crate) range: Option<(u64, u64)>,
}

impl Reader {
    #[cfg(test)]
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        Self::telling(path, Unreadable::default())
    }

    /// It says there which rows it has left out.
    pub(crate) fn telling(path: &Path, unreadable: Unreadable) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.pragma_update(None, "cache_size", -1_024)?;
        let (connection, turn) = (Mutex::new(connection), Arc::new(Semaphore::new(1)));
        Ok(Self { connection, turn, unreadable })
    }

    /// Reads off the threads that serve requests. Whoever waits for its turn waits as a task: a
    /// thousand watchers that come back at once must not become a thousand threads.
    pub(crate) async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&Self) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let turn = Arc::clone(&self.turn).acquire_owned().await;
        let reader = Arc::clone(self);
        let read = move || {
            let _turn = turn;
            read(&reader)
        };
        let done = tokio::task::spawn_blocking(read).await;
        done.map_err(|error| StoreError::Io(error.into()))?
    }

    /// One look at what is stored.
    pub(super) fn with<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        read(&self.connection.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks at up to `most` events behind `after`, up to `until` and to no gap or damage; `wanted` is asked with
    /// each one's agent and type.
    pub(crate) fn page(
        &self,
        after: u64,
        until: u64,
        most: u32,
        wanted: impl Fn(&str, &str) -> bool,
    ) -> Result<Page, StoreError> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let mut select = connection.prepare_cached(
            "SELECT seq, agent, type, body FROM events
             WHERE seq >= ?1 AND seq <= ?2 ORDER BY seq LIMIT ?3",
        )?;
        // By the first one that is wanted: the one before it may stand on a damaged page.
        let first = after.saturating_add(1).cast_signed();
        let mut rows = select.query(params![first, until.cast_signed(), most])?;
        let mut page = Page::default();
        loop {
            let row = match rows.next().map_err(StoreError::from) {
                Ok(Some(row)) => row,
                Ok(None) => break,
                // What stands before it can be read.
                Err(StoreError::Damaged(_)) if page.range.is_some() => break,
                Err(error) => return Err(error),
            };
            let seq = row.get::<_, i64>(0)?.cast_unsigned();
            // Events were lost by damage: whoever reads on is to notice.
            if page.range.is_some_and(|(_, last)| seq != last + 1) {
                break;
            }
            let first = page.range.map_or(seq, |(first, _)| first);
            page.range = Some((first, seq));
            let text = |column| row.get_ref(column).map(|value| value.as_str().unwrap_or_default());
            let kind = text(2)?;
            if wanted(text(1)?, kind) {
                page.messages.push(Message::new(Some(seq), kind, text(3)?.as_bytes()));
            }
        }
        Ok(page)
    }

    /// The first event behind `after` that can be read although the one before it cannot; one more than `until`
    /// where there is none. A few looks: each skips twice as far, then half of that.
    pub(crate) fn behind_hole(&self, after: u64, until: u64) -> u64 {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let sql = "SELECT agent, type, body FROM events WHERE seq = ?1";
        let is_readable = |seq: u64| {
            let read =
                |row: &Row<'_>| (0..3_usize).try_for_each(|at| row.get::<_, String>(at).map(drop));
            connection.query_row(sql, [seq.cast_signed()], read).is_ok()
        };
        let (mut lost, mut step) = (after, 1);
        let mut found = loop {
            let next = lost.saturating_add(step);
            if next > until {
                // The last one may be behind it.
                break if is_readable(until) { until } else { return until + 1 };
            }
            if is_readable(next) {
                break next;
            }
            (lost, step) = (next, step * 2);
        };
        while found - lost > 1 {
            let middle = lost + (found - lost) / 2;
            (lost, found) = if is_readable(middle) { (lost, middle) } else { (middle, found) };
        }
        found
    }

    /// What was said of an agent lately.
    pub(crate) fn history(&self, agent: &AgentId) -> Result<History, StoreError> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        history::read(&connection, agent.as_str())
    }

    /// The last `limit` entries of an agent as JSON, oldest first.
    pub(crate) fn activity(
        &self,
        agent: &AgentId,
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        activity::read(&connection, agent.as_str(), limit)
    }
}
