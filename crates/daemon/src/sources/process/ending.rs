//! Waiting for the end of a process that is not our child.

use crate::process::is_alive;
use crate::sources::ready::when_readable;
use headsup_core::id::ProcessId;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::os::fd::OwnedFd;
use std::time::Duration;
use tokio::io::unix::AsyncFd;

/// How long after its goodbye a process may take to leave.
pub(super) const LEAVE: Duration = Duration::from_secs(5);
/// How often a living process is looked at beside waiting for it.
pub(super) const LOOK: Duration = Duration::from_secs(2);

/// Whether a process that has said goodbye is still there after a while.
pub(super) async fn stays(process: &ProcessId) -> bool {
    tokio::time::timeout(LEAVE, gone(process, true)).await.is_err()
}

/// Comes back when the process has ended, or the pid is another's.
pub(super) async fn gone(process: &ProcessId, waits: bool) {
    let pidfd = process.pid_here().filter(|_| waits).and_then(open);
    while is_alive(process) {
        if ends_meanwhile(pidfd.as_ref()).await {
            return;
        }
    }
}

/// Waits for the end of a process until it is to be looked at again. True: it has ended.
pub(super) async fn ends_meanwhile(pidfd: Option<&AsyncFd<OwnedFd>>) -> bool {
    let Some(pidfd) = pidfd else {
        tokio::time::sleep(LOOK).await;
        return false;
    };
    let ended = tokio::time::timeout(LOOK, pidfd.readable()).await;
    matches!(ended, Ok(Ok(_)))
}

pub(super) fn open(pid: u32) -> Option<AsyncFd<OwnedFd>> {
    let pid = Pid::from_raw(i32::try_from(pid).ok()?)?;
    let pidfd = pidfd_open(pid, PidfdFlags::NONBLOCK).ok()?;
    when_readable(pidfd)
}
