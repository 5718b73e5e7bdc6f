//! Titles of tmux panes, for agents that nobody has put a shim before and that say by their title what
//! no hook of theirs tells. Panes of a server with one call a tick, while such an agent is in a turn.

use super::pane::{self, Place, Whose};
use crate::board::Board;
use crate::inbox::Inbox;
use crate::job::{Sight, Witnessed, Work};
use crate::process::living;
use headsup_adapters::terminal;
use headsup_core::gate;
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::{Delivery, Fact, Level};
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

/// What a title says.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    Level(Level),
    /// Nothing of a dialog, where one was told before.
    NoDialog,
}

impl Seen {
    fn fact(self) -> Fact {
        match self {
            Self::Level(level) => Fact::Level(level),
            Self::NoDialog => Fact::ScreenCleared,
        }
    }
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
    doubted: Option<Seen>,
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
            let is_heard = depends(&seat) && has_title(&watched.process);
            watched.since = is_heard.then_some(since);
            if !is_heard {
                watched.doubted = None;
            }
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
            let answer = titles.of(watched.place.as_ref(), &mut watched.missed);
            let Some(said) = answer else { continue };
            match said.whose(&watched.process) {
                Whose::Its => {}
                Whose::InFront => continue,
                Whose::Anothers => {
                    watched.missed = MISSES;
                    continue;
                }
            }
            // What was told of a program's silence is not to be told again and again.
            let is_known = matches!(seat.turn(), Turn::Blocked(_)) || gate::is_silent(&seat);
            let news = watched.take(terminal::title(&seat.kind, &said.text), is_known, now);
            sights.extend(news.map(|seen| watched.sight(id, seen)));
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

/// Can the title of its pane be its own? Whoever has no terminal has none, and behind `&` or Ctrl-Z it is that of what
/// is in front.
fn has_title(process: &ProcessId) -> bool {
    living(process).is_some_and(|stat| stat.has_terminal() && !stat.is_in_background())
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

    /// What is to be told of a title that is seen now. `is_known`: it is known whether the agent waits for a person.
    fn take(&mut self, level: Option<Level>, is_known: bool, now: Instant) -> Option<Seen> {
        let told = self.told.as_ref();
        let shown = told.is_some_and(|(told, _)| matches!(told, Level::Blocked { .. }));
        let Some(level) = level else {
            let is_over = shown && self.is_sure(Seen::NoDialog);
            if is_over {
                self.told = None;
            }
            return is_over.then_some(Seen::NoDialog);
        };
        let rests = matches!(level, Level::Idle { .. } | Level::Done);
        let begins = self.since.is_none_or(|since| now < since + BEGINNING);
        let stands = told.is_some_and(|(told, _)| *told == level);
        let is_due = told.is_none_or(|(_, at)| now >= *at + CONFIRM);
        // Somebody else has told more since: it may be about to be drawn anew.
        let unheard = stands && shown && !is_known;
        if rests && begins {
            return None;
        }
        if (rests && !stands || unheard) && !self.is_sure(Seen::Level(level.clone())) {
            return None;
        }
        self.doubted = None;
        if stands && !is_due && !unheard {
            return None;
        }
        self.told = Some((level.clone(), now));
        Some(Seen::Level(level))
    }

    /// Is it seen for the second time?
    fn is_sure(&mut self, seen: Seen) -> bool {
        let is_sure = self.doubted.as_ref() == Some(&seen);
        self.doubted = (!is_sure).then_some(seen);
        is_sure
    }

    fn sight(&self, agent: &AgentId, seen: Seen) -> Sight {
        Sight {
            agent: agent.clone(),
            source: Source::Title,
            name: "title".to_owned(),
            session: None,
            process: Some(self.process.clone()),
            made_at: None,
            delivery: Delivery::Live,
            fact: seen.fact(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headsup_core::status::BlockedReason;

    const IDLE: Level = Level::Idle { shells: 0 };
    const WORKING: Level = Level::Working { reason: None };
    const DIALOG: Level = Level::Blocked { reason: BlockedReason::Other, detail: None };

    fn watched() -> (Watched, Instant) {
        let process = ProcessId { pid: 5, start_ticks: 50, pid_namespace: None, host_pid: None };
        let mut watched = Watched::new(process);
        let start = Instant::now();
        watched.since = Some(start);
        (watched, start)
    }

    #[test]
    fn whoever_has_no_terminal_has_no_title() {
        let mut command = std::process::Command::new("setsid");
        let mut child = command.arg("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let begun = || crate::process::identity(child.id()).unwrap();
        let process = ProcessId::new(begun().0, begun().1);
        while living(&process).unwrap().has_terminal() {
            std::thread::yield_now();
        }
        assert!(!has_title(&process));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!has_title(&process), "it is gone");
    }

    #[test]
    fn a_title_is_told_when_it_changes_and_one_that_rests_when_it_was_seen_twice() {
        let (mut watched, start) = watched();
        let mut take = |level, at| watched.take(Some(level), false, at);
        let told = |level| Some(Seen::Level(level));
        // The one of before the turn.
        assert_eq!(take(IDLE, start), None);
        assert_eq!(take(WORKING, start + TICK), told(WORKING));
        assert_eq!(take(WORKING, start + 2 * TICK), None);
        let later = start + BEGINNING + TICK;
        assert_eq!(take(IDLE, later), None);
        // Between two turns.
        assert_eq!(take(WORKING, later + AGAIN), None);
        assert_eq!(take(IDLE, later + TICK), None);
        assert_eq!(take(IDLE, later + TICK + AGAIN), told(IDLE));
        assert_eq!(take(IDLE, later + 2 * TICK), None);
        assert_eq!(take(IDLE, later + TICK + AGAIN + CONFIRM), told(IDLE));
    }

    #[test]
    fn a_dialog_that_nobody_else_has_told_is_told_again_once_it_was_seen_twice() {
        let (mut watched, start) = watched();
        let told = || Some(Seen::Level(DIALOG));
        assert_eq!(watched.take(Some(DIALOG), false, start), told());
        assert_eq!(watched.take(Some(DIALOG), false, start + TICK), None);
        assert!(watched.doubted.is_some(), "it is looked at once more");
        assert_eq!(watched.take(Some(DIALOG), false, start + TICK + AGAIN), told());
        // It is believed.
        assert_eq!(watched.take(Some(DIALOG), true, start + 2 * TICK), None);
    }

    #[test]
    fn a_title_that_says_nothing_any_more_of_a_dialog_tells_its_end_once() {
        let (mut watched, start) = watched();
        assert_eq!(watched.take(None, false, start), None);
        assert!(watched.take(Some(DIALOG), true, start).is_some());
        assert_eq!(watched.take(None, true, start + TICK), None);
        // One dialog follows another.
        assert_eq!(watched.take(Some(DIALOG), true, start + TICK + AGAIN), None);
        assert_eq!(watched.take(None, true, start + 2 * TICK), None);
        assert!(watched.doubted.is_some(), "it is looked at once more");
        assert_eq!(watched.take(None, true, start + 2 * TICK + AGAIN), Some(Seen::NoDialog));
        assert_eq!(watched.take(None, true, start + 3 * TICK), None);
    }
}
