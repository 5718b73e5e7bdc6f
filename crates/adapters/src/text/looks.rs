//! How many bytes of values were looked at: a test counts the work, a clock would only guess it.

use std::cell::Cell;

thread_local! {
    static SEEN: Cell<usize> = const { Cell::new(0) };
}

pub(super) fn count(bytes: usize) {
    SEEN.set(SEEN.get() + bytes);
}

/// How many were looked at while this was done.
pub(super) fn during(work: impl FnOnce()) -> usize {
    let before = SEEN.get();
    work();
    SEEN.get() - before
}
