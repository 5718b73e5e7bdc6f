//! Two clocks side by side: where they part, the machine slept or somebody set the time.

/// How far wall clock and monotonic clock may part between two looks. Milliseconds.
pub const TOLERANCE_MS: i64 = 2_000;

/// Watches both clocks. A jump means: probe everything anew, and let ageing start again (G10).
#[derive(Clone, Copy, Debug)]
pub struct ClockWatch {
    wall_ms: i64,
    monotonic_ms: i64,
}

impl ClockWatch {
    /// Starts watching at this pair of readings.
    pub fn new(wall_ms: i64, monotonic_ms: i64) -> Self {
        Self { wall_ms, monotonic_ms }
    }

    /// Takes the next readings; returns by how much the wall clock ran ahead of the monotonic
    /// one (negative: fell behind), if that is more than the tolerance.
    pub fn look(&mut self, wall_ms: i64, monotonic_ms: i64) -> Option<i64> {
        let wall = wall_ms - self.wall_ms;
        let monotonic = monotonic_ms - self.monotonic_ms;
        *self = Self::new(wall_ms, monotonic_ms);
        let jump = wall - monotonic;
        (jump.abs() > TOLERANCE_MS).then_some(jump)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleep_and_a_set_clock_are_jumps_and_a_slow_loop_is_not() {
        let mut watch = ClockWatch::new(1_000_000, 50);
        assert_eq!(watch.look(1_060_000, 60_050), None);
        assert_eq!(watch.look(1_060_000 + 28_800_000, 60_150), Some(28_799_900));
        assert_eq!(watch.look(29_000_000, 60_250), Some(-860_100));
        assert_eq!(watch.look(29_000_100, 60_350), None);
    }
}
