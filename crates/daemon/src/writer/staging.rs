//! The overlay: what a batch does, before it is written.
//!
//! A seat is copied at its first touch; the board's own stays as it was until the commit. If the
//! commit fails, or a job panics, the overlay is dropped and nothing has happened.

use super::asked;
use super::posted;
use super::recent::{Known, RecentIds};
use super::unsigned::Unsigned;
use crate::board::Board;
use crate::frame::Frame;
use crate::job::{Key, Refusal};
use crate::launches::file_of;
use crate::store::effects::EffectRow;
use crate::store::prompts::number_of;
use crate::store::pulls::PullRow;
use crate::store::tasks::{CommentRow, TaskRow};
use crate::store::webhooks::Told;
use crate::store::{Store, StoreError};
use headsup_adapters::{hook_table, terminal};
use headsup_core::event::{Event, EventBody};
use headsup_core::gate::Decision;
use headsup_core::id::AgentId;
use headsup_core::observation::BackgroundShells;
use headsup_core::roster::Roster;
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::time::UnixMs;
use headsup_core::wire::{PromptDoc, SCHEMA};
use headsup_core::work::task::TaskId;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

pub(super) struct Staging<'a> {
    pub(super) board: &'a Board,
    pub(super) store: &'a Store,
    pub(super) roster: &'a mut Roster,
    pub(super) recent: &'a RecentIds,
    /// Lent to each seat that changes.
    pub(super) background_shells: BackgroundShells,
    /// The time of the job at hand.
    pub(super) now: UnixMs,
    /// The same moment on the wall clock.
    pub(super) wall: UnixMs,
    /// Where the log stands behind what is staged.
    pub(super) head: u64,
    pub(super) seats: HashMap<AgentId, Staged>,
    pub(super) frames: Vec<Arc<Frame>>,
    pub(super) ids: HashMap<String, StagedId>,
    /// Prompts that are over, by their ids.
    pub(super) resolved: HashMap<String, PromptDoc>,
    /// Prompts by what they were opened under, and where the log stood behind it.
    pub(super) prompt_keys: HashMap<String, (String, u64)>,
    pub(super) tasks: BTreeMap<TaskId, TaskRow>,
    pub(super) comments: Vec<CommentRow>,
    pub(super) pulls: BTreeMap<String, PullRow>,
    pub(super) webhooks: Told,
    pub(super) unsigned: Unsigned,
    /// The act at hand tells the agent's task itself where its workflow stands.
    pub(super) tells_itself: bool,
    /// In the order in which they are to happen.
    pub(super) effects: Vec<EffectRow>,
    /// Files of launches that no seat names any more.
    pub(super) released: Vec<String>,
    /// Counts whatever must be written.
    pub(super) writes: u64,
}

/// A touched seat.
pub(super) struct Staged {
    /// `None`: forgotten.
    pub(super) seat: Option<Arc<Seat>>,
    /// It differs in something that must be written.
    pub(super) dirty: bool,
}

pub(super) struct StagedId {
    pub(super) key: Key,
    pub(super) seq: u64,
    /// It must be written; else memory remembers it.
    pub(super) stored: bool,
}

impl<'a> Staging<'a> {
    pub(super) fn new(
        board: &'a Board,
        store: &'a Store,
        roster: &'a mut Roster,
        recent: &'a RecentIds,
        background_shells: BackgroundShells,
        unsigned: Unsigned,
    ) -> Self {
        Self {
            board,
            store,
            roster,
            recent,
            background_shells,
            now: UnixMs(0),
            wall: UnixMs(0),
            head: board.head(),
            seats: HashMap::new(),
            frames: Vec::new(),
            ids: HashMap::new(),
            resolved: HashMap::new(),
            prompt_keys: HashMap::new(),
            tasks: BTreeMap::new(),
            comments: Vec::new(),
            pulls: BTreeMap::new(),
            webhooks: Told::default(),
            unsigned,
            tells_itself: false,
            effects: Vec::new(),
            released: Vec::new(),
            writes: 0,
        }
    }

    /// Is it what people call a seat whose id is another?
    pub(super) fn is_name(&self, name: &str) -> bool {
        let is_so = |seat: &Seat| seat.id.as_str() != name && seat.name == name;
        let mut staged = self.seats.values().filter_map(|staged| staged.seat.as_deref());
        let named = self.board.named(name);
        staged.any(is_so) || named.iter().any(|other| !self.seats.contains_key(other))
    }

