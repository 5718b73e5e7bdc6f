//! What the processes of agents take, with what the agents did then.
//!
//! A sample lies in memory until a task beside the sources has written it, once a minute with all others of that
//! minute, into a file of their own ([`book`]). Neither a hook nor the writer has a part in that: a hub that is killed
//! loses what is younger than a minute, and one that ends loses nothing.

mod book;

use crate::board::Board;
use crate::clock::Clock;
use crate::limits::Limits;
use crate::process;
use book::Book;
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::status::{Headline, Turn};
use headsup_core::time::UnixMs;
use headsup_core::wire::SampleDoc;
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// Between two samples of one process. Milliseconds.
const EVERY_MS: i64 = 30_000;
/// An hour of them, in memory where the disk does not take them.
const KEPT: usize = 120;
/// How long a sample may lie in memory before it is written.
const WRITTEN_WITHIN: Duration = Duration::from_secs(60);

pub(crate) struct Samples {
    board: Arc<Board>,
    clock: Arc<dyn Clock>,
    /// What is not written yet. Locked for moments alone.
    kept: Mutex<HashMap<AgentId, Kept>>,
    /// There is something to write.
    taken: Notify,
    /// Held while the disk is waited for, by threads that nothing else waits for. Whoever locks both locks this first.
    book: Arc<tokio::sync::Mutex<Book>>,
}

struct Kept {
    /// On the clock that nobody sets.
    last_ms: i64,
    samples: VecDeque<Sample>,
}

/// There may be thousands of them.
struct Sample {
    at: UnixMs,
    headline: Headline,
    turn: Turn,
    turn_seq: u64,
    taken: process::Taken,
}

impl Samples {
    /// Of the hub with this state folder.
    pub(crate) fn new(
        board: Arc<Board>,
        clock: Arc<dyn Clock>,
        home: &Path,
        limits: &Limits,
    ) -> Self {
        let book = Arc::new(tokio::sync::Mutex::new(Book::new(home, limits)));
        Self { board, clock, kept: Mutex::default(), taken: Notify::new(), book }
    }

    /// Takes one of a living process, unless the last was a moment ago.
    pub(crate) fn take(&self, agent: &AgentId, process: &ProcessId) {
        let now_ms = self.clock.monotonic_ms();
        let mut kept = self.kept();
        if kept.get(agent).is_some_and(|kept| now_ms - kept.last_ms < EVERY_MS) {
            return;
        }
        let Some(seat) = self.board.seat(agent) else { return };
        let Some(taken) = process.pid_here().and_then(process::taken) else { return };
        if !kept.contains_key(agent) {
            // What is older than all that is kept of anybody makes room.
            let oldest = now_ms - EVERY_MS * i64::try_from(KEPT).unwrap_or(i64::MAX);
            kept.retain(|_, kept| kept.last_ms >= oldest);
        }
        let fresh = || Kept { last_ms: now_ms, samples: VecDeque::new() };
        let kept = kept.entry(agent.clone()).or_insert_with(fresh);
        kept.last_ms = now_ms;
        if kept.samples.len() == KEPT {
            kept.samples.pop_front();
        }
        let (at, headline, turn) = (self.clock.wall(), seat.headline(), seat.turn());
        kept.samples.push_back(Sample { at, headline, turn, turn_seq: seat.turn.seq, taken });
        self.taken.notify_one();
    }

    /// Has them written for as long as it is polled. Where nothing is taken nothing wakes.
    pub(crate) async fn keep(self: Arc<Self>) {
        loop {
            self.taken.notified().await;
            tokio::time::sleep(WRITTEN_WITHIN).await;
            self.write().await;
        }
    }

    /// Writes what has been taken. What the disk does not take now is tried again with the next ones.
    pub(crate) async fn write(self: &Arc<Self>) {
        let write = |samples: &Self, book: &mut Book| {
            let waiting = samples.waiting();
            if waiting.is_empty() {
                return;
            }
            let rows = waiting
                .iter()
                .flat_map(|(agent, samples)| samples.iter().map(move |sample| (agent, sample)));
            if let Err(error) = book.write(rows, samples.clock.all()) {
                tracing::debug!(%error, "samples could not be written");
                samples.put_back(waiting);
            }
        };
        self.with_book(write).await;
    }

