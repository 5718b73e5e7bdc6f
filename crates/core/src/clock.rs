//! Three clocks side by side: where they part, the machine slept or somebody set the time.

/// How far two clocks may part between two looks. Milliseconds.
pub const TOLERANCE_MS: i64 = 2_000;

/// All clocks at one moment. Milliseconds; but for the wall clock's their zero means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// It may be set.
    pub wall_ms: i64,
    /// It stands still while the machine sleeps.
    pub monotonic_ms: i64,
    /// It goes on meanwhile.
    pub boot_ms: i64,
}

/// What has parted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    /// By how much the wall clock ran ahead of the monotonic one (negative: fell behind).
    pub ahead_ms: i64,
    /// How much of that is not time that has passed: somebody set the clock. 0 after a mere sleep.
    pub set_ms: i64,
}

/// Watches the clocks. A jump means: probe everything anew, and let ageing start again (G10).
#[derive(Clone, Copy, Debug)]
pub struct ClockWatch {
    last: Clocks,
}

impl ClockWatch {
    /// Starts watching at these readings.
    pub fn new(now: Clocks) -> Self {
        Self { last: now }
    }

    /// Takes the next readings; returns what has parted since by more than the tolerance.
    pub fn look(&mut self, now: Clocks) -> Option<Jump> {
        let wall = now.wall_ms - self.last.wall_ms;
        let ahead_ms = wall - (now.monotonic_ms - self.last.monotonic_ms);
        let set_ms = wall - (now.boot_ms - self.last.boot_ms);
        self.last = now;
        let set_ms = if set_ms.abs() > TOLERANCE_MS { set_ms } else { 0 };
        (ahead_ms.abs() > TOLERANCE_MS || set_ms != 0).then_some(Jump { ahead_ms, set_ms })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;

    fn clocks(wall_ms: i64, monotonic_ms: i64, boot_ms: i64) -> Clocks {
        Clocks { wall_ms, monotonic_ms, boot_ms }
    }

    #[test]
    fn a_sleep_and_a_set_clock_are_jumps_and_a_slow_loop_is_not() {
        let mut watch = ClockWatch::new(clocks(1_000_000, 50, 70));
        assert_eq!(watch.look(clocks(1_060_000, 60_050, 60_070)), None);
        let set = Jump { ahead_ms: -860_100, set_ms: -860_100 };
        assert_eq!(watch.look(clocks(200_000, 60_150, 60_170)), Some(set));
        assert_eq!(watch.look(clocks(200_100, 60_250, 60_270)), None);
        let set = Jump { ahead_ms: 2 * HOUR, set_ms: 2 * HOUR };
        assert_eq!(watch.look(clocks(200_200 + 2 * HOUR, 60_350, 60_370)), Some(set));
    }

    #[test]
    fn a_sleep_sets_no_clock_and_both_are_told_apart() {
        // The last one was set back by just the time that it slept.
        for (wall, ahead_ms, set_ms) in
            [(18 * HOUR, 8 * HOUR, 0), (17 * HOUR, 7 * HOUR, -HOUR), (10 * HOUR, 0, -8 * HOUR)]
        {
            let mut watch = ClockWatch::new(clocks(10 * HOUR, 0, 0));
            let jump = watch.look(clocks(wall, 0, 8 * HOUR));
            assert_eq!(jump, Some(Jump { ahead_ms, set_ms }));
        }
    }
}
