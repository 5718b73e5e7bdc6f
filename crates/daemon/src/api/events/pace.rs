//! How often a watcher is told in a crowd: twenty times a second at most, of all that came meanwhile.
//!
//! What comes behind a silence is told at once. Windows begin with what was made, not with when
//! somebody got to send it, so they are the same ones for the whole crowd and do not drift.

use std::time::{Duration, Instant};

/// What comes within it goes together.
const WINDOW: Duration = Duration::from_millis(50);

/// Of one watcher.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Where the window ends in which it was told last.
    end: Option<Instant>,
}

impl Pace {
    /// How long what was made at this moment waits for what comes behind it.
    pub(super) fn pause(&mut self, made: Instant) -> Duration {
        self.pause_at(made, Instant::now())
    }

    fn pause_at(&mut self, made: Instant, now: Instant) -> Duration {
        let begin = self.end.map_or(made, |end| end.max(made));
        self.end = Some(begin + WINDOW);
        begin.saturating_duration_since(now)
    }

    /// What comes next is told at once.
    pub(super) fn hurry(&mut self) {
        self.end = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_in_one_window_waits_for_its_end_and_what_comes_later_for_nothing() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut pace = Pace::default();
        let mut pause = |made, now| pace.pause_at(at(made), at(now)).as_millis();
        assert_eq!(pause(0, 1), 0);
        // Made in its window, told at its end.
        assert_eq!(pause(2, 3), 47);
        // The next window has begun by then, and is over 50 ms later.
        assert_eq!(pause(51, 52), 48);
        // Late is no reason to wait longer.
        assert_eq!(pause(101, 160), 0);
        // Behind a silence, at once.
        assert_eq!(pause(300, 301), 0);
        // At the same pace nobody waits, however late one was told before.
        assert_eq!(pause(350, 351), 0);
        pace.hurry();
        assert_eq!(pace.pause_at(at(351), at(352)).as_millis(), 0);
    }
}
