//! Waiting for the end of a process that is not our child.

use crate::process::{Stat, is_alive};
use crate::sources::ready::when_readable;
use headsup_core::id::ProcessId;
use headsup_core::status::Exit;
use headsup_kernel::ProcessFd;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::ExitStatus;
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
    Awaited::new(process, waits).gone().await;
}

/// Somebody else's process, which is waited for.
#[derive(Debug)]
pub(super) struct Awaited {
    process: ProcessId,
    /// Of this very process, whoever has its pid later.
    pidfd: Option<AsyncFd<ProcessFd>>,
}

impl Awaited {
    /// `waits`: else it is looked at.
    pub(super) fn new(process: &ProcessId, waits: bool) -> Self {
        let pidfd = process.pid_here().filter(|_| waits).and_then(pidfd);
        // Only now is it sure whose descriptor that is.
        let pidfd = pidfd.filter(|_| is_there(process));
        Self { process: process.clone(), pidfd }
    }

    /// Comes back when it has ended, or the pid is another's. May be given up and asked for again.
    pub(super) async fn gone(&self) {
        while is_alive(&self.process) {
            if self.ends_meanwhile().await {
                return;
            }
        }
    }

    /// Waits for its end until it is to be looked at again. True: it has ended.
    pub(super) async fn ends_meanwhile(&self) -> bool {
        ends_meanwhile(self.pidfd.as_ref()).await
    }

    /// Why it has ended, where nobody else tells. A code of 0 is none: so the kernel also shows what is not to be seen,
    /// and of one that owed a goodbye it says little.
    pub(super) fn cause(&self) -> Option<Exit> {
        let collected = || self.pidfd.as_ref()?.get_ref().collected_end();
        // It may be collected between the two.
        let end = collected().or_else(|| uncollected_end(&self.process)).or_else(collected);
        let end = end.filter(|end| !end.success())?;
        Some(Exit::from_wait(end.code(), end.signal(), false))
    }
}

/// Is it there, be it that it has ended and nobody has collected it?
fn is_there(process: &ProcessId) -> bool {
    let found = process.pid_here().and_then(Stat::read);
    found.is_some_and(|stat| stat.start_ticks == process.start_ticks)
}

/// Waits for the end of a process until it is to be looked at again. True: it has ended.
pub(crate) async fn ends_meanwhile(pidfd: Option<&AsyncFd<ProcessFd>>) -> bool {
    let Some(pidfd) = pidfd else {
        tokio::time::sleep(LOOK).await;
        return false;
    };
    let ended = tokio::time::timeout(LOOK, pidfd.readable()).await;
    matches!(ended, Ok(Ok(_)))
}

/// Readable once the process has ended.
pub(crate) fn pidfd(pid: u32) -> Option<AsyncFd<ProcessFd>> {
    when_readable(ProcessFd::open(pid).ok()?)
}

/// How a process has ended that its parent has not collected yet: the last field of its `/proc/PID/stat` (Linux 3.5 and
/// newer). `None` where it was collected or lives, and of a foreign user's: of that the kernel shows 0 for any end.
pub(super) fn uncollected_end(process: &ProcessId) -> Option<ExitStatus> {
    let path = PathBuf::from(format!("/proc/{}", process.pid_here()?));
    let user = rustix::process::geteuid();
    let is_shown = user.is_root() || path.metadata().ok()?.uid() == user.as_raw();
    let line = std::fs::read(path.join("stat")).ok().filter(|_| is_shown)?;
    Stat::parse(&line).filter(|stat| stat.has_ended && stat.start_ticks == process.start_ticks)?;
    let status = str::from_utf8(&line).ok()?.trim_end().rsplit_once(' ')?.1;
    status.parse().ok().map(ExitStatus::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::identity;

    #[test]
    fn how_a_process_has_ended_is_seen_until_it_is_collected() {
        for (script, code, signal) in
            [("exit 3", Some(3), None), ("exit 0", Some(0), None), ("kill -9 $$", None, Some(9))]
        {
            let mut child = std::process::Command::new("sh").args(["-c", script]).spawn().unwrap();
            let (pid, start_ticks) = identity(child.id()).unwrap();
            let process = ProcessId::new(pid, start_ticks);
            while !Stat::read(pid).unwrap().has_ended {
                std::thread::yield_now();
            }
            let end = uncollected_end(&process).map(|end| (end.code(), end.signal()));
            let earlier = ProcessId { start_ticks: start_ticks - 1, ..process.clone() };
            assert_eq!(uncollected_end(&earlier), None, "another process had the pid");
            child.wait().unwrap();
            assert_eq!(end, Some((code, signal)), "{script}");
            assert_eq!(uncollected_end(&process), None, "{script}");
        }
        let own = identity(std::process::id()).unwrap();
        assert_eq!(uncollected_end(&ProcessId::new(own.0, own.1)), None, "it lives");
    }
}
