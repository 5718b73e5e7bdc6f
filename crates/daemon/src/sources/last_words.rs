//! Which ends a container's engine has told of: it knows codes that nobody else does.

use headsup_core::id::ProcessId;
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::timeout;

/// An engine tells of the end of a container within this time after the end of its processes.
const WITHIN: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub(super) struct LastWords {
    known: Mutex<Known>,
    news: Notify,
}

#[derive(Debug, Default)]
struct Known {
    /// Their containers are listened to.
    awaited: HashSet<ProcessId>,
    told: HashSet<ProcessId>,
}

impl Known {
    /// Whether it is told, and whether that may still come.
    fn state_of(&self, process: &ProcessId) -> (bool, bool) {
        (self.told.contains(process), self.awaited.contains(process))
    }
}

impl LastWords {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An engine is being listened to that will tell of its end.
    pub(super) fn await_of(&self, process: &ProcessId) {
        self.known().awaited.insert(process.clone());
    }

    /// Nobody listens for it any more.
    pub(super) fn forget(&self, process: &ProcessId) {
        let mut known = self.known();
        known.awaited.remove(process);
        known.told.remove(process);
        drop(known);
        self.news.notify_waiters();
    }

    /// Its end has been told.
    pub(super) fn tell(&self, process: &ProcessId) {
        self.known().told.insert(process.clone());
        self.news.notify_waiters();
    }

    /// Waits a moment for the end of a process that is gone; false if it is not told.
    pub(super) async fn told_of(&self, process: &ProcessId) -> bool {
        let told = async {
            loop {
                let news = self.news.notified();
                let state = self.known().state_of(process);
                match state {
                    (true, _) => return true,
                    (false, true) => news.await,
                    (false, false) => return false,
                }
            }
        };
        timeout(WITHIN, told).await.unwrap_or(false)
    }
}
