//! Activity is a ring of rows for each agent: an entry replaces the oldest one.

use super::StoreError;
use headsup_core::id::AgentId;
use headsup_core::timeline::KEPT;
use rusqlite::{CachedStatement, Connection, OptionalExtension as _};
use std::collections::HashMap;

/// The slot that each agent's next entry goes to, as far as it has been asked for.
#[derive(Debug, Default)]
pub(super) struct Slots(HashMap<AgentId, usize>);

impl Slots {
    pub(super) fn next(
        &mut self,
        connection: &Connection,
        agent: &AgentId,
    ) -> Result<usize, StoreError> {
        let slot = if let Some(slot) = self.0.get(agent) {
            *slot
        } else {
            let sql = "SELECT slot FROM activity WHERE agent = ?1 ORDER BY seq DESC LIMIT 1";
            let mut last: CachedStatement<'_> = connection.prepare_cached(sql)?;
            let last = last.query_row([agent.as_str()], |row| row.get::<_, i64>(0)).optional()?;
            last.and_then(|slot| usize::try_from(slot).ok()).map_or(0, |slot| (slot + 1) % KEPT)
        };
        self.0.insert(agent.clone(), (slot + 1) % KEPT);
        Ok(slot)
    }

    /// What was handed out has not been stored.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }

    pub(super) fn remove(&mut self, agent: &AgentId) {
        self.0.remove(agent);
    }
}
