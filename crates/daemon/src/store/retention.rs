//! Old events go, in steps that nobody notices. Seats are never touched by it.

use super::{Store, StoreError};
use headsup_core::time::UnixMs;
use rusqlite::{OptionalExtension as _, params};

/// Events or ids looked at in one step.
const STEP: u64 = 500;

/// Where the search for ids of dropped events stands.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    /// Events have been dropped since the last sweep began.
    due: bool,
    /// The last id looked at, while a sweep is under way.
    at: Option<String>,
}

impl Store {
    /// Drops up to one step of the events before `keep_from` and of those older than `older_than`,
    /// but never the last one, which tells where the log stands. Returns the oldest one left.
    /// Places between events that have none.
    pub(crate) fn free_places(&self) -> u64 {
        self.free_places
    }

    pub(crate) fn prune(
        &mut self,
        oldest: u64,
        head: u64,
        keep_from: u64,
        older_than: UnixMs,
    ) -> Result<u64, StoreError> {
        let end = (oldest + STEP).min(head);
        if self.activity_until() < end {
            self.copy_activity(end)?;
        }
        let sql = "SELECT MIN(seq) FROM events WHERE seq >= ?1 AND seq < ?2 AND at >= ?3";
        let bounds = params![oldest.cast_signed(), end.cast_signed(), older_than.0];
        let young: Option<i64> = self.connection.query_row(sql, bounds, |row| row.get(0))?;
        let by_age = young.map_or(end, i64::cast_unsigned);
        let keep_from = keep_from.min(end).max(by_age).max(oldest);
        if keep_from > oldest {
            let sql = "DELETE FROM events WHERE seq < ?1";
            self.connection.execute(sql, [keep_from.cast_signed()])?;
            for sql in
                ["DELETE FROM prompts WHERE seq < ?1", "DELETE FROM prompt_keys WHERE seq < ?1"]
            {
                self.connection.execute(sql, [keep_from.cast_signed()])?;
            }
            self.prune_effects(older_than)?;
            self.sweep.due = true;
        }
        Ok(keep_from)
    }

    /// Looks at one step of the remembered ids and drops those whose events are gone. False when
    /// there is nothing left to do.
    pub(crate) fn sweep_ids(&mut self, oldest: u64) -> Result<bool, StoreError> {
        if self.sweep.at.is_none() && !std::mem::take(&mut self.sweep.due) {
            return Ok(false);
        }
        let from = self.sweep.at.take().unwrap_or_default();
        let sql = "SELECT id FROM report_ids WHERE id > ?1 ORDER BY id LIMIT 1 OFFSET ?2";
        let bounds = params![from, (STEP - 1).cast_signed()];
        let to: Option<String> =
            self.connection.query_row(sql, bounds, |row| row.get(0)).optional()?;
        let oldest = oldest.cast_signed();
        match &to {
            Some(to) => self.connection.execute(
                "DELETE FROM report_ids WHERE id > ?1 AND id <= ?2 AND seq < ?3",
                params![from, to, oldest],
            )?,
            None => self.connection.execute(
                "DELETE FROM report_ids WHERE id > ?1 AND seq < ?2",
                params![from, oldest],
            )?,
        };
        self.sweep.at = to;
        Ok(true)
    }
}
