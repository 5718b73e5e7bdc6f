//! How slowly a long answer may come.

use super::ANSWER_WITHIN;
use std::time::Duration;

/// In the time that the hub has for an answer at least so much of it comes. Bytes.
const ENOUGH: usize = 16 << 10;

/// The time that is left for what comes next. Only waiting counts, and not what is done with the pieces meanwhile:
/// whoever reads them may take his time.
#[derive(Debug)]
pub(super) struct Pace {
    left: Duration,
    came: usize,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self { left: ANSWER_WITHIN, came: 0 }
    }

    pub(super) fn left(&self) -> Duration {
        self.left
    }

    /// So many bytes came after so much waiting.
    pub(super) fn came(&mut self, bytes: usize, waited: Duration) {
        self.left = self.left.saturating_sub(waited);
        self.came += bytes;
        if self.came >= ENOUGH {
            *self = Self::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trickle_comes_to_an_end_and_a_slow_line_does_not() {
        let mut trickle = Pace::new();
        for _ in 0..20 {
            trickle.came(1, ANSWER_WITHIN / 20);
        }
        assert_eq!(trickle.left(), Duration::ZERO);
        let mut slow = Pace::new();
        for _ in 0..20 {
            slow.came(ENOUGH / 4, ANSWER_WITHIN / 5);
            assert!(slow.left() > Duration::ZERO);
        }
    }
}
