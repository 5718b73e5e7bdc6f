//! How long a condition has held without a change.

use std::time::Duration;
use tokio::time::Instant;

/// Begins anew with every change.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Calm {
    since: Option<(u64, Instant)>,
}

impl Calm {
    /// The condition holds at `now`, after `changes` changes: when has it held for `hold`?
    pub(crate) fn until(&mut self, changes: u64, hold: Duration, now: Instant) -> Instant {
        let since = match self.since {
            Some((then, since)) if then == changes => since,
            _ => now,
        };
        self.since = Some((changes, since));
        since + hold
    }

    /// The condition does not hold.
    pub(crate) fn broken(&mut self) {
        self.since = None;
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
}
