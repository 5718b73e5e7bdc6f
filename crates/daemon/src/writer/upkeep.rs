//! Chores: checkpoints are asked for, old events go, and what launches have left.

use super::Writer;
use headsup_core::time::UnixMs;

/// The write-ahead log is copied into the database when it has grown by so many pages (4 KiB):
/// soon when nobody reports, because the disk is then nobody's bottleneck; else seldom. A start
/// after a kill reads all of the log, at a few milliseconds a thousand pages.
const IDLE_CHECKPOINT_PAGES: u32 = 1_000;
const BUSY_CHECKPOINT_PAGES: u32 = 4_000;
/// So many pages (1 MB) are flushed at once while the log grows, unless it grows faster than the disk takes it.
const FLUSHED_PAGES: u32 = 256;
/// Under steady load the flusher never gets to the log's end, and only from its end can it start
/// over. When it is so many pages long the writer itself copies what the flusher has left over.
const LONG_LOG_PAGES: u32 = 8_000;
/// So many events are looked through at once for activity.
const ACTIVITY_STEP: u64 = 256;
/// Under steady load the writer copies activity even so, when the log is so far ahead.
const ACTIVITY_LAG: u64 = 4_096;
/// How often the oldest event's age is looked at. Milliseconds.
const AGE_LOOK_MS: i64 = 600_000;
/// So long after the clock was set, or after a sleep, nothing is old: a clock that is wrong for a while
/// must not cost the log. Milliseconds.
const CLOCK_DOUBT_MS: i64 = 3_600_000;
/// Between two steps of pruning while reports come in. Milliseconds.
const BUSY_STEP_MS: i64 = 1_000;

#[derive(Debug, Default)]
pub(super) struct Upkeep {
    /// How long the log was at the last checkpoint.
    asked_at_pages: u32,
    /// The same at the last flush.
    flushed_at_pages: u32,
    finish_checkpoint: bool,
    looked_at: UnixMs,
    stepped_at: UnixMs,
    sweeping: bool,
    /// When the wall clock jumped last, on the clock that never does. Milliseconds.
    jumped_at: Option<i64>,
}

/// How much time there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// Jobs are waiting.
    Busy,
    /// None is waiting now.
    Quiet,
    /// None has come for a while.
    Idle,
}

impl Writer {
    /// Does one small chore. True: there is more to do at once, if nobody wants anything else.
    pub(super) fn chores(&mut self, pace: Pace) -> bool {
        self.checkpoint(pace);
        self.copy_activity(pace);
        let now = self.now();
        let at_ms = self.clock.monotonic_ms();
        if pace != Pace::Busy && self.sweep.is_due(pace == Pace::Idle, at_ms) {
            self.sweep.look(&self.launches, &self.board, now, at_ms);
        }
        let (oldest, head) = (self.board.oldest(), self.board.head());
        let too_many = (head + 1).saturating_sub(oldest) > self.most();
        let look = now.since(self.upkeep.looked_at) >= AGE_LOOK_MS;
        if !(too_many || look || self.upkeep.sweeping) {
            return false;
        }
        if pace != Pace::Idle && now.since(self.upkeep.stepped_at) < BUSY_STEP_MS {
            return false;
        }
        self.upkeep.stepped_at = now;
        let left = self.prune(oldest, head, now);
        if left == oldest {
            self.upkeep.looked_at = now;
        }
        self.upkeep.sweeping = self.store.sweep_ids(left).unwrap_or_else(|error| {
            tracing::debug!(%error, "old report ids could not be dropped");
            false
        });
        pace == Pace::Idle && (left != oldest || self.upkeep.sweeping)
    }

    fn copy_activity(&mut self, pace: Pace) {
        let (done, head) = (self.store.activity_until(), self.board.head());
        let lag = head.saturating_sub(done);
        if lag < ACTIVITY_STEP || (pace == Pace::Busy && lag < ACTIVITY_LAG) {
            return;
        }
        if let Err(error) = self.store.copy_activity(done + ACTIVITY_STEP) {
            tracing::debug!(%error, "activity could not be copied");
        }
    }

    /// Over how many places the events reach that are kept.
    fn most(&self) -> u64 {
        self.limits.events.saturating_add(self.store.free_places())
    }

    /// Returns the oldest event that is left.
    fn prune(&mut self, oldest: u64, head: u64, now: UnixMs) -> u64 {
        let keep_from = (head + 1).saturating_sub(self.most());
        let older_than = self.oldest_kept(now);
        let left = match self.store.prune(oldest, head, keep_from, older_than) {
            Ok(left) => left,
            Err(error) => {
                tracing::debug!(%error, "old events could not be dropped");
                oldest
            }
        };
        self.metrics.pruned.inc_by(left - oldest);
        self.board.set_oldest(left);
        left
    }

    /// Events from before are old.
    fn oldest_kept(&self, now: UnixMs) -> UnixMs {
        let is_doubtful = self.upkeep.jumped_at.is_some_and(|jumped_at| {
            self.clock.monotonic_ms().saturating_sub(jumped_at) < CLOCK_DOUBT_MS
        });
        match is_doubtful {
            true => UnixMs(i64::MIN),
            // Time that never runs backwards may still be ahead.
            false => now.min(self.clock.wall()).plus(-self.limits.event_age_ms),
        }
    }

    pub(super) fn clock_jumped(&mut self) {
        self.upkeep.jumped_at = Some(self.clock.monotonic_ms());
    }

    pub(super) fn checkpoint(&mut self, pace: Pace) {
        let pages = self.store.log().pages();
        let upkeep = &mut self.upkeep;
        if pages < upkeep.asked_at_pages {
            // The log has started over.
            (upkeep.asked_at_pages, upkeep.finish_checkpoint) = (0, false);
        }
        if pages < upkeep.flushed_at_pages {
            upkeep.flushed_at_pages = 0;
        }
        let grown = pages - upkeep.asked_at_pages;
        let is_at_leisure = !self.flusher.is_checkpointing();
        // Until it is empty: somebody may be reading in it. What is copied already is no reason to keep it.
        let calm = pace == Pace::Idle
            && (pages == 0 || pages >= IDLE_CHECKPOINT_PAGES)
            && is_at_leisure
            && !self.store.log_is_empty();
        if calm || (grown >= BUSY_CHECKPOINT_PAGES && is_at_leisure) {
            (upkeep.asked_at_pages, upkeep.flushed_at_pages) = (pages, pages);
            upkeep.finish_checkpoint = pages >= LONG_LOG_PAGES && !calm;
            self.flusher.checkpoint(calm);
        } else if upkeep.finish_checkpoint && is_at_leisure {
            upkeep.finish_checkpoint = false;
            if let Err(error) = self.store.checkpoint() {
                tracing::debug!(%error, "the long write-ahead log could not be checkpointed");
            }
        } else if is_at_leisure && pages - upkeep.flushed_at_pages >= FLUSHED_PAGES {
            upkeep.flushed_at_pages = pages;
            self.flusher.flush_log();
        }
    }
}
