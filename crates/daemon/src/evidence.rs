//! What the hub was told and saw, as it came, for `capture`: in memory alone, without credentials
//! and outputs of tools, and bounded. The oldest goes first.
//!
//! It is kept beside everything else and is in nobody's way: under a load that leaves no time for
//! it, it is left out and counted.

use crate::clock::{Clock as _, System};
use headsup_core::id::AgentId;
use headsup_core::time::UnixMs;
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes of all agents together, and of one.
const MOST: usize = 4 << 20;
const MOST_OF_ONE: usize = 256 << 10;
/// Pieces that are being made ready at once.
const UNDER_WAY: usize = 64;

/// The store of evidence.
#[derive(Debug)]
pub(crate) struct Evidence {
    kept: Mutex<Kept>,
    clock: System,
    number: AtomicU64,
    room: Arc<Semaphore>,
    left_out: AtomicU64,
}

#[derive(Debug, Default)]
struct Kept {
    agents: HashMap<AgentId, OfOne>,
    bytes: usize,
    /// Whose status file it was.
    files: HashMap<u32, AgentId>,
}

#[derive(Debug, Default)]
struct OfOne {
    rows: VecDeque<Row>,
    bytes: usize,
    dropped: u64,
}

#[derive(Debug)]
struct Row {
    moment: Moment,
    json: String,
}

/// When something came, and its place in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment {
    pub(crate) at: UnixMs,
    number: u64,
}

/// All that is kept of one agent, in order.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    pub(crate) rows: Vec<(UnixMs, Value)>,
    /// Pieces that there was no room for.
    pub(crate) dropped: u64,
}

impl Default for Evidence {
    fn default() -> Self {
        Self {
            kept: Mutex::default(),
            clock: System::new(),
            number: AtomicU64::new(0),
            room: Arc::new(Semaphore::new(UNDER_WAY)),
            left_out: AtomicU64::new(0),
        }
    }
}

impl Evidence {
    pub(crate) fn now(&self) -> Moment {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        Moment { at: self.clock.wall(), number }
    }

    /// Room for a piece to be made ready; `None` where there is too much to do.
    pub(crate) fn room(&self) -> Option<OwnedSemaphorePermit> {
        let room = Arc::clone(&self.room).try_acquire_owned().ok();
        if room.is_none() {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
        room
    }

    pub(crate) fn keep(&self, agent: &AgentId, moment: Moment, row: &Value) {
        let json = row.to_string();
        let mut kept = self.lock();
        let bytes = json.len();
        let rows = kept.agents.entry(agent.clone()).or_default();
        rows.rows.push_back(Row { moment, json });
        rows.bytes += bytes;
        let mut gone = 0;
        while rows.bytes > MOST_OF_ONE && rows.rows.len() > 1 {
            gone += rows.drop_oldest();
        }
        kept.bytes = kept.bytes + bytes - gone;
        while kept.bytes > MOST {
            let Some(largest) = kept.agents.values_mut().max_by_key(|rows| rows.bytes) else {
                break;
            };
            // Half of it at once: it is not looked for at every piece.
            let half = largest.bytes / 2;
            let mut gone = 0;
            while largest.bytes > half && !largest.rows.is_empty() {
                gone += largest.drop_oldest();
            }
            kept.bytes -= gone;
        }
    }

    /// A status file of this process speaks of this agent.
    pub(crate) fn file_is_of(&self, pid: u32, agent: &AgentId) {
        self.lock().files.insert(pid, agent.clone());
    }

    /// Whose status file it was that is gone.
    pub(crate) fn file_is_gone(&self, pid: u32) -> Option<AgentId> {
        self.lock().files.remove(&pid)
    }

    pub(crate) fn forget(&self, agent: &AgentId) {
        let mut kept = self.lock();
        if let Some(rows) = kept.agents.remove(agent) {
            kept.bytes -= rows.bytes;
        }
    }

    pub(crate) fn of(&self, agent: &AgentId) -> Taken {
        let kept = self.lock();
        let Some(rows) = kept.agents.get(agent) else { return Taken::default() };
        let mut sorted: Vec<&Row> = rows.rows.iter().collect();
        sorted.sort_by_key(|row| row.moment);
        let read = |row: &&Row| Some((row.moment.at, serde_json::from_str(&row.json).ok()?));
        let left_out = self.left_out.load(Ordering::Relaxed);
        let rows_read = sorted.iter().filter_map(read).collect();
        Taken { rows: rows_read, dropped: rows.dropped + left_out }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OfOne {
    /// Its bytes.
    fn drop_oldest(&mut self) -> usize {
        let gone = self.rows.pop_front().map_or(0, |row| row.json.len());
        self.bytes -= gone;
        self.dropped += 1;
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn it_stays_small_and_the_newest_stay() {
        let evidence = Evidence::default();
        let id = |n: usize| AgentId::new(format!("a{n}")).unwrap();
        for n in 0..40 {
            for row in 0..300 {
                evidence.keep(&id(n), evidence.now(), &json!({"row": row, "x": "x".repeat(1_000)}));
            }
            let taken = evidence.of(&id(n));
            assert_eq!(taken.rows.last().unwrap().1["row"], 299);
            assert!(taken.dropped > 0);
            let kept = evidence.lock();
            let sum: usize = kept.agents.values().map(|rows| rows.bytes).sum();
            assert!(kept.bytes == sum && sum <= MOST, "{sum} {}", kept.bytes);
            assert!(kept.agents[&id(n)].bytes <= MOST_OF_ONE);
        }
        (0..40).for_each(|n| evidence.forget(&id(n)));
        assert_eq!(evidence.lock().bytes, 0);
    }

    #[test]
    fn pieces_stand_in_the_order_in_which_they_came() {
        let evidence = Evidence::default();
        let agent = AgentId::new("a").unwrap();
        let (first, second) = (evidence.now(), evidence.now());
        evidence.keep(&agent, second, &json!({"n": 2}));
        evidence.keep(&agent, first, &json!({"n": 1}));
        let rows: Vec<_> =
            evidence.of(&agent).rows.into_iter().map(|(_, row)| row["n"].clone()).collect();
        assert_eq!(rows, [1, 2]);
    }
}
