//! What a client that watches chats is told: first how each agent is, then each change.

use crate::api::events::Told;
use crate::api::events::ws::Feed;
use crate::api::{App, Subscription};
use crate::frame::{Frame, Message};
use crate::limits::KEEP_ALIVE;
use headsup_core::compat::boocode::{self, Status, StatusUpdate};
use headsup_core::event::{Event, EventBody};
use headsup_core::id::AgentId;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

/// Why an agent does nothing more in a chat that it has left.
const LEFT: &str = "left";

pub(super) struct ChatFeed {
    app: Arc<App>,
    /// Only this chat.
    chat_id: Option<String>,
    frames: Option<Receiver<Arc<Frame>>>,
    /// Up to here in the log everything has been told.
    position: u64,
    /// What was told last of each agent.
    told: HashMap<AgentId, StatusUpdate>,
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
        let in_chats: HashMap<&AgentId, &StatusUpdate> =
            updates.iter().map(|(id, update)| (*id, update)).collect();
        let has_left = |(id, told): &(&AgentId, &StatusUpdate)| {
            in_chats.get(id).is_none_or(|update| !is_same_place(update, told))
        };
        let known = seats.iter().map(|seat| &seat.id).collect::<HashSet<_>>();
        let left = self.told.iter().filter(|(id, _)| known.contains(id)).filter(has_left);
        let left: Vec<AgentId> = left.map(|(id, _)| id.clone()).collect();
        for id in &left {
            self.leaves(id);
        }
        for (id, update) in updates {
            self.tell(id, update);
        }
    }

    /// It goes by another label now. In the chat where it was it does nothing more.
    fn leaves(&mut self, id: &AgentId) {
        if let Some(told) = self.told.remove(id) {
            let (status, reason) = (Status::Idle, Some(LEFT.to_owned()));
            self.put(StatusUpdate { status, reason, at: self.app.clock.wall(), ..told });
        }
    }

    /// Tells what was not told before.
    fn tell(&mut self, id: &AgentId, update: StatusUpdate) {
        if self.chat_id.as_ref().is_some_and(|chat| *chat != update.chat_id) {
            return;
        }
        let is_known = |told: &StatusUpdate| {
            is_same_place(told, &update)
                && (told.status, &told.reason) == (update.status, &update.reason)
        };
        if self.told.get(id).is_some_and(is_known) {
            return;
        }
        self.told.insert(id.clone(), update.clone());
        self.put(update);
    }

    fn put(&mut self, update: StatusUpdate) {
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
            // It may have come into a chat, or have left it.
            "agent.updated" => {
                let now = self.app.clock.wall();
                let update = seat.and_then(|seat| StatusUpdate::of(&seat, now));
                match (self.told.get(id), &update) {
                    (Some(told), Some(update)) if is_same_place(told, update) => None,
                    (Some(_), _) => {
                        self.leaves(id);
                        update
                    }
                    (None, _) => update,
                }
            }
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

fn is_same_place(one: &StatusUpdate, other: &StatusUpdate) -> bool {
    (&one.chat_id, &one.agent) == (&other.chat_id, &other.agent)
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
