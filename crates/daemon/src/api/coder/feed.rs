//! What a client that watches chats is told: first how each agent is, then each change.

use crate::api::events::Told;
use crate::api::events::ws::Feed;
use crate::api::{App, Subscription};
use crate::frame::{Frame, Message};
use crate::limits::KEEP_ALIVE;
use headsup_core::compat::boocode::{self, Status, StatusUpdate};
use headsup_core::event::{Event, EventBody};
use headsup_core::id::AgentId;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

pub(super) struct ChatFeed {
    app: Arc<App>,
    /// Only this chat.
    chat_id: Option<String>,
    frames: Option<Receiver<Arc<Frame>>>,
    /// Up to here in the log everything has been told.
    position: u64,
    /// What was told last of each agent.
    told: HashMap<AgentId, (Status, Option<String>)>,
    ready: VecDeque<Message>,
    keep_alive: Interval,
    _subscription: Subscription,
}

impl ChatFeed {
    pub(super) fn new(app: Arc<App>, chat_id: Option<String>, taken: Subscription) -> Self {
        let mut keep_alive = interval_at(Instant::now() + KEEP_ALIVE, KEEP_ALIVE);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut feed = Self {
            frames: app.bus.subscribe(),
            app,
            chat_id,
            position: 0,
            told: HashMap::new(),
            ready: VecDeque::new(),
            keep_alive,
            _subscription: taken,
        };
        feed.all();
        feed
    }

    /// How each agent is, oldest change first. The bus is heard already, so nothing is missed
    /// between this and the first event behind it.
    fn all(&mut self) {
        let (seats, head) = self.app.board.all();
        self.position = head;
        let now = self.app.clock.wall();
        let updates =
            seats.iter().filter_map(|seat| Some((&seat.id, StatusUpdate::of(seat, now)?)));
        let mut updates: Vec<_> = updates.collect();
        updates.sort_by(|(one, a), (other, b)| a.at.cmp(&b.at).then_with(|| one.cmp(other)));
        for (id, update) in updates {
            self.tell(id, update);
        }
    }

    /// Tells what was not told before.
    fn tell(&mut self, id: &AgentId, update: StatusUpdate) {
        if self.chat_id.as_ref().is_some_and(|chat| *chat != update.chat_id) {
            return;
        }
        let said = (update.status, update.reason.clone());
        if self.told.get(id) == Some(&said) {
            return;
        }
        self.told.insert(id.clone(), said);
        // This cannot fail to be written.
        let frame = boocode::Frame::AgentStatusUpdated(update);
        let json = serde_json::to_vec(&frame).unwrap_or_default();
        self.ready.push_back(Message::new(None, "agent_status_updated", &json));
    }

    fn take(&mut self, frame: &Frame) {
        if frame.seq <= self.position {
            return;
        }
        self.position = frame.seq;
        let id = &frame.agent;
        let seat = self.app.board.seat(id);
        let update = match frame.kind {
            "agent.forgotten" => {
                self.told.remove(id);
                None
            }
            // It may have come into a chat.
            "agent.registered" | "agent.updated" if self.told.contains_key(id) => None,
            "agent.updated" => seat.and_then(|seat| StatusUpdate::of(&seat, self.app.clock.wall())),
            "agent.status_changed" => {
                // What we have written ourselves can be read.
                let event = serde_json::from_slice::<Event>(frame.json()).ok();
                event.zip(seat).and_then(|(event, seat)| match &event.body {
                    EventBody::StatusChanged(to) => StatusUpdate::of_change(&seat, to, event.at),
                    _ => None,
                })
            }
            _ => None,
        };
        if let Some(update) = update {
            self.tell(id, update);
        }
    }
}

impl Feed for ChatFeed {
    async fn next(&mut self) -> Option<Told> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(Told::Message(message));
            }
            let received = tokio::select! {
                received = self.frames.as_mut()?.recv() => received,
                _ = self.keep_alive.tick() => return Some(Told::Alive),
            };
            match received {
                Ok(frame) => self.take(&frame),
                Err(RecvError::Lagged(_)) => {
                    self.app.metrics.lagged.inc();
                    self.frames = self.app.bus.subscribe();
                    self.all();
                }
                Err(RecvError::Closed) => return None,
            }
        }
    }
}
