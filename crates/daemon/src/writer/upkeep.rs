//! Chores: checkpoints are asked for, old events go, and what launches have left.

use super::Writer;
use crate::filesystem;
use headsup_core::time::UnixMs;

/// The write-ahead log is copied into the database when it has grown by so many pages (4 KiB):
/// soon when nobody reports, because the disk is then nobody's bottleneck; else seldom. A start
/// after a kill reads all of the log, at a few milliseconds a thousand pages.
const IDLE_CHECKPOINT_PAGES: u32 = 1_000;
const BUSY_CHECKPOINT_PAGES: u32 = 4_000;
/// What a page takes. Bytes.
const PAGE: u64 = 4 << 10;
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
        let is_at_leisure = !self.flusher.is_checkpointing();
        // Until it is empty: somebody may be reading in it. What is copied already is no reason to keep it.
        let calm = pace == Pace::Idle
            && (pages == 0 || pages >= IDLE_CHECKPOINT_PAGES)
            && is_at_leisure
            && !self.store.log_is_empty();
        let is_narrow =
            || filesystem::free(self.store.path()).is_some_and(|free| free < needed(pages));
        match self.upkeep.of_log(pages, calm, is_at_leisure, is_narrow) {
            Some(LogChore::Checkpoint) => self.flusher.checkpoint(calm),
            Some(LogChore::Rest) => {
                if let Err(error) = self.store.checkpoint() {
                    tracing::debug!(%error, "the long write-ahead log could not be checkpointed");
                }
            }
            Some(LogChore::Flush) => self.flusher.flush_log(),
            None => {}
        }
    }
}

/// So much room has to be left where a log of so many pages goes on growing, in bytes: what is copied into the database
/// takes it, and the log keeps what it has.
fn needed(pages: u32) -> u64 {
    2 * PAGE * u64::from(pages)
}

/// What is to be done about the write-ahead log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LogChore {
    /// The flusher copies it into the database.
    Checkpoint,
    /// The writer copies what the flusher has left over.
    Rest,
    /// The flusher has it go on to the disk.
    Flush,
}

impl Upkeep {
    /// Of a log of so many pages. `calm`: nobody reports, and it is to be emptied. `is_at_leisure`: the flusher does nothing
    /// else. `is_narrow`: before the log is longer the disk would be full, and it could be emptied no more.
    fn of_log(
        &mut self,
        pages: u32,
        calm: bool,
        is_at_leisure: bool,
        is_narrow: impl FnOnce() -> bool,
    ) -> Option<LogChore> {
        if pages < self.asked_at_pages {
            // The log has started over.
            (self.asked_at_pages, self.finish_checkpoint) = (0, false);
        }
        if pages < self.flushed_at_pages {
            self.flushed_at_pages = 0;
        }
        let grown = pages - self.asked_at_pages;
        // What has grown behind a slow checkpoint is in the rest as well.
        if self.finish_checkpoint && is_at_leisure && !calm {
            self.finish_checkpoint = false;
            return Some(LogChore::Rest);
        }
        if calm || (grown >= BUSY_CHECKPOINT_PAGES && is_at_leisure) {
            (self.asked_at_pages, self.flushed_at_pages) = (pages, pages);
            self.finish_checkpoint = pages >= LONG_LOG_PAGES && !calm;
            return Some(LogChore::Checkpoint);
        }
        if is_at_leisure && pages - self.flushed_at_pages >= FLUSHED_PAGES {
            self.flushed_at_pages = pages;
            if is_narrow() {
                (self.asked_at_pages, self.finish_checkpoint) = (pages, true);
                return Some(LogChore::Checkpoint);
            }
            return Some(LogChore::Flush);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HARD_AT_WORK: bool = false;
    const AT_LEISURE: bool = true;

    fn told(upkeep: &mut Upkeep, looks: &[(u32, bool)]) -> Vec<Option<LogChore>> {
        let roomy = || false;
        looks.iter().map(|(pages, leisure)| upkeep.of_log(*pages, false, *leisure, roomy)).collect()
    }

    #[test]
    fn a_log_that_grows_goes_on_to_the_disk_piece_by_piece() {
        use LogChore::{Checkpoint, Flush};
        let looks = [
            (FLUSHED_PAGES - 1, AT_LEISURE),
            (FLUSHED_PAGES, AT_LEISURE),
            (FLUSHED_PAGES + 1, AT_LEISURE),
            (2 * FLUSHED_PAGES, HARD_AT_WORK),
            (2 * FLUSHED_PAGES + 9, AT_LEISURE),
            (BUSY_CHECKPOINT_PAGES, HARD_AT_WORK),
            // Nothing that was due meanwhile is forgotten.
            (BUSY_CHECKPOINT_PAGES + 9, AT_LEISURE),
            (BUSY_CHECKPOINT_PAGES + 10, AT_LEISURE),
            // It has begun anew.
            (3, AT_LEISURE),
            (FLUSHED_PAGES, AT_LEISURE),
        ];
        let (flush, checkpoint) = (Some(Flush), Some(Checkpoint));
        let expected = [None, flush, None, None, flush, None, checkpoint, None, None, flush];
        assert_eq!(told(&mut Upkeep::default(), &looks), expected);
        assert_eq!(
            Upkeep::default().of_log(0, true, AT_LEISURE, || false),
            checkpoint,
            "to be emptied"
        );
    }

    #[test]
    fn the_rest_of_a_long_log_is_copied_however_slow_the_disk_is() {
        use LogChore::{Checkpoint, Rest};
        let mut upkeep = Upkeep::default();
        let (long, more) = (LONG_LOG_PAGES, 2 * BUSY_CHECKPOINT_PAGES);
        let looks = [(long, AT_LEISURE), (long + more, HARD_AT_WORK), (long + more, AT_LEISURE)];
        assert_eq!(told(&mut upkeep, &looks), [Some(Checkpoint), None, Some(Rest)]);
        // Where somebody reads in it all of it stays, and it is tried again.
        let looks = [(long + more, AT_LEISURE), (long + more, AT_LEISURE)];
        assert_eq!(told(&mut upkeep, &looks), [Some(Checkpoint), Some(Rest)]);
    }

    #[test]
    fn a_log_is_emptied_before_the_disk_is_too_full_for_that() {
        use LogChore::{Checkpoint, Flush, Rest};
        let mut upkeep = Upkeep::default();
        let free = needed(3 * FLUSHED_PAGES);
        let mut told = |pages: u32, free: u64| {
            let is_narrow = || free < needed(pages);
            upkeep.of_log(pages, false, AT_LEISURE, is_narrow)
        };
        assert_eq!(told(FLUSHED_PAGES, free), Some(Flush));
        assert_eq!(told(3 * FLUSHED_PAGES, free), Some(Flush));
        assert_eq!(told(4 * FLUSHED_PAGES, free), Some(Checkpoint));
        assert_eq!(told(4 * FLUSHED_PAGES + 1, free), Some(Rest), "also under steady load");
        // It has begun anew where it was.
        assert_eq!(told(FLUSHED_PAGES, needed(FLUSHED_PAGES) - 1), Some(Checkpoint));
    }
}
