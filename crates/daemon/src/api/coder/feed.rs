//! What a client that watches chats is told: first how each agent is, then each change.

use crate::api::events::Told;
use crate::api::events::ws::Feed;
use crate::api::{App, Subscription};
use crate::bus::Listener;
use crate::frame::{Frame, Message};
use crate::limits::KEEP_ALIVE;
use headsup_core::compat::boocode::{self, ID_MARK, Status, StatusUpdate, is_id};
use headsup_core::event::{Event, EventBody};
use headsup_core::id::AgentId;
use headsup_core::seat::Seat;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

/// Why an agent does nothing more in a chat that it has left.
const LEFT: &str = "left";

pub(super) struct ChatFeed {
    app: Arc<App>,
    /// Only this chat.
    chat_id: Option<String>,
    frames: Option<Listener>,
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
        let updates = seats.iter().filter_map(|seat| {
            let update = StatusUpdate::of(seat, now).filter(|update| self.watches(update))?;
            Some((&seat.id, update))
        });
        let mut updates: Vec<_> = updates.collect();
        // Thousands may go by one name.
        let mut meant: HashMap<(String, String), Option<AgentId>> = HashMap::new();
        for (_, update) in &updates {
            let place = (update.chat_id.clone(), update.agent.clone());
            meant.entry(place).or_insert_with(|| self.meant(update));
        }
        for (id, update) in &mut updates {
            let mut place = (update.chat_id.clone(), update.agent.clone());
            let other = meant.get(&place).and_then(Option::as_ref);
            if other.is_some_and(|other| other != *id) {
                place.1 = id.to_string();
                update.agent = by_id(id, !meant.contains_key(&place));
            }
        }
        updates.sort_by(|(one, a), (other, b)| a.at.cmp(&b.at).then_with(|| one.cmp(other)));
        let in_chats: HashMap<&AgentId, &StatusUpdate> =
            updates.iter().map(|(id, update)| (*id, update)).collect();
        let has_left = |(id, told): &(&AgentId, &StatusUpdate)| {
            in_chats.get(id).is_none_or(|update| !is_same_place(update, told))
        };
        let places: HashSet<_> = updates.iter().map(|(_, update)| place(update)).collect();
        let left = self.told.iter().filter(has_left);
        let left: Vec<(AgentId, bool)> =
            left.map(|(id, told)| (id.clone(), places.contains(&place(told)))).collect();
        for (id, is_anothers) in &left {
            match is_anothers {
                true => drop(self.told.remove(id)),
                false => self.leaves(id),
            }
        }
        for (id, update) in updates {
            self.tell(id, update);
        }
    }

    fn watches(&self, update: &StatusUpdate) -> bool {
        self.chat_id.as_ref().is_none_or(|chat| *chat == update.chat_id)
    }

    /// The seat that is meant by this name in the chat.
    fn meant(&self, update: &StatusUpdate) -> Option<AgentId> {
        let board = &self.app.board;
        let meant = board.of_agent_in_chat(&update.chat_id, &update.agent);
        board.seat(&meant).map(|_| meant)
    }

    /// Where another seat is meant by its name in the chat, it goes by its own id. `None`: nobody watches that chat.
    fn named(&self, seat: &Seat, update: StatusUpdate) -> Option<StatusUpdate> {
        if !self.watches(&update) {
            return None;
        }
        Some(match self.meant(&update).is_some_and(|meant| meant != seat.id) {
            true => {
                let board = &self.app.board;
                let meant = board.of_agent_in_chat(&update.chat_id, seat.id.as_str());
                StatusUpdate { agent: by_id(&seat.id, meant == seat.id), ..update }
            }
            false => update,
        })
    }

    /// It goes by another label now, or is forgotten. In the chat where it was it does nothing more, if nobody else goes
    /// by its name there.
    fn leaves(&mut self, id: &AgentId) {
        if let Some(told) = self.told.remove(id)
            && !self.told.values().any(|other| is_same_place(other, &told))
        {
            let (status, reason) = (Status::Idle, Some(LEFT.to_owned()));
            self.put(StatusUpdate { status, reason, at: self.app.clock.wall(), ..told });
        }
    }

    /// Tells what was not told before.
    fn tell(&mut self, id: &AgentId, update: StatusUpdate) {
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
                // Whoever goes by its id there may have the name now.
                let may_be = |gone: &StatusUpdate| {
                    self.told.iter().any(|(other, told)| {
                        other != id && told.chat_id == gone.chat_id && is_id(&told.agent, other)
                    })
                };
                let may_be = self.told.get(id).is_some_and(may_be);
                match may_be {
                    true => self.all(),
                    false => self.leaves(id),
                }
                None
            }
            // It may have come into a chat, or have left it.
            "agent.updated" => {
                let now = self.app.clock.wall();
                let update = seat.and_then(|seat| {
                    let update = StatusUpdate::of(&seat, now)?;
                    self.named(&seat, update)
                });
                match (self.told.get(id), &update) {
                    (Some(told), Some(update)) if is_same_place(told, update) => None,
                    (Some(told), Some(new)) if told.chat_id == new.chat_id => update,
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
                    EventBody::StatusChanged(to) => {
                        let update = StatusUpdate::of_change(&seat, to, event.at)?;
                        self.named(&seat, update)
                    }
                    _ => None,
                })
            }
            _ => None,
        };
        let Some(update) = update else { return };
        let told = self.told.get(id).filter(|told| told.chat_id == update.chat_id);
        let has_its_name = match told {
            Some(told) => told.agent == update.agent,
            None => !self.told.values().any(|other| is_same_place(other, &update)),
        };
        match has_its_name {
            true => self.tell(id, update),
            // The one name, or the other, may be another one's now.
            false => self.all(),
        }
    }
}

/// What a seat goes by in a chat where its name is another one's: its id, if that `is_its` there.
fn by_id(id: &AgentId, is_its: bool) -> String {
    if is_its { id.to_string() } else { format!("{ID_MARK}{id}") }
}

fn is_same_place(one: &StatusUpdate, other: &StatusUpdate) -> bool {
    place(one) == place(other)
}

fn place(update: &StatusUpdate) -> (&str, &str) {
    (&update.chat_id, &update.agent)
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