    /// A seat for somebody new. Whoever reports is let in under any id; where people call another one
    /// by that, it gets a name that tells the two apart.
    pub(super) fn newcomer(
        &self,
        id: &AgentId,
        kind: &str,
        source: Source,
    ) -> Result<Seat, Refusal> {
        let mut seat = Seat::new(id.clone(), kind, source, self.now);
        seat.prompts_opened = self.last_prompt(id)?;
        if self.is_name(id.as_str()) {
            let has = |id| self.seat(&id).is_some();
            let is_free = |name: &String| !self.is_name(name) && !AgentId::new(name).is_ok_and(has);
            let mut names = (2_u32..).map(|n| format!("{id}-{n}"));
            seat.name = names.find(is_free).unwrap_or(seat.name);
        }
        Ok(seat)
    }

    /// The number of the last prompt of this agent that is over: it may have been here before, and was forgotten.
    fn last_prompt(&self, agent: &AgentId) -> Result<u64, Refusal> {
        let stored = self.store.last_prompt(agent).map_err(|error| unreadable(&error))?;
        let staged = self.resolved.keys().filter_map(|id| number_of(agent, id));
        Ok(staged.fold(stored, u64::max))
    }

    /// The seat as the jobs before have left it.
    pub(super) fn seat(&self, id: &AgentId) -> Option<Arc<Seat>> {
        match self.seats.get(id) {
            Some(staged) => staged.seat.clone(),
            None => self.board.seat(id),
        }
    }

    /// All that are in this chat; others may be among them.
    pub(super) fn in_chat(&self, chat_id: &str) -> Vec<Arc<Seat>> {
        let mut seats = self.board.in_chat(chat_id);
        seats.retain(|seat| !self.seats.contains_key(&seat.id));
        seats.extend(self.seats.values().filter_map(|staged| staged.seat.clone()));
        seats
    }

    /// Changes a seat and stages the events that come of it. False: there is no such seat.
    pub(super) fn change(
        &mut self,
        id: &AgentId,
        reported_at: Option<UnixMs>,
        change: impl FnOnce(&mut Seat) -> Decision,
    ) -> Result<bool, Refusal> {
        let (now, wall) = (self.now, self.wall.min(self.now));
        // It stays in the overlay all the while, so that a panic in here is rolled back with it.
        let fresh = || Staged { seat: self.board.seat(id), dirty: false };
        let staged = self.seats.entry(id.clone()).or_insert_with(fresh);
        let Some(seat) = &mut staged.seat else { return Ok(false) };
        let seat = Arc::make_mut(seat);
        let was_away = recall(seat, self.store)?;
        seat.background_shells = self.background_shells;
        seat.parts_with_a_word = hook_table::parts_with_a_word(&seat.kind);
        seat.goes_on_beside = hook_table::goes_on_beside(&seat.kind);
        seat.returns = hook_table::returns(&seat.kind);
        seat.silent_title_ms = terminal::silent_title_ms(&seat.kind);
        seat.starts_at_work_ms = terminal::starts_at_work_ms(&seat.kind);
        seat.titles_its_start = terminal::titles_its_start(&seat.kind);
        seat.leaves_within_ms = hook_table::leaves_within_ms(&seat.kind);
        seat.parts_within_ms = hook_table::parts_within_ms(&seat.kind);
        seat.asks_again_ms = hook_table::asks_again_ms(&seat.kind);
        seat.shows_one = terminal::shows_one(&seat.kind);
        let keys = roster_keys(seat);
        let stage_before = seat.links.as_ref().and_then(|_| seat.stage.as_deref().cloned());
        if let Some(reported_at) = reported_at {
            forget_what_is_ahead(seat, reported_at, wall);
        }
        let decision = change(seat);
        date_by_the_wall(seat, now, wall);
        if was_away {
            seat.history.take_if(|history| !history.unsaved);
        }
        if roster_keys(seat) != keys {
            self.roster.upsert(seat);
        }
        if decision.changed || !decision.events.is_empty() {
            staged.dirty = true;
            self.writes += 1;
        }
        let events = asked::noted(seat, decision, self.now);
        let task = seat.links.as_ref().and_then(|links| links.task.clone());
        let posts = posted::posts(id, task.as_deref(), stage_before, &events, self.head);
        for event in events {
            self.push(id, reported_at, event)?;
        }
        match task {
            Some(task) if !posts.is_empty() => posted::post(self, id, &task, posts)?,
            _ => {}
        }
        Ok(true)
    }

