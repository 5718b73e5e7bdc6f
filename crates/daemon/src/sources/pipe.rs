//! Pipes of tmux panes, for agents that nobody has put a shim before and whose programs report their status to
//! whoever listens at their terminal. tmux gives what is said there to a reader ([`mod@line`]): this program once
//! more, which tells the hub what it hears as a shim does.
//!
//! A pane has one pipe, and that is its person's first. It is opened once for each process, where there is none;
//! whoever opens one later replaces ours, and keeps it. Ours ends with the agent or the hub, whatever ends these.

mod finder;
mod line;

pub use line::{READ_PANE, ReaderOrder};

use super::pane::{self, Pane, Place};
use super::screen::ScreenRules;
use crate::board::Board;
use crate::caller::digest;
use crate::inbox::Inbox;
use crate::job::{Witnessed, Work};
use crate::metrics::Metrics;
use crate::pipes::{Pipe, Pipes};
use crate::{process, spoken};
use finder::Finder;
use headsup_adapters::terminal;
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::Fact;
use headsup_core::seat::{Claim, Seat};
use headsup_core::source::{Source, Tier};
use line::Line;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;

/// What it is called in `explain` that nothing is heard any more.
const UNHEARD: &str = "no pipe";
/// A pane that has another pipe, or nothing to be heard for, is looked at again so late.
const AGAIN: Duration = Duration::from_secs(15);
/// A reader is looked after so often.
const HEARD: Duration = Duration::from_secs(1);

/// When a pipe is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PaneReports {
    /// Never.
    Never,
    /// For an agent of which neither its hooks nor anything better of its program's own is heard.
    #[default]
    AloneHeard,
    /// Beside hooks as well; and panes are looked through for agents that nobody has told of.
    Always,
}

impl PaneReports {
    /// Whoever lets nobody look at terminals lets nobody listen there, and a hub that is a part of another program has
    /// no reader.
    pub(crate) fn where_it_runs(self, launcher: Option<&Path>, screen_rules: ScreenRules) -> Self {
        match (launcher, screen_rules) {
            (None, _) | (_, ScreenRules::Never) => Self::Never,
            _ => self,
        }
    }
}

/// Where to listen, and for whom.
#[derive(Debug)]
pub(crate) struct Ears {
    pub(crate) when: PaneReports,
    pub(crate) pipes: Arc<Pipes>,
    /// The state folder, in which the socket is.
    pub(crate) home: PathBuf,
}

/// Opens pipes for `seats`, for ever.
pub(super) async fn watch(
    ears: Ears,
    board: Arc<Board>,
    mut seats: UnboundedReceiver<Arc<Seat>>,
    inbox: Inbox,
    metrics: Arc<Metrics>,
) {
    let finder = (ears.when == PaneReports::Always).then(Finder::new);
    let mut watched = Panes { ears, board, inbox, metrics, watched: HashMap::new(), finder };
    loop {
        let seat = match watched.next() {
            None => seats.recv().await,
            Some(next) => {
                let Ok(seat) = tokio::time::timeout_at(next, seats.recv()).await else {
                    watched.look().await;
                    continue;
                };
                seat
            }
        };
        let Some(seat) = seat else { return };
        watched.look_at(&seat).await;
    }
}

struct Panes {
    ears: Ears,
    board: Arc<Board>,
    inbox: Inbox,
    metrics: Arc<Metrics>,
    watched: HashMap<AgentId, Watched>,
    finder: Option<Finder>,
}

/// One agent that may be heard.
struct Watched {
    process: ProcessId,
    /// When its pane is looked at next, or who hears it; `None`: it cannot be heard.
    next: Option<Instant>,
    /// To the reader of its pipe, or to the one that tmux may yet start. Dropping it ends that.
    line: Option<Line>,
    lost: Option<Lost>,
}

