//! Waiting, never longer than until a fixed moment.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::AsFd;
use rustix::io::Errno;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline(Instant);

impl Deadline {
    pub(super) fn at(moment: Instant) -> Self {
        Self(moment)
    }

    pub(super) fn has_passed(self) -> bool {
        Instant::now() >= self.0
    }

    pub(super) fn remaining(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// Waits until `fd` is ready or broken; false at the deadline. A deadline that has already
    /// passed still finds what is ready now.
    pub(super) fn wait(self, fd: impl AsFd, flags: PollFlags) -> bool {
        let mut fds = [PollFd::from_borrowed_fd(fd.as_fd(), flags)];
        loop {
            match poll(&mut fds, Some(&self.left(Duration::MAX))) {
                Err(Errno::INTR) => {}
                ready => return ready.is_ok_and(|count| count > 0),
            }
        }
    }

    /// Lets `step` pass before something is tried again; false at the deadline.
    pub(super) fn pause(self, step: Duration) -> bool {
        // An early return by a signal only means an earlier try.
        poll(&mut [], Some(&self.left(step))).ok();
        !self.has_passed()
    }

    fn left(self, most: Duration) -> Timespec {
        let left = self.remaining().min(most);
        Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() }
    }
}
