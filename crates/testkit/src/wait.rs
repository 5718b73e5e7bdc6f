//! Waiting on a condition with a deadline, never for a time.

use std::time::{Duration, Instant};

/// How long anything may take before a test calls it lost, also on a machine that has much to do.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// The same for programs of others, which prepare much at their first start.
pub const PATIENCE: Duration = Duration::from_secs(90);

/// Asks `probe` until it answers. Between two looks the thread parks for a moment, so that
/// what is waited for gets the processor.
///
/// # Panics
/// After [`DEADLINE`], with `what`.
#[track_caller]
pub fn until<T>(what: &str, probe: impl FnMut() -> Option<T>) -> T {
    within(DEADLINE, what, probe)
}

/// The same with another deadline.
///
/// # Panics
/// After it, with `what`.
#[track_caller]
pub fn within<T>(deadline: Duration, what: &str, mut probe: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + deadline;
    loop {
        if let Some(found) = probe() {
            return found;
        }
        assert!(Instant::now() < end, "waited {deadline:?} in vain for {what}");
        std::thread::park_timeout(Duration::from_millis(2));
    }
}
