//! What the hub was told and saw, as it came, for `capture`: in memory alone, and bounded. The
//! oldest goes first.
//!
//! Payloads lie here as they came, and are read when somebody asks: what leaves this place has no
//! credentials and no outputs of tools. Only long ones are shortened at once, beside everything
//! else: under a load that leaves no time for that they are left out and counted.

use crate::clock::{Clock as _, System};
use bytes::Bytes;
use headsup_adapters::evidence::taken;
use headsup_core::id::AgentId;
use headsup_core::time::UnixMs;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes of all agents together, and of one.
const MOST: usize = 2 << 20;
const MOST_OF_ONE: usize = 256 << 10;
/// A longer payload is shortened first.
const LONG: usize = 16 << 10;
/// Between two titles that say the same. Milliseconds; one that stands is repeated after 15 s.
const SAME_TITLE_MS: i64 = 10_000;
/// Payloads that are being shortened at once: each may be of a megabyte, and is twice there then.
const UNDER_WAY: usize = 4;

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

/// Boxed: there may be ten thousand agents, and room for the pieces of some hundred.
#[derive(Debug, Default)]
struct OfOne {
    pieces: Option<Box<Pieces>>,
    dropped: u64,
}

#[derive(Debug, Default)]
struct Pieces {
    rows: VecDeque<Row>,
    bytes: usize,
    /// What its title said last, and when that was kept.
    title: Option<(String, UnixMs)>,
}

#[derive(Clone, Debug)]
struct Row {
    moment: Moment,
    piece: Piece,
}

#[derive(Clone, Debug)]
enum Piece {
    /// As it leaves.
    Ready(String),
    Hook(Box<Hook>),
}

/// A hook's payload and what came with it.
#[derive(Clone, Debug)]
pub(crate) struct Hook {
    pub(crate) event: String,
    /// It is no hook's: it was heard in a stream.
    pub(crate) of_a_stream: bool,
    /// It named its seat.
    pub(crate) claimed: bool,
    pub(crate) context: Option<String>,
    pub(crate) payload: Bytes,
}

impl Hook {
    /// `None`: the payload is no JSON object.
    fn row(&self) -> Option<Value> {
        let Self { event, of_a_stream, claimed, context, payload } = self;
        let payload = taken(payload)?;
        Some(json!({
            "src": if *of_a_stream { "stream" } else { "hook" }, "event": event, "claimed": claimed, "context": context,
            "payload": payload,
        }))
    }
}

impl Piece {
    fn bytes(&self) -> usize {
        match self {
            Self::Ready(json) => json.len(),
            Self::Hook(hook) => {
                let context = hook.context.as_ref().map_or(0, String::len);
                size_of::<Hook>() + hook.event.len() + context + hook.payload.len()
            }
        }
    }

    fn read(&self) -> Option<Value> {
        match self {
            Self::Ready(json) => serde_json::from_str(json).ok(),
            Self::Hook(hook) => hook.row(),
        }
    }
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

