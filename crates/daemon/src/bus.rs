//! The bus: what has been stored goes out to whoever listens.
//!
//! It is bounded. A listener that falls behind is told so and nobody waits for it.

use crate::frame::Frame;
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::broadcast::{Receiver, Sender, channel};

/// Ends of prompts that may wait for a listener.
const RESOLVED: usize = 1_024;
/// So many listeners are told in less time than a reporter would notice.
const FEW: usize = 4;

#[derive(Debug)]
pub(crate) struct Bus {
    /// `None` once the hub stops: every listener comes to its end.
    senders: RwLock<Option<Senders>>,
}

#[derive(Debug)]
struct Senders {
    all: Sender<Arc<Frame>>,
    /// Only the ends of prompts: whoever waits for these is not woken by the rest.
    resolved: Sender<Arc<Frame>>,
}

impl Bus {
    pub(crate) fn new(capacity: usize) -> Self {
        let senders = Senders { all: channel(capacity).0, resolved: channel(RESOLVED).0 };
        Self { senders: RwLock::new(Some(senders)) }
    }

    /// Call it once the events are stored and the board shows them: a listener that has taken a
    /// snapshot then knows that it will hear of everything behind it.
    pub(crate) fn publish(&self, frames: impl IntoIterator<Item = Arc<Frame>>) {
        let senders = self.senders.read().unwrap_or_else(PoisonError::into_inner);
        let Some(senders) = &*senders else { return };
        for frame in frames {
            // An error means that nobody listens.
            if frame.resolved.is_some() {
                senders.resolved.send(Arc::clone(&frame)).ok();
            }
            senders.all.send(frame).ok();
        }
    }

    /// `None` once the hub stops.
    pub(crate) fn subscribe(&self) -> Option<Receiver<Arc<Frame>>> {
        self.listen(|senders| &senders.all)
    }

    /// To the ends of prompts alone. `None` once the hub stops.
    pub(crate) fn subscribe_to_resolved(&self) -> Option<Receiver<Arc<Frame>>> {
        self.listen(|senders| &senders.resolved)
    }

    /// Whether somebody listens, and so few that it takes no time to tell them.
    pub(crate) fn is_heard_by_few(&self) -> bool {
        let senders = self.senders.read().unwrap_or_else(PoisonError::into_inner);
        let listeners = senders.as_ref().map_or(0, |senders| senders.all.receiver_count());
        (1..=FEW).contains(&listeners)
    }

    fn listen(&self, to: fn(&Senders) -> &Sender<Arc<Frame>>) -> Option<Receiver<Arc<Frame>>> {
        let senders = self.senders.read().unwrap_or_else(PoisonError::into_inner);
        senders.as_ref().map(|senders| to(senders).subscribe())
    }

    pub(crate) fn close(&self) {
        *self.senders.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_are_some_and_not_many() {
        let bus = Bus::new(8);
        assert!(!bus.is_heard_by_few());
        let mut listeners = vec![bus.subscribe()];
        assert!(bus.is_heard_by_few());
        listeners.resize_with(FEW + 1, || bus.subscribe());
        assert!(!bus.is_heard_by_few());
        bus.close();
        assert!(!bus.is_heard_by_few());
    }
}
