//! The pen: whoever holds it is the writer.
//!
//! Jobs that come side by side queue for the writer's thread, which takes them into one commit. A
//! report that comes alone is written by the task that brought it: two changes of threads are more
//! than half of the time that such a report takes (measured).

use super::Writer;
use super::upkeep::Pace;
use crate::inbox::Outbox;
use crate::job::{Job, Work};
use crate::limits::BATCH_JOBS;
use headsup_core::time::UnixMs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// After jobs that came side by side more are awaited for so long: one commit of many is cheaper.
const CROWDED: Duration = Duration::from_millis(10);
/// So many reports that came alone, and the thread sees to the chores.
const CHORES_EVERY: u32 = 64;

/// There is none any more once the writer has ended.
#[derive(Clone, Default)]
pub(crate) struct Pen(Arc<Mutex<Option<Writer>>>);

impl std::fmt::Debug for Pen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pen")
    }
}

/// What the thread has to know of what was done without it.
#[derive(Debug)]
pub(super) struct Alone {
    /// Reports that came alone since the thread last looked.
    count: u32,
    /// When the thread looks again by itself.
    looks_at: UnixMs,
    /// When several jobs came last.
    crowded_at: Option<Instant>,
    /// One is being written on the thread that serves, which waits for nobody.
    pub(super) is_hasty: bool,
    /// It would have had to wait.
    pub(super) put_off: Option<Job>,
}

impl Default for Alone {
    fn default() -> Self {
        let (is_hasty, put_off) = (false, None);
        Self { count: 0, looks_at: UnixMs(i64::MIN), crowded_at: None, is_hasty, put_off }
    }
}

/// What became of a job that came alone.
#[derive(Debug)]
pub(crate) enum Tried {
    /// It is answered. The thread must be woken if it would sleep too long now. `is_heard`: a few listen
    /// to what came of it, and wait to run.
    Done { wake: bool, is_heard: bool },
    /// It has to queue.
    Busy(Job),
}

impl Pen {
    pub(crate) fn new(writer: Writer) -> Self {
        Self(Arc::new(Mutex::new(Some(writer))))
    }

    /// Writes one job at once if nobody else is writing, also no other program, and nothing comes before it.
    pub(crate) fn try_write(&self, job: Job) -> Tried {
        let Ok(mut held) = self.0.try_lock() else { return Tried::Busy(job) };
        let Some(writer) = held.as_mut().filter(|writer| writer.is_at_leisure()) else {
            return Tried::Busy(job);
        };
        let mut put_off = None;
        let written = catch_unwind(AssertUnwindSafe(|| {
            put_off = writer.write_in_haste(job);
            writer.alone.count += 1;
            let is_early = writer.deadlines.next().is_some_and(|at| at < writer.alone.looks_at);
            is_early || writer.alone.count % CHORES_EVERY == 0
        }));
        let wake = written.unwrap_or_else(|_| {
            // A defect outside of any job: what the writer knows cannot be trusted. The thread
            // finds that there is none, and ends the hub.
            *held = None;
            true
        });
        if let Some(job) = put_off {
            return Tried::Busy(job);
        }
        let is_heard = held.as_ref().is_some_and(|writer| writer.bus.is_heard_by_few());
        Tried::Done { wake, is_heard }
    }

    /// Works until it is told to shut down, or until nobody can send it anything.
    pub(crate) fn run(self, outbox: Outbox) {
        let mut patience = {
            let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(writer) = held.as_mut() else { return };
            // A log that a killed hub has left is not read at the next start again.
            writer.checkpoint(Pace::Idle);
            // What has come due while no hub was there has waited long enough.
            writer.patience()
        };
        while let Some(jobs) = outbox.take(patience, BATCH_JOBS) {
            let count = jobs.len();
            let last = jobs.iter().any(|job| matches!(job.work, Work::Shutdown));
            let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(writer) = held.as_mut() else { return };
            writer.turn(jobs);
            outbox.done(count);
            if last {
                break;
            }
            if count > 1 {
                writer.alone.crowded_at = Some(Instant::now());
            }
            let alone = std::mem::take(&mut writer.alone.count);
            let pace = match (count, outbox.is_empty()) {
                (0, true) if alone == 0 => Pace::Idle,
                (_, true) => Pace::Quiet,
                (_, false) => Pace::Busy,
            };
            patience = if writer.chores(pace) { Duration::ZERO } else { writer.patience() };
            let ms = i64::try_from(patience.as_millis()).unwrap_or(i64::MAX);
            writer.alone.looks_at = writer.now().plus(ms);
        }
        let writer = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Writer { flusher, store, .. }) = writer else { return };
        // Its connection goes first, so that closing ours moves all of the log into the database.
        drop(flusher);
        store.close();
    }
}

impl Writer {
    /// Returns it where another program keeps the database locked: only the writer's thread waits for that.
    fn write_in_haste(&mut self, job: Job) -> Option<Job> {
        self.alone.is_hasty = true;
        self.store.wait_for_others(false);
        self.turn_behind(false, vec![job]);
        self.store.wait_for_others(true);
        self.alone.is_hasty = false;
        self.alone.put_off.take()
    }

    /// Does nothing have to come before a report that comes alone?
    fn is_at_leisure(&self) -> bool {
        let is_crowded = self.alone.crowded_at.is_some_and(|at| at.elapsed() < CROWDED);
        // Whoever begins the log anew waits for the disk, which is not for the thread that serves.
        let has_begun = self.store.log().pages() > 0;
        has_begun && !is_crowded && !self.spool.has_news()
    }
}