    /// Room for a payload to be shortened; `None` where there is too much to do.
    fn room(&self) -> Option<OwnedSemaphorePermit> {
        let room = Arc::clone(&self.room).try_acquire_owned().ok();
        if room.is_none() {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
        room
    }

    pub(crate) fn keep(&self, agent: &AgentId, moment: Moment, row: &Value) {
        self.put(agent, moment, Piece::Ready(row.to_string()));
    }

    /// Keeps a title. One that says what the one before it said is kept only now and then: it may
    /// change with every picture of an animation.
    pub(crate) fn keep_title(&self, agent: &AgentId, moment: Moment, says: &str, row: &Value) {
        let is_news = {
            let mut kept = self.lock();
            let title = &mut kept
                .agents
                .entry(agent.clone())
                .or_default()
                .pieces
                .get_or_insert_default()
                .title;
            let told = title.as_ref().is_some_and(|(said, at)| {
                said == says && (0..SAME_TITLE_MS).contains(&moment.at.since(*at))
            });
            if !told {
                *title = Some((says.to_owned(), moment.at));
            }
            !told
        };
        if is_news {
            self.keep(agent, moment, row);
        }
    }

    /// Keeps a hook's payload. Nobody waits for it.
    pub(crate) fn keep_hook(self: &Arc<Self>, agent: &AgentId, moment: Moment, mut hook: Hook) {
        if hook.payload.len() <= LONG {
            // Alone, and not as a part of all that was read with it.
            hook.payload = Bytes::copy_from_slice(&hook.payload);
            return self.put(agent, moment, Piece::Hook(Box::new(hook)));
        }
        let Some(room) = self.room() else { return };
        let (evidence, agent) = (Arc::clone(self), agent.clone());
        tokio::spawn(async move {
            let _room = room;
            if let Some(row) = hook.row() {
                evidence.keep(&agent, moment, &row);
            }
        });
    }

    /// Keeps what a hook had left in the spool. The writer has no time to shorten a long one.
    pub(crate) fn keep_spooled(&self, agent: &AgentId, moment: Moment, hook: Hook) {
        if hook.payload.len() <= LONG {
            self.put(agent, moment, Piece::Hook(Box::new(hook)));
        } else {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn put(&self, agent: &AgentId, moment: Moment, piece: Piece) {
        let mut kept = self.lock();
        let bytes = piece.bytes();
        let of_one = kept.agents.entry(agent.clone()).or_default();
        let pieces = of_one.pieces.get_or_insert_default();
        pieces.rows.push_back(Row { moment, piece });
        pieces.bytes += bytes;
        let mut gone = 0;
        while pieces.bytes > MOST_OF_ONE && pieces.rows.len() > 1 {
            gone += pieces.drop_oldest();
            of_one.dropped += 1;
        }
        kept.bytes = kept.bytes + bytes - gone;
        if kept.bytes > MOST {
            kept.drop_older_half();
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
        let pieces = kept.agents.remove(agent).and_then(|of_one| of_one.pieces);
        kept.bytes -= pieces.map_or(0, |pieces| pieces.bytes);
    }

    pub(crate) fn of(&self, agent: &AgentId) -> Taken {
        let (mut rows, dropped) = match self.lock().agents.get(agent) {
            Some(kept) => (kept.rows().cloned().collect::<Vec<Row>>(), kept.dropped),
            None => return Taken::default(),
        };
        rows.sort_by_key(|row| row.moment);
        let read = |row: &Row| Some((row.moment.at, row.piece.read()?));
        let left_out = self.left_out.load(Ordering::Relaxed);
        Taken { rows: rows.iter().filter_map(read).collect(), dropped: dropped + left_out }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// At once, so that it is not looked for at every piece.
    fn drop_older_half(&mut self) {
        let rows = self.agents.values().flat_map(OfOne::rows);
        let mut moments: Vec<u64> = rows.map(|row| row.moment.number).collect();
        if moments.is_empty() {
            return;
        }
        let middle = moments.len() / 2;
        let (_, middle, _) = moments.select_nth_unstable(middle);
        for of_one in self.agents.values_mut() {
            let Some(pieces) = &mut of_one.pieces else { continue };
            while pieces.rows.front().is_some_and(|row| row.moment.number < *middle) {
                self.bytes -= pieces.drop_oldest();
                of_one.dropped += 1;
            }
            pieces.rows.shrink_to_fit();
            if pieces.rows.is_empty() && pieces.title.is_none() {
                of_one.pieces = None;
            }
        }
    }
}

impl OfOne {
    fn rows(&self) -> impl Iterator<Item = &Row> {
        self.pieces.iter().flat_map(|pieces| &pieces.rows)
    }
}

impl Pieces {
    /// Its bytes.
    fn drop_oldest(&mut self) -> usize {
        let gone = self.rows.pop_front().map_or(0, |row| row.piece.bytes());
        self.bytes -= gone;
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
            let pieces = kept.agents.values().filter_map(|of_one| of_one.pieces.as_ref());
            let sum: usize = pieces.map(|pieces| pieces.bytes).sum();
            assert!(kept.bytes == sum && sum <= MOST, "{sum} {}", kept.bytes);
            assert!(kept.agents[&id(n)].pieces.as_ref().unwrap().bytes <= MOST_OF_ONE);
        }
        (0..40).for_each(|n| evidence.forget(&id(n)));
        assert_eq!(evidence.lock().bytes, 0);
    }

    #[tokio::test]
    async fn payloads_leave_without_what_is_not_for_others() {
        let evidence = Arc::new(Evidence::default());
        let agent = AgentId::new("a").unwrap();
        let key = format!("{}{}", "ghp_", "a1B2".repeat(10));
        for filler in [10, 2 * LONG] {
            let payload = json!({"prompt": key, "tool_response": "y".repeat(filler)});
            let payload = Bytes::from(payload.to_string());
            let hook = Hook {
                event: "Stop".into(),
                of_a_stream: false,
                claimed: true,
                context: None,
                payload,
            };
            evidence.keep_hook(&agent, evidence.now(), hook);
        }
        let broken = Hook {
            event: String::new(),
            of_a_stream: false,
            claimed: false,
            context: None,
            payload: Bytes::from_static(&[0]),
        };
        evidence.keep_hook(&agent, evidence.now(), broken);
        while evidence.room.available_permits() < UNDER_WAY {
            tokio::task::yield_now().await;
        }
        let taken = evidence.of(&agent);
        assert_eq!(taken.rows.len(), 2);
        for (_, row) in taken.rows {
            assert_eq!(row["event"], "Stop");
            assert_eq!(row["payload"], json!({"prompt": "[redacted]", "tool_response": {}}));
        }
    }

    #[test]
    fn a_title_that_says_the_same_is_kept_now_and_then() {
        let evidence = Evidence::default();
        let agent = AgentId::new("a").unwrap();
        let at = |ms| Moment { at: UnixMs(ms), number: 0 };
        for (ms, says) in [(0, "works"), (1_000, "works"), (2_000, "rests"), (12_000, "rests")] {
            evidence.keep_title(&agent, at(ms), says, &json!({"ms": ms}));
        }
        let kept: Vec<_> = evidence.of(&agent).rows.into_iter().map(|(at, _)| at.0).collect();
        assert_eq!(kept, [0, 2_000, 12_000]);
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