    /// Takes a new seat in, or over an old one.
    pub(super) fn put(&mut self, mut seat: Seat) {
        self.writes += 1;
        // Of whoever sat there before nothing may stay.
        seat.history.get_or_insert_default().unsaved = true;
        self.roster.upsert(&seat);
        let id = seat.id.clone();
        self.seats.insert(id, Staged { seat: Some(Arc::new(seat)), dirty: true });
    }

    /// Takes a seat out.
    pub(super) fn forget(&mut self, id: &AgentId) -> Result<(), Refusal> {
        self.writes += 1;
        self.roster.remove(id);
        self.seats.insert(id.clone(), Staged { seat: None, dirty: true });
        self.push(id, None, EventBody::Forgotten)
    }

    /// How the agent of this seat was started is of no use any more.
    pub(super) fn release_launch(&mut self, seat: &Seat) {
        self.released.extend(file_of(seat).map(str::to_owned));
    }

    /// Stages an event: the next place in the log, and its bytes.
    pub(super) fn push(
        &mut self,
        id: &AgentId,
        reported_at: Option<UnixMs>,
        body: EventBody,
    ) -> Result<(), Refusal> {
        let seq = self.head + 1;
        if let EventBody::PromptResolved { prompt } = &body {
            self.resolved.insert(prompt.id.clone(), prompt.as_ref().clone());
        }
        let event = Event {
            schema: SCHEMA,
            cursor: seq.to_string(),
            at: self.now,
            agent_id: id.clone(),
            spooled: reported_at.is_some(),
            reported_at,
            body,
        };
        let frame = Frame::new(seq, &event).map_err(|_| Refusal::Defect)?;
        self.frames.push(Arc::new(frame));
        self.head = seq;
        Ok(())
    }

    /// The digest that this id came with before, if it did.
    pub(super) fn digest_of(&self, id: &str) -> Result<Option<u64>, StoreError> {
        if let Some(staged) = self.ids.get(id) {
            return Ok(Some(staged.key.digest));
        }
        match self.recent.find(id) {
            Known::With(digest) => Ok(Some(digest)),
            Known::Never => Ok(None),
            Known::Perhaps => self.store.digest_of(id),
        }
    }

    /// A request has had its effect. `stored`: over a restart, too.
    pub(super) fn remember(&mut self, key: &Key, stored: bool) {
        let staged = StagedId { key: key.clone(), seq: self.head, stored };
        self.ids.insert(key.id.clone(), staged);
    }

    /// A prompt was opened, or found, under this key.
    pub(super) fn name_prompt(&mut self, key: &str, prompt: &str) {
        self.writes += 1;
        self.prompt_keys.insert(key.to_owned(), (prompt.to_owned(), self.head));
    }

    /// The prompt that was opened under this key.
    pub(super) fn prompt_of(&self, key: &str) -> Result<Option<String>, Refusal> {
        match self.prompt_keys.get(key) {
            Some((prompt, _)) => Ok(Some(prompt.clone())),
            None => self.store.prompt_of(key).map_err(|error| unreadable(&error)),
        }
    }

    /// The prompt of this id, if it is over.
    pub(super) fn resolved(&self, id: &str) -> Result<Option<PromptDoc>, Refusal> {
        match self.resolved.get(id) {
            Some(prompt) => Ok(Some(prompt.clone())),
            None => self.store.resolved(id).map_err(|error| unreadable(&error)),
        }
    }

    pub(super) fn is_resolved(&self, id: &str) -> Result<bool, Refusal> {
        Ok(self.resolved(id)?.is_some())
    }

    /// Undoes the one thing that is not in the overlay.
    pub(super) fn roll_back(self) {
        restore(self.roster, self.board, self.seats.keys());
    }
}

/// A clock that has been set back is behind what was told before: nothing that has waited since then could ever be newer.
/// What was reported by the clock as it was before is compared with that all the same.
fn forget_what_is_ahead(seat: &mut Seat, reported_at: UnixMs, wall: UnixMs) {
    if reported_at > wall {
        return;
    }
    seat.last_live_at.take_if(|told_at| *told_at > wall);
    if seat.spooled_until > wall {
        seat.spooled_until = UnixMs::default();
    }
}

/// What others date is compared with these moments, and they go by the wall clock: it is behind the hub's time once it
/// was set back.
fn date_by_the_wall(seat: &mut Seat, now: UnixMs, wall: UnixMs) {
    if seat.last_live_at == Some(now) {
        // Whatever has waited was heard before what is told now.
        seat.spooled_until = seat.spooled_until.min(wall);
    }
    for told_at in [&mut seat.last_live_at, &mut seat.turn.stop.told_at] {
        if *told_at == Some(now) {
            *told_at = Some(wall);
        }
    }
}

