//! Titles of tmux panes, for agents that nobody has put a shim before and that say by their title what
//! no hook of theirs tells. Panes of a server with one call a tick, while such an agent is in a turn.

use super::pane::{self, Place};
use crate::board::Board;
use crate::inbox::Inbox;
use crate::job::{Sight, Witnessed, Work};
use headsup_adapters::terminal;
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::{Fact, Level};
use headsup_core::seat::Seat;
use headsup_core::source::{Source, Tier};
use headsup_core::status::Turn;
use headsup_core::time::UnixMs;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;

/// Between two looks.
const TICK: Duration = Duration::from_millis(500);
/// A title that calls the agent ready is looked at once more: between two turns it may be caught.
const AGAIN: Duration = Duration::from_millis(150);
/// So long after it began to work its title may be the one of before.
const BEGINNING: Duration = Duration::from_secs(1);
/// A title that stands is said again: so it is known that it still does.
const CONFIRM: Duration = Duration::from_secs(15);
/// A pane that cannot be read so often is not there any more.
const MISSES: u8 = 4;

/// Looks at the titles of `seats`, for ever.
pub(super) async fn watch(
    board: Arc<Board>,
    mut seats: UnboundedReceiver<Arc<Seat>>,
    inbox: Inbox,
) {
    let mut titles = Titles { board, inbox, watched: HashMap::new() };
    let mut next = Instant::now();
    loop {
        let seat = if titles.watched.is_empty() {
            seats.recv().await
        } else {
            let Ok(seat) = tokio::time::timeout_at(next, seats.recv()).await else {
                let in_doubt = titles.look().await;
                next = Instant::now() + if in_doubt { AGAIN } else { TICK };
                continue;
            };
            seat
        };
        let Some(seat) = seat else { return };
        titles.look_at(&seat);
    }
}

struct Titles {
    board: Arc<Board>,
    inbox: Inbox,
    watched: HashMap<AgentId, Watched>,
}

/// One agent whose title counts.
struct Watched {
    process: ProcessId,
    /// Found at a look: a process that has just begun has no environment of its own yet.
    place: Option<Place>,
    /// Since when it has depended on its title.
    since: Option<Instant>,
    /// What was told last, and when.
    told: Option<(Level, Instant)>,
    /// Seen once, and to be seen again.
    doubted: Option<Level>,
    missed: u8,
}

impl Titles {
    /// Takes up the process in a seat, if its title says anything and no shim reads it.
    fn look_at(&mut self, seat: &Seat) {
        let own = |process: &&ProcessId| process.pid_namespace.is_none();
        let Some(process) = seat.process.id.as_ref().filter(own) else { return };
        let known = self.watched.get(&seat.id).is_some_and(|known| known.process == *process);
        let counts = seat.about.adopted && terminal::has_titles(&seat.kind);
        if known || !counts || seat.process.state.is_over() {
            return;
        }
        self.watched.insert(seat.id.clone(), Watched::new(process.clone()));
    }

    /// One look at every title that counts now. True: a title is to be looked at again soon.
    async fn look(&mut self) -> bool {
        let now = Instant::now();
        let board = Arc::clone(&self.board);
        let lives = |seat: &Seat| !seat.process.state.is_over();
        self.watched.retain(|id, watched| {
            let seat = board.seat(id).filter(|seat| lives(seat));
            let same = |seat: &Arc<Seat>| seat.process.id.as_ref() == Some(&watched.process);
            let Some(seat) = seat.filter(same) else { return false };
            let since = watched.since.unwrap_or(now);
            watched.since = depends(&seat).then_some(since);
            watched.missed < MISSES
        });
        let counting = self.watched.values_mut().filter(|watched| watched.since.is_some());
        let places: Vec<Place> = counting.filter_map(Watched::find).collect();
        if places.is_empty() {
            return false;
        }
        let titles = pane::titles(&places).await;
        let mut sights = Vec::new();
        for (id, watched) in self.watched.iter_mut().filter(|(_, one)| one.since.is_some()) {
            let Some(seat) = board.seat(id) else { continue };
            let Some(title) = watched.place.as_ref().and_then(|place| titles.get(place)) else {
                watched.missed += 1;
                continue;
            };
            watched.missed = 0;
            let level = terminal::title(&seat.kind, title);
            let news = level.and_then(|level| watched.take(level, now));
            sights.extend(news.map(|level| watched.sight(id, level)));
        }
        for sight in sights {
            let work = Work::Witnessed(Witnessed::Seat(Box::new(sight)));
            // A hub that stops has no use for it.
            self.inbox.submit(work, None).await.ok();
        }
        self.watched.values().any(|watched| watched.doubted.is_some())
    }
}

