//! The bus: what has been stored goes out to whoever listens.
//!
//! The latest frames are kept while somebody listens, so many and no more: a listener that falls
//! behind these is told so and nobody waits for it. They are shared, and so are the bytes in which
//! whoever wants all of them is told: a crowd costs little more than the sending.

mod listener;

use crate::frame::Frame;
use bytes::Bytes;
pub(crate) use listener::Listener;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use tokio::sync::{broadcast, watch};

/// Ends of prompts that may wait for a listener.
const RESOLVED: usize = 1_024;
/// So many listeners are told in less time than a reporter would notice.
const FEW: usize = 4;
/// From so many on, to tell each of every frame at once would take a processor.
const CROWD: usize = 17;

#[derive(Debug)]
pub(crate) struct Bus {
    kept: Arc<Kept>,
    /// `None` once the hub stops: every listener comes to its end.
    senders: RwLock<Option<Senders>>,
}

#[derive(Debug)]
struct Senders {
    /// How many frames there were: it wakes those who listen.
    all: watch::Sender<u64>,
    /// Only the ends of prompts: whoever waits for these is not woken by the rest.
    resolved: broadcast::Sender<Arc<Frame>>,
}

/// What listeners share.
#[derive(Debug)]
struct Kept {
    latest: RwLock<Latest>,
    /// What was put together last. Those who stand at the same place take the same.
    piece: Mutex<Option<Piece>>,
}

/// The latest frames.
#[derive(Debug)]
struct Latest {
    frames: VecDeque<Arc<Frame>>,
    most: usize,
    /// How many there were, these among them.
    count: u64,
}

/// Some frames, one behind the other, as an event stream has them.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    from: u64,
    to: u64,
    /// The last one's place in the log.
    pub(crate) seq: u64,
    pub(crate) bytes: Bytes,
    /// There were more of them than a piece takes.
    pub(crate) is_cut: bool,
}

impl Bus {
    /// `most`: so many frames are kept.
    pub(crate) fn new(most: usize) -> Self {
        let latest = RwLock::new(Latest { frames: VecDeque::new(), most, count: 0 });
        let senders =
            Senders { all: watch::Sender::new(0), resolved: broadcast::Sender::new(RESOLVED) };
        Self {
            kept: Arc::new(Kept { latest, piece: Mutex::new(None) }),
            senders: RwLock::new(Some(senders)),
        }
    }

    /// Call it once the events are stored and the board shows them: a listener that has taken a
    /// snapshot then knows that it will hear of everything behind it.
    pub(crate) fn publish(&self, frames: impl IntoIterator<Item = Arc<Frame>>) {
        let senders = self.senders.read().unwrap_or_else(PoisonError::into_inner);
        let Some(senders) = &*senders else { return };
        let mut latest = self.kept.latest.write().unwrap_or_else(PoisonError::into_inner);
        let is_heard = senders.all.receiver_count() > 0;
        let is_forgotten = !is_heard && !latest.frames.is_empty();
        if is_forgotten {
            latest.frames = VecDeque::new();
        }
        let before = latest.count;
        for frame in frames {
            if frame.resolved.is_some() {
                // An error means that nobody listens.
                senders.resolved.send(Arc::clone(&frame)).ok();
            }
            latest.count += 1;
            if is_heard {
                latest.keep(frame);
            }
        }
        let count = latest.count;
        drop(latest);
        if is_forgotten {
            *self.kept.piece.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        if is_heard && count > before {
            senders.all.send_replace(count);
        }
    }

    /// `None` once the hub stops.
    pub(crate) fn subscribe(&self) -> Option<Listener> {
        let senders = self.senders.read().unwrap_or_else(PoisonError::into_inner);
        let senders = senders.as_ref()?;
        // While it is held nothing is published.
        let latest = self.kept.latest.read().unwrap_or_else(PoisonError::into_inner);
        Some(Listener::new(Arc::clone(&self.kept), senders.all.subscribe(), latest.count))
    }

    /// To the ends of prompts alone. `None` once the hub stops.
    pub(crate) fn subscribe_to_resolved(&self) -> Option<broadcast::Receiver<Arc<Frame>>> {
        let senders = self.senders.read().unwrap_or_else(PoisonError::into_inner);
        senders.as_ref().map(|senders| senders.resolved.subscribe())
    }

    /// Whether somebody listens, and so few that it takes no time to tell them.
    pub(crate) fn is_heard_by_few(&self) -> bool {
        (1..=FEW).contains(&self.listeners())
    }

    /// Whether so many listen that they are told by and by.
    pub(crate) fn is_heard_by_a_crowd(&self) -> bool {
        self.listeners() >= CROWD
    }

    fn listeners(&self) -> usize {
        let senders = self.senders.read().unwrap_or_else(PoisonError::into_inner);
        senders.as_ref().map_or(0, |senders| senders.all.receiver_count())
    }

    pub(crate) fn close(&self) {
        *self.senders.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Latest {
    fn keep(&mut self, frame: Arc<Frame>) {
        if self.frames.len() == self.most {
            self.frames.pop_front();
        }
        self.frames.push_back(frame);
    }

    /// The frames from a place on. An error tells how many of them are not kept any more.
    fn from(&self, place: u64) -> Result<impl Iterator<Item = &Arc<Frame>>, u64> {
        let oldest = self.count - self.frames.len() as u64;
        match place.checked_sub(oldest) {
            // Nobody stands behind the last one.
            Some(index) => Ok(self.frames.range(usize::try_from(index).unwrap_or(0)..)),
            None => Err(oldest - place),
        }
    }
}

#[cfg(test)]
mod tests;