    /// Oldest first.
    pub(crate) async fn of(
        self: &Arc<Self>,
        agent: &AgentId,
        from: UnixMs,
        to: UnixMs,
    ) -> Vec<SampleDoc> {
        let agent = agent.clone();
        let read = move |samples: &Self, book: &mut Book| {
            let mut docs = book.read(&agent, from, to).unwrap_or_else(|error| {
                tracing::warn!(%error, "the file of samples cannot be read");
                Vec::new()
            });
            let kept = samples.kept();
            let waiting = kept.get(&agent).into_iter().flat_map(|kept| &kept.samples);
            let wanted = waiting.filter(|sample| (from..=to).contains(&sample.at));
            docs.extend(wanted.map(SampleDoc::from));
            // The clock may have been set back in between.
            docs.sort_by_key(|doc| doc.at);
            docs
        };
        self.with_book(read).await.unwrap_or_default()
    }

    pub(crate) async fn forget(self: &Arc<Self>, agent: &AgentId) {
        let agent = agent.clone();
        let forget = move |samples: &Self, book: &mut Book| {
            samples.kept().remove(&agent);
            if let Err(error) = book.forget(&agent) {
                // Nobody is shown them: a history begins behind what was forgotten. They go by their age.
                tracing::warn!(%error, "samples of a forgotten agent are still there");
            }
        };
        self.with_book(forget).await;
    }

