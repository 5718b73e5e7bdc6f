//! The bus: what has been stored goes out to whoever listens.
//!
//! It is bounded. A listener that falls behind is told so and nobody waits for it.

use crate::frame::Frame;
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::broadcast::{Receiver, Sender, channel};

#[derive(Debug)]
pub(crate) struct Bus {
    /// `None` once the hub stops: every listener comes to its end.
    sender: RwLock<Option<Sender<Arc<Frame>>>>,
}

impl Bus {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { sender: RwLock::new(Some(channel(capacity).0)) }
    }

    /// Call it once the events are stored and the board shows them: a listener that has taken a
    /// snapshot then knows that it will hear of everything behind it.
    pub(crate) fn publish(&self, frames: impl IntoIterator<Item = Arc<Frame>>) {
        let sender = self.sender.read().unwrap_or_else(PoisonError::into_inner);
        let Some(sender) = &*sender else { return };
        for frame in frames {
            // An error means that nobody listens.
            sender.send(frame).ok();
        }
    }

    /// `None` once the hub stops.
    pub(crate) fn subscribe(&self) -> Option<Receiver<Arc<Frame>>> {
        let sender = self.sender.read().unwrap_or_else(PoisonError::into_inner);
        sender.as_ref().map(Sender::subscribe)
    }

    pub(crate) fn close(&self) {
        *self.sender.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
