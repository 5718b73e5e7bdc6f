//! The one door for ending a process: only one that is surely the one that is meant, and ours.

use crate::api::Refused;
use crate::board::Board;
use crate::process::is_alive;
use crate::sources::ready::when_readable;
use headsup_core::id::ProcessId;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::time::Duration;

/// So long a process may take to go by itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// A hold on a living process: its pid may become another's, this does not.
#[derive(Debug)]
pub(super) struct Grip {
    process: ProcessId,
    pidfd: OwnedFd,
}

impl Grip {
    /// # Errors
    /// It is not there, not seen from here, or another user's.
    pub(super) fn on(process: &ProcessId) -> Result<Self, Refused> {
        let unseen = || {
            let detail = "its process cannot be reached from here";
            Refused::new(409, "process_unseen", detail)
                .hint("end it where it runs: in its own terminal or container")
        };
        let pid = process.pid_here().ok_or_else(unseen)?;
        let raw = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or_else(unseen)?;
        let pidfd = pidfd_open(raw, PidfdFlags::NONBLOCK).map_err(|_| unseen())?;
        // Only now is it sure that the descriptor is of this process.
        if !is_alive(process) {
            return Err(Refused::new(409, "process_gone", "its process is gone already"));
        }
        let owner = std::fs::metadata(format!("/proc/{pid}")).map_err(|_| unseen())?.uid();
        if owner != rustix::process::geteuid().as_raw() {
            return Err(Refused::new(409, "process_foreign", "its process is another user's"));
        }
        Ok(Self { process: process.clone(), pidfd })
    }

    pub(super) fn process(&self) -> &ProcessId {
        &self.process
    }

    /// TERM, and KILL where that does not help in time.
    pub(super) async fn end(self) {
        self.send(Signal::TERM);
        // One that was stopped hears nothing before it goes on.
        self.send(Signal::CONT);
        let gone = async {
            match self.pidfd.try_clone().map(when_readable) {
                Ok(Some(pidfd)) => drop(pidfd.readable().await),
                // The system gives no descriptors: nothing tells, so it has all the time.
                _ => std::future::pending().await,
            }
        };
        if tokio::time::timeout(PATIENCE, gone).await.is_err() {
            self.send(Signal::KILL);
        }
    }

    /// It may be gone.
    fn send(&self, signal: Signal) {
        pidfd_send_signal(self.pidfd.as_fd(), signal).ok();
    }
}

/// Ends what a hub before this one was told to end and has not seen go.
pub(crate) fn go_on(board: &Board) {
    let (seats, _) = board.all();
    for seat in seats {
        if seat.leaving.is_none() || seat.process.state.is_over() {
            continue;
        }
        // One that is gone meanwhile is found to be.
        if let Some(Ok(grip)) = seat.process.id.as_ref().map(Grip::on) {
            tokio::spawn(grip.end());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::identity;
    use std::process::{Child, Command, Stdio};

    fn child(script: &str) -> (Child, ProcessId) {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // It has come as far as to say so.
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0; 1]).unwrap();
        let (pid, ticks) = identity(child.id()).unwrap();
        (child, ProcessId::new(pid, ticks))
    }

    /// The time that it is given passes at once.
    #[tokio::test(start_paused = true)]
    async fn whoever_does_not_go_is_ended() {
        use std::os::unix::process::ExitStatusExt as _;
        for (script, signal) in [("echo; read x", 15), ("trap '' TERM; echo; read x", 9)] {
            let (mut child, process) = child(script);
            Grip::on(&process).unwrap().end().await;
            assert_eq!(child.wait().unwrap().signal(), Some(signal), "{script}");
        }
    }

    #[test]
    fn a_process_is_only_held_by_its_start_and_only_if_it_is_ours() {
        let (mut child, process) = child("echo; read x");
        let other = ProcessId { start_ticks: process.start_ticks + 1, ..process.clone() };
        let elsewhere = ProcessId { pid_namespace: Some(1), ..process.clone() };
        assert_eq!(Grip::on(&other).unwrap_err().code(), "process_gone");
        assert_eq!(Grip::on(&elsewhere).unwrap_err().code(), "process_unseen");
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(Grip::on(&process).unwrap_err().code(), "process_unseen");
    }
}
