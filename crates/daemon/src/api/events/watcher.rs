//! One watcher's way through the log: out of the store until it has caught up, then off the bus.
//!
//! In a crowd each is told by and by ([`pace`](super::pace)), of all that came meanwhile in one piece.
//!
//! It subscribes before it looks where the log stands, so between store and bus nothing is missed
//! and what both have is told once. It is asked for the next message only when the client has
//! taken the last one: a client that does not read costs a place on the bus and nothing more.

use super::Subscription;
use super::changed::{Changed, View};
use super::cursor::Start;
use super::filter::Filter;
use super::pace::Pace;
use super::told::{self, Told};
use crate::api::App;
use crate::bus::Listener;
use crate::frame::Frame;
use crate::limits::KEEP_ALIVE;
use crate::store::{Reader, StoreError};
use bytes::{Bytes, BytesMut};
use headsup_core::id::AgentId;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep};

/// Events read from the store at a time.
const PAGE: u32 = 256;
/// Bytes sent in one piece, about.
const PIECE: usize = 64 << 10;
/// Agents that are looked up at once for who wants to know how they are.
const ROUND: usize = 16;

pub(super) struct Watcher {
    app: Arc<App>,
    filter: Filter,
    phase: Phase,
    /// Everything up to here has been told, or is in the snapshot that was.
    position: u64,
    /// Where a stream that does not follow ends.
    until: Option<u64>,
    ready: VecDeque<Told>,
    /// Whoever takes bytes gets some that others get as well, where it wants all that there is.
    piece: Option<Bytes>,
    pace: Pace,
    /// For a watcher that wants to know how the agents are: of which it is still to be told.
    changed: Option<Changed>,
    keep_alive: Interval,
    /// It ends before its time: there is more, which cannot be had now.
    is_broken: bool,
    _subscription: Subscription,
}

/// When the first of what is to be told was made, and whether there is more than is sent in one piece.
type Heard = (Option<std::time::Instant>, bool);

/// What a watcher takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Messages,
    Bytes,
}

enum Phase {
    Begin(Start),
    CatchUp,
    Live(Listener),
    Over,
}

