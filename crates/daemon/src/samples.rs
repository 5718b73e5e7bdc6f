//! What the processes of agents take, with what the agents did then.

use crate::board::Board;
use crate::process;
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::time::UnixMs;
use headsup_core::wire::SampleDoc;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// Between two samples of one process.
const EVERY: Duration = Duration::from_secs(30);
/// An hour of them.
const KEPT: usize = 120;

/// In memory alone, since the hub's start.
#[derive(Debug)]
pub(crate) struct Samples {
    board: Arc<Board>,
    kept: Mutex<HashMap<AgentId, Kept>>,
}

#[derive(Debug)]
struct Kept {
    last: Instant,
    samples: VecDeque<SampleDoc>,
}

impl Samples {
    pub(crate) fn new(board: Arc<Board>) -> Self {
        Self { board, kept: Mutex::default() }
    }

    /// Takes one of a living process, unless the last was a moment ago.
    pub(crate) fn take(&self, agent: &AgentId, process: &ProcessId) {
        let mut kept = self.kept();
        if kept.get(agent).is_some_and(|kept| kept.last.elapsed() < EVERY) {
            return;
        }
        let Some(seat) = self.board.seat(agent) else {
            kept.remove(agent);
            return;
        };
        let Some(taken) = process.pid_here().and_then(process::taken) else { return };
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let sample = SampleDoc {
            at: UnixMs(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX)),
            headline: seat.headline(),
            turn: seat.turn().word().into(),
            turn_seq: seat.turn.seq,
            cpu_ms: taken.cpu_ms,
            memory_bytes: taken.memory_bytes,
        };
        let fresh = || Kept { last: Instant::now(), samples: VecDeque::new() };
        let kept = kept.entry(agent.clone()).or_insert_with(fresh);
        kept.last = Instant::now();
        if kept.samples.len() == KEPT {
            kept.samples.pop_front();
        }
        kept.samples.push_back(sample);
    }

    /// Oldest first.
    pub(crate) fn of(&self, agent: &AgentId, from: UnixMs, to: UnixMs) -> Vec<SampleDoc> {
        let kept = self.kept();
        let samples = kept.get(agent).into_iter().flat_map(|kept| &kept.samples);
        samples.filter(|sample| (from..=to).contains(&sample.at)).cloned().collect()
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<AgentId, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
