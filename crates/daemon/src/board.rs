//! The board: every seat as it was after the last commit, for whoever reads.

mod places;

use headsup_core::compat::boocode::seat_of;
use headsup_core::gate;
use headsup_core::id::AgentId;
use headsup_core::seat::Seat;
use headsup_core::time::UnixMs;
use places::Places;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// Shared between the writer, which alone changes it, and all readers.
#[derive(Debug)]
pub(crate) struct Board {
    now: RwLock<Snapshot>,
    /// The oldest event kept; one more than the head where there is none.
    oldest: AtomicU64,
    storage_ok: AtomicBool,
    /// The hub's time when the writer looked last: it never runs backwards. Milliseconds.
    time_ms: AtomicI64,
}

/// The seats, and the place in the log at which they are true.
#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshot {
    pub(crate) seats: HashMap<AgentId, Arc<Seat>>,
    /// The same seats, by what sits in them.
    pub(crate) places: Places,
    /// The last event's place in the log; 0 before the first.
    pub(crate) head: u64,
}

impl Board {
    pub(crate) fn new(seats: Vec<Arc<Seat>>, head: u64, oldest: u64) -> Self {
        let mut places = Places::default();
        for seat in &seats {
            places.changed(&seat.id, None, Some(seat));
        }
        let seats = seats.into_iter().map(|seat| (seat.id.clone(), seat)).collect();
        Self {
            now: RwLock::new(Snapshot { seats, places, head }),
            oldest: AtomicU64::new(oldest),
            storage_ok: AtomicBool::new(true),
            time_ms: AtomicI64::new(0),
        }
    }

    /// A consistent look. Do not keep it: the writer waits.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Snapshot> {
        self.now.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn seat(&self, id: &AgentId) -> Option<Arc<Seat>> {
        self.read().seats.get(id).cloned()
    }

    pub(crate) fn head(&self) -> u64 {
        self.read().head
    }

    /// All seats in no order, and the head.
    pub(crate) fn all(&self) -> (Vec<Arc<Seat>>, u64) {
        let snapshot = self.read();
        (snapshot.seats.values().cloned().collect(), snapshot.head)
    }

    /// The seats whose task is called one of these, apart from the case of letters.
    pub(crate) fn linked(&self, names: &[String]) -> Vec<AgentId> {
        let snapshot = self.read();
        names.iter().flat_map(|name| snapshot.places.of_task(name)).cloned().collect()
    }

    /// The seats that people call by this name, which is not their id.
    pub(crate) fn named(&self, name: &str) -> Vec<AgentId> {
        self.read().places.of_name(name).to_vec()
    }

    /// The seats with the label of this chat.
    pub(crate) fn in_chat(&self, chat_id: &str) -> Vec<Arc<Seat>> {
        let snapshot = self.read();
        let known = snapshot.places.of_chat(chat_id).iter();
        known.filter_map(|id| snapshot.seats.get(id).cloned()).collect()
    }

    /// The seat of an agent in a chat, or where it is to be.
    pub(crate) fn of_agent_in_chat(&self, chat_id: &str, agent: &str) -> AgentId {
        seat_of(chat_id, agent, |id| self.seat(id), || self.in_chat(chat_id))
    }

    /// How many input requests are open.
    pub(crate) fn inputs(&self) -> usize {
        self.read().seats.values().map(|seat| seat.inputs().count()).sum()
    }

    /// The seats in which something ends by the wall clock.
    pub(crate) fn with_expiries(&self) -> Vec<AgentId> {
        let snapshot = self.read();
        let waiting = snapshot.seats.values().filter(|seat| gate::next_expiry(seat).is_some());
        waiting.map(|seat| seat.id.clone()).collect()
    }

    /// For the writer alone, after its commit. `None` takes a seat away.
    pub(crate) fn apply(
        &self,
        seats: impl IntoIterator<Item = (AgentId, Option<Arc<Seat>>)>,
        head: u64,
    ) {
        let mut snapshot = self.now.write().unwrap_or_else(PoisonError::into_inner);
        let Snapshot { seats: board, places, head: at } = &mut *snapshot;
        for (id, seat) in seats {
            places.changed(&id, board.get(&id).map(|was| &**was), seat.as_deref());
            match seat {
                Some(seat) => board.insert(id, seat),
                None => board.remove(&id),
            };
        }
        *at = head;
    }

    /// For the writer alone: of those that are at rest and stored, histories and unused room leave memory. A seat that
    /// somebody reads at this moment stays as it is.
    pub(crate) fn put_away(&self, seats: impl Iterator<Item = AgentId>) {
        let mut snapshot = self.now.write().unwrap_or_else(PoisonError::into_inner);
        for id in seats {
            let seat = snapshot.seats.get_mut(&id).and_then(Arc::get_mut);
            if let Some(seat) = seat.filter(|seat| !seat.turn.open) {
                seat.put_away();
            }
        }
    }

    pub(crate) fn oldest(&self) -> u64 {
        self.oldest.load(Ordering::Acquire)
    }

    pub(crate) fn set_oldest(&self, seq: u64) {
        self.oldest.store(seq, Ordering::Release);
    }

    /// Whether the last attempt to write succeeded.
    pub(crate) fn storage_ok(&self) -> bool {
        self.storage_ok.load(Ordering::Relaxed)
    }

    pub(crate) fn set_storage_ok(&self, ok: bool) {
        self.storage_ok.store(ok, Ordering::Relaxed);
    }

    /// The hub's time when it is `wall` on the wall clock: events and seats are dated by it. Where that was set back it
    /// stands still from one look of the writer's to the next.
    pub(crate) fn time_at(&self, wall: UnixMs) -> UnixMs {
        wall.max(UnixMs(self.time_ms.load(Ordering::Relaxed)))
    }

    /// For the writer alone: the hub's time.
    pub(crate) fn set_time(&self, now: UnixMs) {
        self.time_ms.fetch_max(now.0, Ordering::Relaxed);
    }
}
