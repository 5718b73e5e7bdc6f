//! Activity by agent: copied out of the log, a stretch at a time.
//!
//! An entry is in the log the moment it is acknowledged. Sorting it to its agent costs a page for
//! each agent, so that is done for many entries at once, when the writer has nothing better to do.
//! A reader takes the copied entries and those that are still in the log's end alone.

use super::{Store, StoreError};
use headsup_core::timeline::KEPT;
use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

/// Old entries are dropped each time the log has grown by so many events.
const TRIM_EVERY: u64 = 2_048;

/// How far the log has been copied.
const UNTIL: &str = "activity_until";

pub(super) fn until(connection: &Connection) -> Result<u64, StoreError> {
    let sql = "SELECT value FROM meta WHERE key = ?1";
    let value: Option<String> = connection.query_row(sql, [UNTIL], |row| row.get(0)).optional()?;
    Ok(value.and_then(|value| value.parse().ok()).unwrap_or(0))
}

impl Store {
    /// The log's place up to which activity has been copied.
    pub(crate) fn activity_until(&self) -> u64 {
        self.activity_until
    }

    /// Copies the entries of the events up to `until`.
    pub(crate) fn copy_activity(&mut self, until: u64) -> Result<(), StoreError> {
        let after = self.activity_until;
        let transaction = self.connection.transaction()?;
        copy(&transaction, after, until)?;
        let (trimmed, due) = (after - after % TRIM_EVERY, until - until % TRIM_EVERY);
        if trimmed < due {
            trim(&transaction, trimmed, due)?;
        }
        let sql = "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)";
        transaction.prepare_cached(sql)?.execute(params![UNTIL, until.to_string()])?;
        transaction.commit()?;
        self.activity_until = until;
        Ok(())
    }
}

fn copy(transaction: &Transaction<'_>, after: u64, until: u64) -> Result<(), StoreError> {
    let range = [after.cast_signed(), until.cast_signed()];
    let mut copy = transaction.prepare_cached(
        "INSERT OR IGNORE INTO activity (agent, seq, entry)
         SELECT agent, seq, body -> '$.entry' FROM events
         WHERE seq > ?1 AND seq <= ?2 AND type = 'activity.appended'",
    )?;
    copy.execute(range)?;
    // Whoever was forgotten comes back without a past.
    let mut forgotten = transaction.prepare_cached(
        "SELECT agent, seq FROM events
         WHERE seq > ?1 AND seq <= ?2 AND type = 'agent.forgotten'",
    )?;
    let mut rows = forgotten.query(range)?;
    while let Some(row) = rows.next()? {
        let (agent, seq): (String, i64) = (row.get(0)?, row.get(1)?);
        let sql = "DELETE FROM activity WHERE agent = ?1 AND seq < ?2";
        transaction.execute(sql, params![agent, seq])?;
    }
    Ok(())
}

/// Drops what is too old, of the agents that had anything to say in a stretch of the log.
fn trim(transaction: &Transaction<'_>, after: u64, until: u64) -> Result<(), StoreError> {
    let mut agents = transaction.prepare_cached(
        "SELECT DISTINCT agent FROM events
         WHERE seq > ?1 AND seq <= ?2 AND type = 'activity.appended'",
    )?;
    let mut trim = transaction.prepare_cached(
        "DELETE FROM activity WHERE agent = ?1 AND seq <=
            (SELECT seq FROM activity WHERE agent = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)",
    )?;
    let kept = i64::try_from(KEPT).unwrap_or(i64::MAX);
    let mut rows = agents.query([after.cast_signed(), until.cast_signed()])?;
    while let Some(row) = rows.next()? {
        let agent = row.get_ref(0)?.as_str().unwrap_or_default();
        trim.execute(params![agent, kept])?;
    }
    Ok(())
}

/// The last `limit` entries of an agent as JSON, oldest first.
pub(super) fn read(
    connection: &Connection,
    agent: &str,
    limit: usize,
) -> Result<Vec<String>, StoreError> {
    // One statement is one look at the database: nothing is moved meanwhile.
    let mut select = connection.prepare_cached(
        "WITH new AS MATERIALIZED (
            SELECT seq, type, body FROM events
            WHERE seq > COALESCE(
                (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'activity_until'), 0)
            AND agent = ?1 AND type IN ('activity.appended', 'agent.forgotten')),
         entries AS (
            SELECT seq, entry FROM activity WHERE agent = ?1
            UNION ALL
            SELECT seq, body -> '$.entry' FROM new WHERE type = 'activity.appended')
         SELECT entry FROM entries
         WHERE seq > COALESCE((SELECT MAX(seq) FROM new WHERE type = 'agent.forgotten'), 0)
         ORDER BY seq DESC LIMIT ?2",
    )?;
    let limit = i64::try_from(limit.min(KEPT)).unwrap_or(0);
    let rows = select.query_map(params![agent, limit], |row| row.get(0))?;
    let mut entries = rows.collect::<Result<Vec<String>, _>>()?;
    entries.reverse();
    Ok(entries)
}
