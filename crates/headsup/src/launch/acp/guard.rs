//! The agent does not outlive its proxy.
//!
//! The *guard* is this program once more. Its standard input is a pipe of which the proxy alone has
//! the other end: whatever ends the proxy, also what nothing can catch, closes it. Whoever killed
//! the proxy meant the agent, which it knows by no other pid.
//!
//! It begins before anything is set up: std and rustix alone.

use super::super::shim::keeper;
use crate::hook::process::Process;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal, setsid};
use std::io::{self, Read as _};
use std::process::{ChildStdin, ExitCode, Stdio};

const GUARD: &str = "__guard-agent";
/// So long an agent may take for its last words.
const GRACE: Timespec = Timespec { tv_sec: 2, tv_nsec: 0 };

/// Starts the guard of this process. It does nothing as long as what comes back is kept.
pub(super) fn start(agent: &Process) -> io::Result<ChildStdin> {
    let mut command = keeper::ourselves();
    command.arg(GUARD).arg(agent.pid.to_string()).arg(agent.start.to_string());
    command.env_clear().current_dir("/");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn()?.stdin.ok_or_else(|| io::Error::from(Errno::PIPE))
}

/// Whether this process is one.
pub(crate) fn is_wanted() -> bool {
    std::env::args_os().nth(1).is_some_and(|word| word == GUARD)
}

/// Is one.
pub(crate) fn run() -> ExitCode {
    let mut numbers = std::env::args().skip(2);
    let pid = numbers.next().and_then(|word| word.parse().ok());
    let start = numbers.next().and_then(|word| word.parse().ok());
    match (pid, start) {
        (Some(pid), Some(start)) => {
            guard(pid, start).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
        }
        _ => ExitCode::FAILURE,
    }
}

fn guard(number: u32, start: u64) -> io::Result<()> {
    // What is meant for the proxy's group or terminal is not meant for us.
    setsid().ok();
    let pid = i32::try_from(number).ok().and_then(Pid::from_raw).ok_or(Errno::SRCH)?;
    let agent = pidfd_open(pid, PidfdFlags::empty())?;
    // Its number may already be another's.
    if Process::read(number).is_none_or(|known| known.start != start) {
        return Ok(());
    }
    while io::stdin().read(&mut [0; 64])? > 0 {}
    if pidfd_send_signal(&agent, Signal::TERM).is_err() {
        return Ok(());
    }
    let mut fds = [PollFd::new(&agent, PollFlags::IN)];
    match poll(&mut fds, Some(&GRACE)) {
        Ok(1..) => Ok(()),
        _ => Ok(pidfd_send_signal(&agent, Signal::KILL)?),
    }
}