/// How the last reader left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lost {
    /// Its person has taken the pipe away. It is not opened again.
    SentAway,
    /// tmux frees the pane with the next thing that is said there.
    Killed,
}

/// What came of a look at a pane.
enum Looked {
    Opened(Line, Pipe),
    Anothers(Pipe),
    /// There may be more to see later. A line that tmux was given and has not taken up by now it may yet take up.
    Later(Option<Line>),
    /// It is in no pane, or not directly: in another terminal within it, or in another machine's.
    Nowhere,
}

impl Panes {
    fn next(&self) -> Option<Instant> {
        let looks = self.watched.values().filter_map(|watched| watched.next);
        looks.chain(self.finder.as_ref().map(Finder::next)).min()
    }

    /// Takes up the process in a seat, if it may be heard, and lets go of the one before.
    async fn look_at(&mut self, seat: &Seat) {
        let own = |process: &&ProcessId| process.pid_namespace.is_none();
        let process = seat.process.id.as_ref().filter(own);
        let process = process.filter(|_| !seat.process.state.is_over());
        let known = self.watched.get(&seat.id).map(|known| &known.process);
        if known.is_some() && known == process {
            return;
        }
        if known.is_some() {
            self.let_go(&seat.id);
        }
        let reports = terminal::reports_unasked(&seat.kind);
        let Some(process) = process.filter(|_| reports) else { return };
        let may_look = self.ears.when != PaneReports::Never;
        if !may_look && seat.about.adopted {
            self.withdraw(seat).await;
        }
        let next = may_look.then(Instant::now);
        let watched = Watched { process: process.clone(), next, line: None, lost: None };
        self.watched.insert(seat.id.clone(), watched);
    }

    fn let_go(&mut self, agent: &AgentId) {
        self.watched.remove(agent);
        self.ears.pipes.forget(agent);
        self.count();
    }

    /// What was heard of it before: whoever has heard that is gone, and nobody knows what came after.
    async fn withdraw(&self, seat: &Seat) {
        if !has_been_heard(seat) {
            return;
        }
        let sight = spoken::sight(&seat.id, Source::ProgramStatus, UNHEARD, Fact::Withdrawn);
        let work = Work::Witnessed(Witnessed::Seat(Box::new(sight)));
        // A hub that stops has no use for it.
        self.inbox.submit(work, None).await.ok();
    }

    fn count(&self) {
        self.metrics.pane_pipes.set(i64::try_from(self.ears.pipes.heard()).unwrap_or_default());
    }

    /// One look at every pane that is due.
    async fn look(&mut self) {
        if let Some(finder) = &mut self.finder {
            finder.look(&self.board, &self.inbox).await;
        }
        let now = Instant::now();
        let due = self.watched.iter().filter(|(_, one)| one.next.is_some_and(|next| now >= next));
        let due: Vec<AgentId> = due.map(|(id, _)| id.clone()).collect();
        let mut servers = HashMap::new();
        for id in due {
            if self.is_heard(&id).await {
                continue;
            }
            let looked = self.look_at_pane(&id, &mut servers).await;
            let Some(watched) = self.watched.get_mut(&id) else { continue };
            let again = match looked {
                Looked::Nowhere => None,
                Looked::Opened(..) => Some(HEARD),
                Looked::Later(_) if watched.lost == Some(Lost::Killed) => Some(HEARD),
                Looked::Later(_) | Looked::Anothers(_) => Some(AGAIN),
            };
            watched.next = again.map(|again| now + again);
            watched.line = None;
            match looked {
                Looked::Opened(line, pipe) => {
                    tracing::info!(agent = %id, "its status reports are heard through its pane");
                    watched.line = Some(line);
                    watched.lost = None;
                    self.ears.pipes.set(&id, pipe);
                }
                Looked::Anothers(pipe) => self.ears.pipes.set(&id, pipe),
                Looked::Later(line) => {
                    watched.line = line;
                    self.ears.pipes.forget(&id);
                }
                Looked::Nowhere => self.ears.pipes.forget(&id),
            }
        }
        self.count();
    }

