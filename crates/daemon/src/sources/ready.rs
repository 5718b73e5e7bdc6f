//! Descriptors that the runtime waits on.

use std::os::fd::AsRawFd;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// `None` where the system gives no more.
#[expect(deprecated, reason = "its successor is unsafe, for types that lie about what they own")]
pub(crate) fn when_readable<T: AsRawFd>(fd: T) -> Option<AsyncFd<T>> {
    AsyncFd::with_interest(fd, Interest::READABLE).ok()
}
