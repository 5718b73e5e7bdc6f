//! The stop that somebody asks of us, as by `kill -TSTP`: it is the agent's first, and ours once that
//! has stopped and our terminal is as it was before.
//!
//! The signal is held back and not handled. Once it is let through the kernel stops us as it stops
//! any program: by this very signal, and not at all in a process group that nobody could continue.
//! It is held back behind the start of the keeper, to which it would be handed on, and before the
//! first thread of ours.

use crate::launch::signals::is_heard;
use nix::sys::signal::{SigSet, Signal as Name};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use rustix::process::{Pid, Signal, kill_current_process_group};
use std::io;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

#[derive(Debug)]
pub(super) struct Stops {
    signal: SigSet,
    /// Where it is read. `None`: whoever started us wants it ignored.
    asked: Option<AsyncFd<SignalFd>>,
}

impl Stops {
    /// From now on it is held back; where the system gives no descriptor for that it stops us as it stops any program.
    pub(super) fn hear() -> Self {
        Self::held_back().unwrap_or_else(|_| Self { signal: SigSet::empty(), asked: None })
    }

    #[expect(
        deprecated,
        reason = "its successor is unsafe, for types that lie about what they own"
    )]
    fn held_back() -> io::Result<Self> {
        let mut signal = SigSet::empty();
        signal.add(Name::SIGTSTP);
        if !is_heard(Signal::TSTP) {
            return Ok(Self { signal, asked: None });
        }
        let flags = SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC;
        let asked = SignalFd::with_flags(&signal, flags)?;
        let asked = AsyncFd::with_interest(asked, Interest::READABLE)?;
        signal.thread_block()?;
        Ok(Self { signal, asked: Some(asked) })
    }

    /// Waits until somebody wants us stopped.
    pub(super) async fn asked(&self) {
        let Some(asked) = &self.asked else { return std::future::pending().await };
        while let Ok(mut ready) = asked.readable().await {
            if matches!(asked.get_ref().read_signal(), Ok(Some(_))) {
                return;
            }
            ready.clear_ready();
        }
        std::future::pending::<()>().await;
    }

    /// Stops us and whoever is in our process group. Comes back when somebody continues us.
    pub(super) fn stop(&self) {
        kill_current_process_group(Signal::TSTP).ok();
        if self.asked.is_some() {
            // It waits for us, and comes here.
            self.signal.thread_unblock().ok();
            self.signal.thread_block().ok();
        }
    }

    /// The agent has ended: what was asked before was for it, and what comes now is ours alone.
    pub(super) fn end(&self) {
        let Some(asked) = &self.asked else { return };
        while matches!(asked.get_ref().read_signal(), Ok(Some(_))) {}
        self.signal.thread_unblock().ok();
    }
}

/// Whether it still stands still: somebody may have continued it meanwhile. Where nobody can say it does.
pub(super) fn stands_still(process: Pid) -> bool {
    let path = format!("/proc/{}/stat", process.as_raw_pid());
    std::fs::read_to_string(path).map_or(true, |stat| is_stopped(&stat))
}

/// Whether this line of `/proc/PID/stat` is of a process that is stopped. A name may hold anything.
fn is_stopped(stat: &str) -> bool {
    stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with(['T', 't']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_says_who_stands_still() {
        for (state, is_it) in [("T", true), ("t", true), ("S", false), ("R", false), ("Z", false)] {
            assert_eq!(is_stopped(&format!("7 (a) T b) {state} 1 7 7")), is_it, "{state}");
        }
        assert!(!stands_still(rustix::process::getpid()));
    }
}
