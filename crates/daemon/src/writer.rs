//! The single writer: every change of a seat and every event comes from whoever holds it, its
//! thread or a task that brings a lone report ([`pen`]).
//!
//! It takes what has come in, works it all out in memory ([`staging`]), writes it in one
//! transaction, and only then shows it, publishes it and answers. What the disk refuses has never
//! happened.

mod asked;
mod batch;
mod chat;
mod deadlines;
mod drain;
mod effect;
mod forget;
mod found;
mod heard;
mod heartbeat;
mod hook;
mod kind;
mod leftover;
mod lifecycle;
mod pen;
mod posted;
mod prompts;
mod pull;
mod recent;
mod report;
mod resting;
mod seat;
mod seen;
mod stage;
mod staging;
mod task;
mod unsigned;
mod upkeep;
mod verdict;
mod witnessed;

use crate::board::Board;
use crate::bus::Bus;
use crate::clock::{Clock, Steady};
use crate::evidence::{Evidence, Hook, Moment};
use crate::flusher::Flusher;
use crate::job::{Answer, Job, Key, Refusal, Work};
use crate::launches::{Launches, Sweep};
use crate::limits::{DEADLINE_GRACE_MS, Limits};
use crate::metrics::Metrics;
use crate::namespaces::Namespaces;
use crate::sources::Moved;
use crate::spool::Spool;
use crate::store::Store;
use deadlines::Deadlines;
use headsup_core::clock::{ClockWatch, Jump};
use headsup_core::gate;
use headsup_core::id::AgentId;
use headsup_core::observation::BackgroundShells;
use headsup_core::roster::Roster;
use headsup_core::time::UnixMs;
use pen::Alone;
pub(crate) use pen::{Pen, Tried};
use recent::RecentIds;
use resting::Resting;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// After a deadline that the disk would not take. Milliseconds.
const RETRY_MS: i64 = 1_000;

/// What the writer is built from.
pub(crate) struct Parts {
    pub(crate) store: Store,
    /// Of the seats on the board.
    pub(crate) roster: Roster,
    pub(crate) evidence: Arc<Evidence>,
    pub(crate) board: Arc<Board>,
    pub(crate) bus: Arc<Bus>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) flusher: Flusher,
    pub(crate) spool: Spool,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) limits: Limits,
    pub(crate) background_shells: BackgroundShells,
    /// When the last stored event was written: time goes on from there.
    pub(crate) last_at: UnixMs,
    /// The last id of a report that is stored, by order.
    pub(crate) last_id: Option<String>,
    pub(crate) namespaces: Arc<Namespaces>,
    pub(crate) sources: Moved,
    /// Counts changes of what is to be done elsewhere.
    pub(crate) effects: watch::Sender<u64>,
    pub(crate) launches: Arc<Launches>,
}

pub(crate) struct Writer {
    store: Store,
    evidence: Arc<Evidence>,
    board: Arc<Board>,
    bus: Arc<Bus>,
    metrics: Arc<Metrics>,
    flusher: Flusher,
    spool: Spool,
    /// When and why the disk refused the spool.
    spool_refused: Option<(UnixMs, Refusal)>,
    clock: Arc<dyn Clock>,
    time: Steady,
    watch: ClockWatch,
    limits: Limits,
    background_shells: BackgroundShells,
    namespaces: Arc<Namespaces>,
    sources: Moved,
    effects: watch::Sender<u64>,
    launches: Arc<Launches>,
    sweep: Sweep,
    roster: Roster,
    deadlines: Deadlines,
    /// Of questions to people, on the wall clock.
    expiries: Deadlines,
    recent: RecentIds,
    unsigned: unsigned::Unsigned,
    resting: Resting,
    upkeep: upkeep::Upkeep,
    alone: Alone,
}

/// A job, or a report of the spool, which nobody waits for.
struct Item {
    work: Work,
    key: Option<Key>,
    answer: Option<oneshot::Sender<Answer>>,
    /// What the spool held, and when it was fetched.
    spooled: Option<(Moment, Found)>,
}

/// What the spool held, as it is kept.
enum Found {
    Hook(Hook),
    /// A launcher's word.
    Row(serde_json::Value),
}

impl From<Job> for Item {
    fn from(Job { work, key, answer }: Job) -> Self {
        Self { work, key, answer: Some(answer), spooled: None }
    }
}

impl From<Work> for Item {
    /// What the writer does by itself.
    fn from(work: Work) -> Self {
        Self { work, key: None, answer: None, spooled: None }
    }
}

impl Item {
    /// As it came, where somebody waits for it.
    fn into_job(self) -> Option<Job> {
        let Self { work, key, answer, spooled: _ } = self;
        answer.map(|answer| Job { work, key, answer })
    }

    fn refuse(self, refusal: Refusal) {
        if let Some(to) = self.answer {
            // Whoever asked may be gone.
            to.send(Err(refusal)).ok();
        }
    }
}