fn unreadable(error: &StoreError) -> Refusal {
    tracing::error!(%error, "earlier prompts cannot be read");
    Refusal::from(error)
}

/// Brings back what was said of a seat, which the store has. True: it was not here.
fn recall(seat: &mut Seat, store: &Store) -> Result<bool, Refusal> {
    if seat.history.is_some() {
        return Ok(false);
    }
    let history = store.history(&seat.id).map_err(|error| {
        tracing::error!(%error, agent = %seat.id, "what was said of the agent cannot be read");
        Refusal::from(&error)
    })?;
    seat.history = Some(Box::new(history));
    Ok(true)
}

/// Brings what the roster knows of some seats back to what the board shows.
pub(super) fn restore<'a>(
    roster: &mut Roster,
    board: &Board,
    touched: impl Iterator<Item = &'a AgentId>,
) {
    for id in touched {
        match board.seat(id) {
            Some(seat) => roster.upsert(&seat),
            None => roster.remove(id),
        }
    }
}

/// A digest of what the roster finds a seat by.
fn roster_keys(seat: &Seat) -> u64 {
    let mut hasher = DefaultHasher::new();
    seat.kind.hash(&mut hasher);
    seat.session.as_ref().map(|session| &session.id).hash(&mut hasher);
    seat.left_sessions.len().hash(&mut hasher);
    seat.left_sessions.last().map(|left| &left.id).hash(&mut hasher);
    seat.process.id.hash(&mut hasher);
    seat.process.launched.as_ref().map(|launched| &launched.id).hash(&mut hasher);
    seat.process.state.is_over().hash(&mut hasher);
    seat.about.cwd.hash(&mut hasher);
    seat.about.parent.hash(&mut hasher);
    seat.turn.open.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_now_is_dated_by_the_wall_clock_and_what_was_told_before_stays() {
        let (before, now, wall) = (UnixMs(9_000), UnixMs(10_000), UnixMs(4_000));
        let mut seat = Seat::new(AgentId::slug("a"), "agent", Source::Hook, before);
        for (told_at, dated) in
            [(None, None), (Some(before), Some(before)), (Some(now), Some(wall))]
        {
            (seat.last_live_at, seat.turn.stop.told_at) = (told_at, told_at);
            date_by_the_wall(&mut seat, now, wall);
            assert_eq!((seat.last_live_at, seat.turn.stop.told_at), (dated, dated));
        }
    }

    #[test]
    fn what_has_waited_is_never_ahead_of_what_is_told_now() {
        let (now, wall) = (UnixMs(10_000), UnixMs(4_000));
        let mut seat = Seat::new(AgentId::slug("a"), "agent", Source::Hook, now);
        for (waited, until) in [(UnixMs(9_000), wall), (UnixMs(3_000), UnixMs(3_000))] {
            (seat.last_live_at, seat.spooled_until) = (Some(now), waited);
            date_by_the_wall(&mut seat, now, wall);
            assert_eq!((seat.last_live_at, seat.spooled_until), (Some(wall), until));
        }
        (seat.last_live_at, seat.spooled_until) = (Some(UnixMs(8_000)), UnixMs(9_000));
        date_by_the_wall(&mut seat, now, wall);
        assert_eq!(seat.spooled_until, UnixMs(9_000), "nothing is told now");
    }

    #[test]
    fn only_what_waits_since_the_clock_was_set_back_is_not_compared_with_what_was_before() {
        let (wall, before) = (UnixMs(4_000), UnixMs(9_000));
        let mut seat = Seat::new(AgentId::slug("a"), "agent", Source::Hook, before);
        (seat.last_live_at, seat.spooled_until) = (Some(before), before);
        forget_what_is_ahead(&mut seat, UnixMs(4_001), wall);
        assert_eq!((seat.last_live_at, seat.spooled_until), (Some(before), before));
        forget_what_is_ahead(&mut seat, wall, wall);
        assert_eq!((seat.last_live_at, seat.spooled_until), (None, UnixMs(0)));
        let (live, waited) = (UnixMs(3_000), UnixMs(2_000));
        (seat.last_live_at, seat.spooled_until) = (Some(live), waited);
        forget_what_is_ahead(&mut seat, wall, wall);
        assert_eq!((seat.last_live_at, seat.spooled_until), (Some(live), waited));
    }
}