    /// Waits for its turn as a task, and for the disk on a thread of its own.
    async fn with_book<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self, &mut Book) -> T + Send + 'static,
    ) -> Option<T> {
        let mut book = Arc::clone(&self.book).lock_owned().await;
        let samples = Arc::clone(self);
        tokio::task::spawn_blocking(move || work(&samples, &mut book)).await.ok()
    }

    /// Takes out what is to be written.
    fn waiting(&self) -> Vec<(AgentId, VecDeque<Sample>)> {
        let mut kept = self.kept();
        let waiting = kept.iter_mut().filter(|(_, kept)| !kept.samples.is_empty());
        waiting.map(|(agent, kept)| (agent.clone(), std::mem::take(&mut kept.samples))).collect()
    }

    /// In front of what has been taken meanwhile.
    fn put_back(&self, waiting: Vec<(AgentId, VecDeque<Sample>)>) {
        let mut kept = self.kept();
        for (agent, mut samples) in waiting {
            // One that is gone has made room.
            let Some(kept) = kept.get_mut(&agent) else { continue };
            samples.append(&mut kept.samples);
            samples.drain(..samples.len().saturating_sub(KEPT));
            kept.samples = samples;
        }
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<AgentId, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<&Sample> for SampleDoc {
    fn from(sample: &Sample) -> Self {
        Self {
            at: sample.at,
            headline: sample.headline,
            turn: sample.turn.word().into(),
            turn_seq: sample.turn_seq,
            cpu_ms: sample.taken.cpu_ms,
            memory_bytes: sample.taken.memory_bytes,
        }
    }
}

impl std::fmt::Debug for Samples {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Samples").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Manual;
    use headsup_core::seat::Seat;
    use headsup_core::source::Source;

    struct Rig {
        temp: tempfile::TempDir,
        clock: Arc<Manual>,
        own: ProcessId,
    }

    fn id(text: &str) -> AgentId {
        AgentId::new(text).unwrap()
    }

    impl Rig {
        fn new() -> Self {
            let pid = std::process::id();
            let own = ProcessId::new(pid, process::Stat::read(pid).unwrap().start_ticks);
            let clock = Arc::new(Manual::new(UnixMs(1_795_296_597_200)));
            Self { temp: tempfile::tempdir().unwrap(), clock, own }
        }

        /// Of a hub that starts now, with agents `a` and `b`.
        fn samples(&self) -> Arc<Samples> {
            let seat = |agent| Arc::new(Seat::new(id(agent), "agent", Source::Hook, UnixMs(0)));
            let board = Arc::new(Board::new(["a", "b"].map(seat).to_vec(), 0, 0));
            let (clock, limits) = (self.clock.clone(), Limits::default());
            Arc::new(Samples::new(board, clock, self.temp.path(), &limits))
        }

        /// So many of this agent.
        fn take(&self, samples: &Samples, agent: &str, count: usize) {
            for _ in 0..count {
                samples.take(&id(agent), &self.own);
                // A look in between takes none.
                self.clock.advance(EVERY_MS / 2);
                samples.take(&id(agent), &self.own);
                self.clock.advance(EVERY_MS / 2);
            }
        }
    }

    async fn all(samples: &Arc<Samples>, agent: &str) -> Vec<SampleDoc> {
        samples.of(&id(agent), UnixMs(0), UnixMs(i64::MAX)).await
    }

    fn waiting(samples: &Samples) -> usize {
        samples.kept().values().map(|kept| kept.samples.len()).sum()
    }

    #[tokio::test]
    async fn what_was_written_is_there_after_a_restart_and_goes_with_its_agent() {
        let rig = Rig::new();
        let samples = rig.samples();
        rig.take(&samples, "a", 4);
        let kept = all(&samples, "a").await;
        assert!(kept.windows(2).all(|pair| pair[1].at.since(pair[0].at) == EVERY_MS));
        assert!(kept[0].memory_bytes > 0 && (&*kept[0].turn, kept[0].turn_seq) == ("none", 0));
        samples.write().await;
        assert_eq!(waiting(&samples), 0, "memory has no more of it");
        assert_eq!(all(&samples, "a").await, kept);
        // The last one was a moment ago, written or not.
        rig.clock.advance(-1);
        samples.take(&id("a"), &rig.own);
        assert_eq!(waiting(&samples), 0);
        rig.take(&samples, "b", 1);
        samples.write().await;
        drop(samples);

        let samples = rig.samples();
        rig.take(&samples, "a", 1);
        let now = all(&samples, "a").await;
        assert_eq!((&now[..4], now.len()), (&kept[..], 5), "written ones and one that is not");
        assert_eq!(samples.of(&id("a"), now[3].at, now[4].at).await, now[3..]);
        samples.forget(&id("a")).await;
        assert_eq!((all(&samples, "a").await.len(), all(&samples, "b").await.len()), (0, 1));
        drop(samples);
        let samples = rig.samples();
        assert_eq!((all(&samples, "a").await.len(), all(&samples, "b").await.len()), (0, 1));
    }

    #[tokio::test]
    async fn where_the_disk_takes_none_an_hour_stays_in_memory_and_is_written_later() {
        let rig = Rig::new();
        let samples = rig.samples();
        let file = rig.temp.path().join("samples.db");
        std::fs::create_dir(&file).unwrap();
        rig.take(&samples, "a", KEPT);
        samples.write().await;
        rig.take(&samples, "a", 2);
        let kept = all(&samples, "a").await;
        assert_eq!(kept.len(), KEPT);
        samples.write().await;
        assert_eq!(all(&samples, "a").await, kept);
        std::fs::remove_dir(&file).unwrap();
        samples.write().await;
        assert_eq!((waiting(&samples), all(&samples, "a").await.len()), (0, KEPT));
        // What is older than all that is kept of anybody makes room.
        rig.clock.advance(EVERY_MS * 2 * i64::try_from(KEPT).unwrap());
        rig.take(&samples, "b", 1);
        assert_eq!(samples.kept().len(), 1);
    }

    /// The time that passes in between passes at once.
    #[tokio::test(start_paused = true)]
    async fn they_are_written_within_a_minute_and_nothing_wakes_without_any() {
        let rig = Rig::new();
        let samples = rig.samples();
        let keeper = tokio::spawn(Arc::clone(&samples).keep());
        tokio::time::sleep(WRITTEN_WITHIN * 10).await;
        assert!(!rig.temp.path().join("samples.db").exists());
        rig.take(&samples, "a", 2);
        tokio::time::sleep(WRITTEN_WITHIN + Duration::from_secs(1)).await;
        // Behind the one that is writing.
        assert_eq!(all(&samples, "a").await.len(), 2);
        assert_eq!(waiting(&samples), 0);
        keeper.abort();
    }
}