impl Writer {
    /// Takes over the seats on the board as they were stored: no event comes from that.
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { store, evidence, board, bus, metrics, flusher, spool, clock, .. } = parts;
        let mut time = Steady::new(&*clock, parts.last_at);
        let now = time.now(&*clock);
        board.set_time(now);
        let watch = ClockWatch::new(clock.all());
        let sweep = Sweep::new(clock.monotonic_ms());
        let (seats, _) = board.all();
        let (mut deadlines, mut expiries) = (Deadlines::default(), Deadlines::default());
        let recent = RecentIds::new(parts.last_id);
        for seat in &seats {
            if let Some(at) = gate::next_deadline(seat) {
                deadlines.set(&seat.id, at.max(now));
            }
            if let Some(at) = gate::next_expiry(seat) {
                expiries.set(&seat.id, at.plus(DEADLINE_GRACE_MS));
            }
        }
        Self {
            store,
            evidence,
            board,
            bus,
            metrics,
            flusher,
            spool,
            spool_refused: None,
            clock,
            time,
            watch,
            limits: parts.limits,
            background_shells: parts.background_shells,
            namespaces: parts.namespaces,
            sources: parts.sources,
            effects: parts.effects,
            launches: parts.launches,
            sweep,
            roster: parts.roster,
            deadlines,
            expiries,
            recent,
            unsigned: unsigned::Unsigned::new(parts.limits.unsigned),
            resting: Resting::default(),
            upkeep: upkeep::Upkeep::default(),
            alone: Alone::default(),
        }
    }

    /// Fetches what waited while no hub was there. Call it before anyone can connect.
    pub(crate) fn catch_up(&mut self) {
        // What the disk does not take now is tried again later.
        self.drain_spool().ok();
    }

    /// One round: the spool, what has come due, what has come in.
    fn turn(&mut self, jobs: Vec<Job>) {
        let behind = jobs.iter().any(|job| job.work.comes_behind_the_spool());
        let has_news = (behind || jobs.is_empty()) && self.spool.has_news();
        self.turn_behind(has_news, jobs);
    }

    /// The same, where whoever calls has looked into the spool.
    fn turn_behind(&mut self, has_news: bool, jobs: Vec<Job>) {
        let now = self.now();
        let wall = self.clock.wall();
        self.board.set_time(now);
        let set_ms = self.look_at_clock(now);
        // Older reports first: a live one must not overtake what its own agent said before.
        let drained = if has_news { self.drain_spool() } else { Ok(()) };
        let due = self.due(now);
        if !jobs.is_empty() {
            self.metrics.batch.observe(f64::from(u32::try_from(jobs.len()).unwrap_or(u32::MAX)));
        }
        let mut items: Vec<Item> = jobs.into_iter().map(Item::from).collect();
        if let Err(refusal) = drained {
            // Whoever tells of these leaves them in the spool, behind what lies there.
            let is_told = |item: &mut Item| matches!(item.work, Work::Hook(_) | Work::Launched(_));
            for told in items.extract_if(.., is_told) {
                told.refuse(refusal);
            }
        }
        // First of all: what has passed by a clock that was wrong has not passed, and by one that is set
        // forward nothing has.
        drop(items.splice(0..0, set_ms.map(|by_ms| Work::ShiftDeadlines { by_ms }.into())));
        // Behind the answers that came with them, which may have been in time.
        items.extend(self.expired(wall).into_iter().map(|agent| Work::Expire { agent }.into()));
        // A failure has been answered and logged where it happened.
        self.process(items, due).ok();
    }

    fn now(&mut self) -> UnixMs {
        self.time.now(&*self.clock)
    }

    /// After a sleep, or when the clock was set, silence means nothing: ageing starts again. Returns by how
    /// much it was set.
    fn look_at_clock(&mut self, now: UnixMs) -> Option<i64> {
        let Jump { ahead_ms, set_ms } = self.watch.look(self.clock.all())?;
        tracing::info!(jump_ms = ahead_ms, set_ms, "the clock jumped");
        self.clock_jumped();
        let (seats, head) = self.board.all();
        let renewed = seats.into_iter().filter(|seat| gate::next_deadline(seat).is_some());
        let renewed: Vec<_> = renewed
            .map(|mut seat| {
                gate::restore(Arc::make_mut(&mut seat), now);
                (seat.id.clone(), Some(seat))
            })
            .collect();
        self.board.apply(renewed, head);
        (set_ms != 0).then_some(set_ms)
    }

    /// Seats of which a question's deadline may have passed. `wall`: as the clocks were looked at.
    fn expired(&mut self, wall: UnixMs) -> Vec<AgentId> {
        let mut expired = self.expiries.take_due(wall);
        expired.retain(|id| {
            let at = self.board.seat(id).as_deref().and_then(gate::next_expiry);
            let Some(at) = at.map(|at| at.plus(DEADLINE_GRACE_MS)) else { return false };
            // If the disk does not take it now, it is tried again.
            let is_over = at <= wall;
            self.expiries.set(id, if is_over { wall.plus(RETRY_MS) } else { at });
            is_over
        });
        expired
    }

    /// Until when there is nothing to do by itself.
    fn patience(&mut self) -> Duration {
        let now = self.now();
        let settling = self.deadlines.next().map(|next| next.since(now));
        let expiry = self.expiries.next().map(|next| next.since(self.clock.wall()));
        let Some(next) = settling.into_iter().chain(expiry).min() else {
            return self.limits.idle_look;
        };
        let ms = u64::try_from(next).unwrap_or(0);
        Duration::from_millis(ms).min(self.limits.idle_look)
    }
}