    /// Whether its pane need not be looked at, because its reader is there. One that has told that it leaves was sent
    /// away; what one that was killed has told does not count any more.
    async fn is_heard(&mut self, id: &AgentId) -> bool {
        let Some(watched) = self.watched.get_mut(id) else { return true };
        if !self.ears.pipes.is_ours(id) {
            return false;
        }
        if !watched.line.as_mut().is_none_or(Line::is_left) {
            watched.next = Some(Instant::now() + HEARD);
            return true;
        }
        let was_killed = self.board.seat(id).filter(|seat| has_been_heard(seat));
        let lost = if was_killed.is_some() { Lost::Killed } else { Lost::SentAway };
        watched.lost = Some(lost);
        if let Some(seat) = was_killed {
            tracing::warn!(agent = %id, "the reader of its pane was killed");
            self.withdraw(&seat).await;
        }
        false
    }

    async fn look_at_pane(
        &self,
        id: &AgentId,
        servers: &mut HashMap<PathBuf, Option<Vec<Pane>>>,
    ) -> Looked {
        let (Some(seat), Some(watched)) = (self.board.seat(id), self.watched.get(id)) else {
            return Looked::Nowhere;
        };
        let process = &watched.process;
        if !is_wanted(self.ears.when, &seat) {
            return Looked::Later(None);
        }
        let Some(place) = Place::of(process) else { return Looked::Nowhere };
        let socket = place.socket().to_owned();
        if !servers.contains_key(&socket) {
            let panes = pane::panes(&socket).await;
            servers.insert(socket.clone(), panes);
        }
        let Some(Some(panes)) = servers.get(&socket) else { return Looked::Later(None) };
        let Some(pane) = panes.iter().find(|pane| pane.place == place) else {
            return Looked::Nowhere;
        };
        // What its environment says may be another's: a shim, or another terminal, may stand between.
        let is_its = pane.terminal.is_some() && pane.terminal == process::terminal(process);
        if !is_its || !process::is_beside_us(place.server()) {
            return Looked::Nowhere;
        }
        self.withdraw(&seat).await;
        let name = place.name().to_owned();
        match (pane.is_piped, watched.lost) {
            (true, Some(Lost::Killed)) => return Looked::Later(None),
            (true, _) => return Looked::Anothers(Pipe::Anothers { pane: name }),
            (false, Some(Lost::SentAway)) => return Looked::Nowhere,
            (false, _) => {}
        }
        let at = (place.socket(), place.name());
        let Some((line, key)) = Line::new(&self.ears.home, id, process, at) else {
            return Looked::Nowhere;
        };
        let Some(command) = line.command() else { return Looked::Nowhere };
        // The reader may speak before tmux is done.
        let ours = Pipe::Ours { pane: name, key: digest(&key) };
        self.ears.pipes.set(id, ours.clone());
        match pane::pipe(&place, &command).await {
            true => Looked::Opened(line, ours),
            false => Looked::Later(Some(line)),
        }
    }
}

/// What it said last through a pipe still counts.
fn has_been_heard(seat: &Seat) -> bool {
    seat.claims.iter().any(|claim| claim.source == Source::ProgramStatus)
}

/// Is there nothing that tells more of it, or as much?
fn is_wanted(when: PaneReports, seat: &Seat) -> bool {
    let is_better =
        |claim: &Claim| claim.source.tier() == Tier::Own && claim.source != Source::ProgramStatus;
    let is_told = match when {
        PaneReports::Never => true,
        // Hooks name the conversation; whoever has only made the seat known does not.
        // One that was heard through a pipe before goes on to be: what it said last would stand else.
        PaneReports::AloneHeard => seat.session.is_some() && !has_been_heard(seat),
        PaneReports::Always => false,
    };
    !is_told && !seat.claims.iter().any(is_better)
}
