//! How long a condition has held without a change.

use std::time::Duration;
use tokio::time::Instant;

/// Begins anew with every change.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Calm {
    since: Option<(u64, Instant)>,
    /// Nobody could say how things stand: nobody is asked before.
    again: Option<Instant>,
}

impl Calm {
    /// The condition holds at `now`, after `changes` changes: when has it held for `hold`?
    pub(crate) fn until(&mut self, changes: u64, hold: Duration, now: Instant) -> Instant {
        let since = match self.since {
            Some((then, since)) if then == changes => since,
            _ => now,
        };
        self.since = Some((changes, since));
        let end = since + hold;
        self.again.map_or(end, |again| again.max(end))
    }

    /// The condition does not hold.
    pub(crate) fn broken(&mut self) {
        *self = Self::default();
    }

    /// Whether it holds nobody could say. That is no change: only `again` is it looked at once more.
    pub(crate) fn unsure(&mut self, again: Instant) {
        self.again = Some(again);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_begins_the_calm_anew() {
        let hold = Duration::from_secs(5);
        let start = Instant::now();
        let later = start + Duration::from_secs(2);
        let mut calm = Calm::default();
        assert_eq!(calm.until(1, hold, start), start + hold);
        assert_eq!(calm.until(1, hold, later), start + hold);
        assert_eq!(calm.until(2, hold, later), later + hold);
        calm.broken();
        let last = later + hold;
        assert_eq!(calm.until(2, hold, last), last + hold);
    }

    #[test]
    fn what_nobody_can_say_begins_nothing_anew() {
        let hold = Duration::from_secs(5);
        let start = Instant::now();
        let (end, pause) = (start + hold, Duration::from_millis(100));
        let mut calm = Calm::default();
        assert_eq!(calm.until(1, hold, start), end);
        calm.unsure(end + pause);
        assert_eq!(calm.until(1, hold, end), end + pause);
        // A change that is heard of then does.
        assert_eq!(calm.until(2, hold, end), end + hold);
        calm.broken();
        assert_eq!(calm.until(2, hold, start), end);
    }
}