/// Can a title tell of this seat what nobody better does? Its hooks tell when it begins to work.
fn depends(seat: &Seat) -> bool {
    let in_turn = matches!(seat.turn(), Turn::Working(_) | Turn::Blocked(_) | Turn::Unknown);
    let long_ago = UnixMs(0);
    in_turn && seat.fresh_claim(Tier::Own, long_ago).is_none()
}

impl Watched {
    fn new(process: ProcessId) -> Self {
        let (place, since, told, doubted) = (None, None, None, None);
        Self { process, place, since, told, doubted, missed: 0 }
    }

    fn find(&mut self) -> Option<Place> {
        if self.place.is_none() {
            self.place = Place::of(&self.process);
            // Without a pane there is nothing to be asked for again and again.
            self.missed += u8::from(self.place.is_none());
        }
        self.place.clone()
    }

    /// What is to be told of a title that is seen now.
    fn take(&mut self, level: Level, now: Instant) -> Option<Level> {
        let rests = matches!(level, Level::Idle { .. } | Level::Done);
        let begins = self.since.is_none_or(|since| now < since + BEGINNING);
        let stands = self.told.as_ref().is_some_and(|(told, _)| *told == level);
        let is_due = self.told.as_ref().is_none_or(|(_, at)| now >= *at + CONFIRM);
        if rests && begins {
            return None;
        }
        if rests && !stands && self.doubted.as_ref() != Some(&level) {
            self.doubted = Some(level);
            return None;
        }
        self.doubted = None;
        if stands && !is_due {
            return None;
        }
        self.told = Some((level.clone(), now));
        Some(level)
    }

    fn sight(&self, agent: &AgentId, level: Level) -> Sight {
        Sight {
            agent: agent.clone(),
            source: Source::Title,
            name: "title".to_owned(),
            session: None,
            process: Some(self.process.clone()),
            is_history: false,
            fact: Fact::Level(level),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn idle() -> Level {
        Level::Idle { shells: 0 }
    }

    fn working() -> Level {
        Level::Working { reason: None }
    }

    #[test]
    fn a_title_is_told_when_it_changes_and_one_that_rests_when_it_was_seen_twice() {
        let process = ProcessId { pid: 5, start_ticks: 50, pid_namespace: None, host_pid: None };
        let mut watched = Watched::new(process);
        let start = Instant::now();
        watched.since = Some(start);
        // The one of before the turn.
        assert_eq!(watched.take(idle(), start), None);
        assert_eq!(watched.take(working(), start + TICK), Some(working()));
        assert_eq!(watched.take(working(), start + 2 * TICK), None);
        let later = start + BEGINNING + TICK;
        assert_eq!(watched.take(idle(), later), None);
        assert!(watched.doubted.is_some(), "it is looked at once more");
        // Between two turns.
        assert_eq!(watched.take(working(), later + AGAIN), None);
        assert_eq!(watched.take(idle(), later + TICK), None);
        assert_eq!(watched.take(idle(), later + TICK + AGAIN), Some(idle()));
        assert_eq!(watched.take(idle(), later + 2 * TICK), None);
        assert_eq!(watched.take(idle(), later + TICK + AGAIN + CONFIRM), Some(idle()));
    }
}
