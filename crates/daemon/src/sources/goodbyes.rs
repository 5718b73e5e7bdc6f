//! Which processes have said goodbye: their status file went away before they did.

use headsup_core::id::ProcessId;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// More than these are never remembered: a goodbye counts for a moment.
const MOST: usize = 1_024;

#[derive(Debug, Default)]
pub(super) struct Goodbyes {
    known: Mutex<Known>,
    news: Notify,
}

#[derive(Debug, Default)]
struct Known {
    said: HashSet<ProcessId>,
    /// Pids with a status file, and how many files of that name there are.
    files: HashMap<u32, usize>,
}

impl Goodbyes {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A status file has appeared.
    pub(super) fn file_is_there(&self, pid: u32) {
        *self.known().files.entry(pid).or_default() += 1;
    }

    /// A status file has gone. `of`: whose it was, if it could be read.
    pub(super) fn file_is_gone(&self, pid: u32, of: Option<ProcessId>) {
        let mut known = self.known();
        if let Some(count) = known.files.get_mut(&pid) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                known.files.remove(&pid);
            }
        }
        if known.said.len() >= MOST {
            known.said.clear();
        }
        known.said.extend(of);
        drop(known);
        self.news.notify_waiters();
    }

    pub(super) fn has_file(&self, pid: u32) -> bool {
        self.known().files.contains_key(&pid)
    }

    /// Comes back when the process has said goodbye.
    pub(super) async fn said_by(&self, process: &ProcessId) {
        loop {
            let news = self.news.notified();
            if self.known().said.contains(process) {
                return;
            }
            news.await;
        }
    }
}
