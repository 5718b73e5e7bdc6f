//! The integrity check: in the background, once the hub has served for a while.

use crate::metrics::Metrics;
use crate::store::{self, Medium, StoreError, Unreadable};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// It reads the whole database, which whoever waits for the hub's first answers should not feel.
const AFTER: Duration = Duration::from_secs(1);
/// Steps of the database's machine between two looks at whether to stop.
const STEPS: i32 = 1_000;

/// A check under way; dropping it ends it.
#[derive(Debug)]
pub(crate) struct Check {
    thread: Option<JoinHandle<()>>,
    stop: Arc<AtomicBool>,
}

impl Check {
    pub(crate) fn start(
        database: PathBuf,
        metrics: Arc<Metrics>,
        medium: Arc<Medium>,
    ) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("headsup-check".into()).spawn(move || {
            let begin = Instant::now() + AFTER;
            while let Some(rest) = begin.checked_duration_since(Instant::now())
                && !stopped.load(Ordering::Relaxed)
            {
                std::thread::park_timeout(rest);
            }
            // Whoever takes the hub down does not wait for a look at all of it.
            if !stopped.load(Ordering::Relaxed) {
                let found = check(&database, &medium, &metrics.unreadable, stopped);
                report(found, &database, &metrics);
            }
        })?;
        Ok(Self { thread: Some(thread), stop })
    }
}

impl Drop for Check {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            thread.join().ok();
        }
    }
}

fn report(found: Result<Option<String>, StoreError>, database: &Path, metrics: &Metrics) {
    match found {
        Ok(None) => tracing::debug!("no damage was found in the database"),
        Ok(Some(damage)) => {
            metrics.damage.inc();
            tracing::error!(
                damage,
                "the database is damaged: the next start keeps it aside and goes on with what can be read of it"
            );
            if let Err(error) = store::doubt(database) {
                tracing::error!(%error, "that cannot be noted for the next start");
            }
            metrics.damaged.notify_one();
        }
        Err(StoreError::Unread(error)) => {
            metrics.unread.inc();
            tracing::warn!(%error, "the disk did not give all of the database: it could not be checked");
        }
        Err(error) => tracing::debug!(%error, "the integrity check did not finish"),
    }
}

/// What is wrong, in the database's own words. It is believed where the disk gives all of it, and it is found again.
fn check(
    database: &Path,
    medium: &Medium,
    unreadable: &Unreadable,
    stop: Arc<AtomicBool>,
) -> Result<Option<String>, StoreError> {
    let stopped = Arc::clone(&stop);
    let mut connection = store::connect_again(database)?;
    connection.progress_handler(STEPS, Some(move || stop.load(Ordering::Relaxed)))?;
    match store::damage_in(&connection)? {
        // What is whole for the database may still be none of ours.
        None => store::look_through(&connection, unreadable).map(|()| None),
        Some(_) if stopped.load(Ordering::Relaxed) => Ok(None),
        Some(found) if !medium.is_damaged(&connection) => {
            Err(StoreError::Unread(io::Error::other(found)))
        }
        found => Ok(found),
    }
}
