//! Recorded time on this machine's clock.
//!
//! A machine that stalls must not press what is played together: what comes later is played as much
//! later, so that the verdict is about the hub.

use std::thread::park_timeout;
use std::time::{Duration, Instant};

/// How often the player looks whether the machine has stalled.
const LOOK: Duration = Duration::from_millis(25);
/// A lag that is no stall.
const USUAL: Duration = Duration::from_millis(30);

#[derive(Debug)]
pub(super) struct Clock {
    start: Instant,
    /// By how much everything is played later.
    delay: Duration,
}

impl Clock {
    pub(super) fn start() -> Self {
        Self { start: Instant::now(), delay: Duration::ZERO }
    }

    pub(super) fn began(&self) -> Instant {
        self.start
    }

    pub(super) fn delay(&self) -> Duration {
        self.delay
    }

    /// Waits for a recorded moment; returns when it was to be played. Milliseconds.
    pub(super) fn wait_for(&mut self, t_ms: u64) -> u64 {
        loop {
            let due = Duration::from_millis(t_ms) + self.delay;
            let now = self.start.elapsed();
            let Some(rest) = due.checked_sub(now).filter(|rest| !rest.is_zero()) else {
                self.fell_behind(now.saturating_sub(due));
                return u64::try_from(self.delay.as_millis()).unwrap_or(u64::MAX) + t_ms;
            };
            let nap = rest.min(LOOK);
            park_timeout(nap);
            self.fell_behind(self.start.elapsed().saturating_sub(now + nap));
        }
    }

    fn fell_behind(&mut self, lag: Duration) {
        if lag > USUAL {
            self.delay += lag;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_stall_has_held_up_is_played_as_much_later() {
        let mut clock = Clock::start();
        clock.start -= Duration::from_millis(500);
        let first = clock.wait_for(100);
        assert!(first >= 500, "{first}");
        let second = clock.wait_for(250);
        assert!(second - first >= 150, "{first} {second}");
    }

    #[test]
    fn a_usual_lag_delays_nothing() {
        let mut clock = Clock::start();
        clock.fell_behind(USUAL);
        assert_eq!(clock.delay(), Duration::ZERO);
    }
}
