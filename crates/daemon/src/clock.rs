//! The hub's time.

use headsup_core::clock::Clocks;
use headsup_core::time::UnixMs;
use nix::time::{ClockId, clock_gettime};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Where the hub gets its time from.
pub trait Clock: Send + Sync {
    /// The wall clock. It may jump.
    fn wall(&self) -> UnixMs;
    /// Milliseconds on a clock that never jumps. Its zero means nothing.
    fn monotonic_ms(&self) -> i64;
    /// The same on one that goes on while the machine sleeps.
    fn boot_ms(&self) -> i64;

    /// All of them at once.
    fn all(&self) -> Clocks {
        let (wall_ms, monotonic_ms) = (self.wall().0, self.monotonic_ms());
        Clocks { wall_ms, monotonic_ms, boot_ms: self.boot_ms() }
    }
}

/// The system's clocks.
#[derive(Debug)]
pub struct System {
    start: Instant,
}

impl System {
    #[must_use]
    pub fn new() -> Self {
        Self { start: Instant::now() }
    }
}

impl Default for System {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for System {
    fn wall(&self) -> UnixMs {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        UnixMs(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
    }

    fn monotonic_ms(&self) -> i64 {
        i64::try_from(self.start.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    fn boot_ms(&self) -> i64 {
        // By the C library: what `rustix` calls for it is not there for a program that runs below valgrind. Every
        // kernel that the hub runs on has this clock.
        let since_boot = clock_gettime(ClockId::CLOCK_BOOTTIME);
        since_boot.map_or(0, |since| since.tv_sec() * 1_000 + since.tv_nsec() / 1_000_000)
    }
}

/// A clock that moves when it is told to: for tests, and for recordings that are played back.
#[derive(Debug)]
pub struct Manual {
    /// Together: whoever looks sees no half of a move.
    clocks: Mutex<Clocks>,
}

impl Manual {
    #[must_use]
    pub fn new(start: UnixMs) -> Self {
        let clocks = Clocks { wall_ms: start.0, monotonic_ms: 0, boot_ms: 0 };
        Self { clocks: Mutex::new(clocks) }
    }

    fn now(&self) -> MutexGuard<'_, Clocks> {
        self.clocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets `ms` milliseconds pass.
    pub fn advance(&self, ms: i64) {
        let mut now = self.now();
        now.wall_ms += ms;
        now.monotonic_ms += ms;
        now.boot_ms += ms;
    }

    /// Lets `ms` milliseconds pass in which the machine sleeps.
    pub fn sleep(&self, ms: i64) {
        let mut now = self.now();
        now.wall_ms += ms;
        now.boot_ms += ms;
    }

    /// Sets the wall clock forward or back, as a person does.
    pub fn jump(&self, ms: i64) {
        self.now().wall_ms += ms;
    }
}

impl Clock for Manual {
    fn wall(&self) -> UnixMs {
        UnixMs(self.now().wall_ms)
    }

    fn monotonic_ms(&self) -> i64 {
        self.now().monotonic_ms
    }

    fn boot_ms(&self) -> i64 {
        self.now().boot_ms
    }

    fn all(&self) -> Clocks {
        *self.now()
    }
}

/// Wall time that never runs backwards.
///
/// Where the wall clock was set back, time goes on at half speed until the wall clock has caught
/// up: what waits for a moment still gets it, and the difference does not stay for ever.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steady {
    anchor: UnixMs,
    anchor_monotonic: i64,
}

impl Steady {
    /// Starts not before `floor`, the last time that was ever used.
    pub(crate) fn new(clock: &dyn Clock, floor: UnixMs) -> Self {
        Self { anchor: clock.wall().max(floor), anchor_monotonic: clock.monotonic_ms() }
    }

    pub(crate) fn now(&mut self, clock: &dyn Clock) -> UnixMs {
        let (wall, monotonic) = (clock.wall(), clock.monotonic_ms());
        let slow = self.anchor.plus((monotonic - self.anchor_monotonic).max(0) / 2);
        if wall >= slow {
            (self.anchor, self.anchor_monotonic) = (wall, monotonic);
            wall
        } else {
            slow
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_never_runs_backwards_and_comes_back_to_the_wall_clock() {
        let clock = Manual::new(UnixMs(100_000));
        let mut time = Steady::new(&clock, UnixMs(0));
        assert_eq!(time.now(&clock), UnixMs(100_000));
        clock.jump(-1_000);
        let mut last = UnixMs(100_000);
        for _ in 0..1_998 {
            clock.advance(1);
            let now = time.now(&clock);
            assert!(now >= last && now > clock.wall(), "{now:?}");
            last = now;
        }
        clock.advance(2);
        assert_eq!(time.now(&clock), clock.wall());
        clock.jump(60_000);
        assert_eq!(time.now(&clock), clock.wall());
    }

    #[test]
    fn a_restart_does_not_go_back_before_the_last_event() {
        let clock = Manual::new(UnixMs(5_000));
        assert_eq!(Steady::new(&clock, UnixMs(9_000)).now(&clock), UnixMs(9_000));
    }
}
