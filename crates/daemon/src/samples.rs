//! What the processes of agents take, with what the agents did then.

use crate::board::Board;
use crate::clock::Clock;
use crate::process;
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::status::{Headline, Turn};
use headsup_core::time::UnixMs;
use headsup_core::wire::SampleDoc;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Between two samples of one process. Milliseconds.
const EVERY_MS: i64 = 30_000;
/// An hour of them.
const KEPT: usize = 120;

/// In memory alone, since the hub's start.
pub(crate) struct Samples {
    board: Arc<Board>,
    clock: Arc<dyn Clock>,
    kept: Mutex<HashMap<AgentId, Kept>>,
}

struct Kept {
    /// On the clock that nobody sets.
    last_ms: i64,
    samples: VecDeque<Sample>,
}

/// There may be a hundred thousand of them.
struct Sample {
    at: UnixMs,
    headline: Headline,
    turn: Turn,
    turn_seq: u64,
    taken: process::Taken,
}

impl Samples {
    pub(crate) fn new(board: Arc<Board>, clock: Arc<dyn Clock>) -> Self {
        Self { board, clock, kept: Mutex::default() }
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
    }

    /// Oldest first.
    pub(crate) fn of(&self, agent: &AgentId, from: UnixMs, to: UnixMs) -> Vec<SampleDoc> {
        let kept = self.kept();
        let samples = kept.get(agent).into_iter().flat_map(|kept| &kept.samples);
        samples.filter(|sample| (from..=to).contains(&sample.at)).map(SampleDoc::from).collect()
    }

    pub(crate) fn forget(&self, agent: &AgentId) {
        self.kept().remove(agent);
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

    #[test]
    fn an_hour_is_kept_of_each_and_nothing_of_who_is_long_gone() {
        let ids = ["a", "b"].map(|id| AgentId::new(id).unwrap());
        let seat = |id: &AgentId| Arc::new(Seat::new(id.clone(), "agent", Source::Hook, UnixMs(0)));
        let clock = Arc::new(Manual::new(UnixMs(1_795_296_597_200)));
        let board = Arc::new(Board::new(ids.iter().map(seat).collect(), 0, 0));
        let samples = Samples::new(board, clock.clone());
        let pid = std::process::id();
        let own = ProcessId::new(pid, process::Stat::read(pid).unwrap().start_ticks);
        let all = |id| samples.of(id, UnixMs(0), UnixMs(i64::MAX));
        for _ in 0..KEPT + 2 {
            samples.take(&ids[0], &own);
            // A look in between takes none.
            clock.advance(EVERY_MS / 2);
            samples.take(&ids[0], &own);
            clock.advance(EVERY_MS / 2);
        }
        let kept = all(&ids[0]);
        assert_eq!(kept.len(), KEPT);
        assert!(kept.windows(2).all(|pair| pair[1].at.since(pair[0].at) == EVERY_MS));
        assert!(kept[0].memory_bytes > 0 && (&*kept[0].turn, kept[0].turn_seq) == ("none", 0));
        assert_eq!(samples.of(&ids[0], kept[3].at, kept[5].at).len(), 3);
        clock.advance(EVERY_MS * 2 * i64::try_from(KEPT).unwrap());
        samples.take(&ids[1], &own);
        assert_eq!((all(&ids[0]).len(), all(&ids[1]).len()), (0, 1));
        samples.forget(&ids[1]);
        assert!(all(&ids[1]).is_empty());
    }
}