impl Watcher {
    pub(super) fn new(
        app: Arc<App>,
        filter: Filter,
        view: View,
        start: Start,
        follow: bool,
        subscription: Subscription,
    ) -> Self {
        let mut keep_alive = interval_at(Instant::now() + KEEP_ALIVE, KEEP_ALIVE);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            until: (!follow).then(|| app.board.head()),
            app,
            filter,
            phase: Phase::Begin(start),
            position: 0,
            ready: VecDeque::new(),
            piece: None,
            pace: Pace::default(),
            changed: (view == View::State).then(Changed::default),
            keep_alive,
            is_broken: false,
            _subscription: subscription,
        }
    }

    /// Whether it ends where the log ended when it was asked for.
    pub(super) fn has_an_end(&self) -> bool {
        self.until.is_some()
    }

    /// Whether it has ended before the end that it has: whoever wants all comes back with its cursor.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// The next message; `None` at the end of the stream. Not to be dropped half-way.
    pub(super) async fn next(&mut self) -> Option<Told> {
        self.fill(Form::Messages).await?;
        self.ready.pop_front()
    }

    /// Whether there is another one that waits for nothing.
    pub(super) fn has_more(&self) -> bool {
        !self.ready.is_empty()
    }

    /// The next bytes of an event stream: as many messages as are ready and worth a system call.
    pub(super) async fn next_piece(&mut self) -> Option<Bytes> {
        self.fill(Form::Bytes).await?;
        if let Some(piece) = self.piece.take() {
            return Some(piece);
        }
        let first = self.ready.pop_front()?.bytes();
        if self.ready.is_empty() || first.len() >= PIECE {
            return Some(first);
        }
        let mut piece = BytesMut::with_capacity(PIECE);
        piece.extend_from_slice(&first);
        while let Some(next) = self.ready.front().map(Told::bytes)
            && piece.len() + next.len() <= PIECE
        {
            piece.extend_from_slice(&next);
            self.ready.pop_front();
        }
        Some(piece.freeze())
    }

    /// Comes back when something is ready.
    async fn fill(&mut self, form: Form) -> Option<()> {
        while self.ready.is_empty() && self.piece.is_none() {
            let is_up_to_date = matches!(self.phase, Phase::Live(_) | Phase::Over);
            if let Some(changed) = self.changed.as_mut().filter(|_| is_up_to_date) {
                let next = || changed.next(&self.app, self.position);
                self.ready.extend(std::iter::from_fn(next).take(ROUND).map(Told::Message));
                if !self.ready.is_empty() {
                    break;
                }
            }
            match std::mem::replace(&mut self.phase, Phase::Over) {
                Phase::Begin(Start::Snapshot) => self.snapshot().await?,
                Phase::Begin(Start::Expired(cursor)) => {
                    self.expired(cursor, self.app.board.oldest()).await?;
                }
                Phase::Begin(Start::Behind(seq)) => {
                    self.position = seq;
                    self.changed.iter_mut().for_each(|changed| changed.start(seq));
                    self.phase = Phase::CatchUp;
                }
                Phase::CatchUp => self.catch_up().await?,
                Phase::Live(frames) => self.listen(frames, form).await?,
                Phase::Over => return None,
            }
        }
        Some(())
    }

    async fn snapshot(&mut self) -> Option<()> {
        let Some(frames) = self.app.bus.subscribe() else { return self.cut_off() };
        let (seats, head) = self.app.board.all();
        self.position = head;
        self.changed.iter_mut().for_each(|changed| changed.start(head));
        let Some(snapshot) = told::snapshot(seats, head, &self.filter).await else {
            return self.cut_off();
        };
        self.ready.push_back(Told::Message(snapshot));
        if self.until.is_none() {
            self.phase = Phase::Live(frames);
        }
        Some(())
    }

    /// By the hub's end, which is as good as any for a stream that has none of its own.
    fn cut_off(&mut self) -> Option<()> {
        self.is_broken = self.has_an_end();
        None
    }

    async fn expired(&mut self, cursor: String, oldest: u64) -> Option<()> {
        let expired = told::cursor_expired(cursor, oldest);
        self.ready.push_back(Told::Message(expired));
        self.snapshot().await
    }

    /// One page of the store; from its end on, the bus.
    async fn catch_up(&mut self) -> Option<()> {
        let Some(frames) = self.app.bus.subscribe() else { return self.cut_off() };
        let until = self.until.unwrap_or_else(|| self.app.board.head());
        if self.position < until {
            let (filter, after) = (self.filter.clone(), self.position);
            let only_agents = self.changed.is_some();
            let read = self.app.reader.run(move |log| {
                let agents = RefCell::new(Vec::new());
                let wanted = |agent: &str, kind: &str| {
                    let is_wanted = filter.wants(agent, kind);
                    if is_wanted && only_agents {
                        agents.borrow_mut().extend(AgentId::new(agent));
                    }
                    is_wanted && !only_agents
                };
                let page = log.page(after, until, PAGE, wanted)?;
                Ok((page, agents.into_inner()))
            });
            let (page, agents) = match read.await {
                Ok(read) => read,
                Err(StoreError::Damaged(error)) => {
                    tracing::error!(%error, after, "events cannot be read for damage");
                    return self.skip(after, until).await;
                }
                Err(error) => {
                    // The client comes back with its cursor.
                    tracing::error!(%error, "the log cannot be read");
                    self.is_broken = true;
                    return None;
                }
            };
            let Some((_, last)) = page.range.filter(|(first, _)| *first == after + 1) else {
                return self.skip(after, until).await;
            };
            self.position = last;
            self.changed.iter_mut().for_each(|changed| changed.extend(agents.iter().cloned()));
            self.ready.extend(page.messages.into_iter().map(Told::Message));
        }
        self.phase = match self.until {
            _ if self.position < until => Phase::CatchUp,
            None => {
                // Nothing may happen for long: whoever comes back must know that it has missed nothing.
                self.ready.extend(self.changed.is_none().then_some(Told::UpToDate));
                Phase::Live(frames)
            }
            Some(_) => Phase::Over,
        };
        Some(())
    }

    /// What comes next is not kept any more, or is lost by damage: say so, and where the log goes on.
    async fn skip(&mut self, after: u64, until: u64) -> Option<()> {
        let oldest = match self.app.board.oldest() {
            // Dropped for its age while this client was catching up.
            oldest if oldest > after + 1 => oldest,
            _ => {
                let read = move |log: &Reader| Ok(log.behind_hole(after, until));
                self.app.reader.run(read).await.unwrap_or(until + 1)
            }
        };
        self.expired(after.to_string(), oldest).await
    }

    async fn listen(&mut self, mut frames: Listener, form: Form) -> Option<()> {
        let woken = tokio::select! {
            woken = frames.wait() => woken,
            _ = self.keep_alive.tick() => {
                self.ready.push_back(Told::Alive);
                self.phase = Phase::Live(frames);
                return Some(());
            }
        };
        let next = match woken {
            Ok(next) => next,
            Err(RecvError::Lagged(_)) => return self.lagged().await,
            Err(RecvError::Closed) => return None,
        };
        let shares = self.shares(&next, form);
        let heard = if shares { Ok((Some(next.made), false)) } else { self.hear(&mut frames) };
        let (mut heard, mut pause) = (heard, Duration::ZERO);
        if let Ok((Some(first), _)) = heard {
            match self.app.bus.is_heard_by_a_crowd() {
                true => pause = self.pace.pause(first),
                false => self.pace.hurry(),
            }
        }
        if !pause.is_zero() {
            sleep(pause).await;
        }
        if shares {
            heard = self.share(&mut frames);
        } else if !pause.is_zero() {
            heard = self.hear(&mut frames);
        }
        match heard {
            // There is more, and it has waited.
            Ok((_, true)) => self.pace.hurry(),
            // If it was closed, the next look says so.
            Ok(_) | Err(TryRecvError::Empty | TryRecvError::Closed) => {}
            Err(TryRecvError::Lagged(_)) => return self.lagged().await,
        }
        self.phase = Phase::Live(frames);
        Some(())
    }

    /// Whether it is to be told the same as others: all that comes, in bytes.
    fn shares(&self, next: &Frame, form: Form) -> bool {
        let takes_all = self.changed.is_none() && self.filter.wants_all();
        form == Form::Bytes && takes_all && next.seq == self.position + 1
    }

    /// Takes what has come as others do.
    fn share(&mut self, frames: &mut Listener) -> Result<Heard, TryRecvError> {
        let Some(piece) = frames.piece(PIECE)? else { return Err(TryRecvError::Empty) };
        self.position = piece.seq;
        self.piece = Some(piece.bytes);
        Ok((None, piece.is_cut))
    }

    /// Takes of what has come whatever is wanted.
    fn hear(&mut self, frames: &mut Listener) -> Result<Heard, TryRecvError> {
        let (mut first, mut size) = (None, 0);
        frames.look(|frame| {
            if self.take(frame) {
                first = first.or(Some(frame.made));
            }
            size += frame.json().len();
            size < PIECE || self.changed.is_some()
        })?;
        Ok((first, size >= PIECE && self.changed.is_none()))
    }

    /// Whether it is to be told.
    fn take(&mut self, frame: &Frame) -> bool {
        let is_new = frame.seq > self.position;
        if !is_new || !self.filter.wants(frame.agent.as_str(), frame.kind) {
            self.position = self.position.max(frame.seq);
            return false;
        }
        self.position = frame.seq;
        match &mut self.changed {
            Some(changed) => changed.extend([frame.agent.clone()]),
            None => self.ready.push_back(Told::Message(frame.message())),
        }
        true
    }

    /// The bus has moved on without us: say what is missing, then how things stand.
    async fn lagged(&mut self) -> Option<()> {
        if self.changed.is_some() {
            // How things stand is all that this one wants to know.
            return self.snapshot().await;
        }
        self.app.metrics.lagged.inc();
        let from = self.position + 1;
        let told = self.ready.len();
        self.snapshot().await?;
        // Between what was still heard and the snapshot.
        let lagged = Told::Message(told::lagged(from, self.position));
        self.ready.insert(told, lagged);
        Some(())
    }
}
