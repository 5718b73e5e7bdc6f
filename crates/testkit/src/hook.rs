//! What a hook may leave undone on a busy machine: each of its waits has an end. One that ended sooner is no excuse.

use std::time::{Duration, Instant};

/// What a hook has for its exchange with the hub. Whatever took no longer than that in all has lost nothing for want
/// of time, and has told nothing twice.
pub const EXCHANGE: Duration = Duration::from_millis(45);

/// How often one is fired until it is given up.
const TRIES: usize = 100;

/// Fires a hook until `look` finds what came of it: at once, but where the hook ran out of time.
///
/// # Panics
/// If nothing came of one that had its time, with `what`; and if all of them run out of it.
#[track_caller]
pub fn until<T>(what: &str, mut fire: impl FnMut(), mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..TRIES {
        let begun = Instant::now();
        fire();
        let took = begun.elapsed();
        if let Some(found) = look() {
            return found;
        }
        assert!(took >= EXCHANGE, "{what}: nothing came of a hook that took {took:?}");
    }
    panic!("{what}: nothing came of {TRIES} hooks");
}

/// Fires one hook; how often the hub may have heard of it. One to which the hub's answer came too late leaves the same
/// in the spool.
pub fn times(fire: impl FnOnce()) -> u64 {
    let begun = Instant::now();
    fire();
    if begun.elapsed() < EXCHANGE { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn a_hook_that_had_its_time_is_not_fired_again() {
        let fired = Cell::new(0);
        let lost = || until::<()>("a report", || fired.set(fired.get() + 1), || None);
        assert!(catch_unwind(AssertUnwindSafe(lost)).is_err());
        assert!((1..TRIES).contains(&fired.get()));
        assert_eq!(until("a report", || (), || Some(7)), 7);
    }
}
