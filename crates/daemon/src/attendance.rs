//! Whether the hub's own channels reach a person: a page is open, or somebody has just looked at a question
//! or answered one. Kept in memory alone, so that nobody is taken to be there after a start.

use crate::clock::Clock;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// So long after their last act people are taken to be there, in milliseconds.
pub(crate) const LATELY_MS: i64 = 600_000;

#[derive(Debug)]
pub(crate) struct Attendance {
    /// Pages that are open in browsers now.
    pages: AtomicU64,
    /// The last sign of a person, on the clock that never jumps.
    last_ms: AtomicI64,
}

impl Default for Attendance {
    fn default() -> Self {
        Self { pages: AtomicU64::new(0), last_ms: AtomicI64::new(i64::MIN) }
    }
}

impl Attendance {
    /// A person has done something now.
    pub(crate) fn acted(&self, now_ms: i64) {
        self.last_ms.fetch_max(now_ms, Ordering::Relaxed);
    }

    pub(crate) fn is_somebody_there(&self, now_ms: i64) -> bool {
        let last = self.last_ms.load(Ordering::Relaxed);
        self.pages.load(Ordering::Relaxed) > 0 || now_ms.saturating_sub(last) <= LATELY_MS
    }
}

/// A page that is open in a browser. Whoever closes it was there until then.
pub(crate) struct Reader {
    attendance: Arc<Attendance>,
    clock: Arc<dyn Clock>,
}

impl Reader {
    pub(crate) fn new(attendance: Arc<Attendance>, clock: Arc<dyn Clock>) -> Self {
        attendance.pages.fetch_add(1, Ordering::Relaxed);
        Self { attendance, clock }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.attendance.acted(self.clock.monotonic_ms());
        self.attendance.pages.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Manual;
    use headsup_core::time::UnixMs;

    #[test]
    fn somebody_is_there_while_a_page_is_open_and_for_a_while_after_an_act() {
        let clock: Arc<dyn Clock> = Arc::new(Manual::new(UnixMs(0)));
        let there = Arc::new(Attendance::default());
        let now = clock.monotonic_ms();
        assert!(!there.is_somebody_there(now), "nobody has been seen");
        let page = Reader::new(Arc::clone(&there), Arc::clone(&clock));
        assert!(there.is_somebody_there(now + 10 * LATELY_MS), "it is open");
        drop(page);
        assert!(there.is_somebody_there(now + LATELY_MS));
        assert!(!there.is_somebody_there(now + LATELY_MS + 1));
        there.acted(now + LATELY_MS);
        there.acted(now);
        assert!(there.is_somebody_there(now + 2 * LATELY_MS), "the last act counts");
    }
}
