//! Signals that we hear for the agent, but for those that whoever started us wants ignored.
//!
//! What is ignored stays so in whatever is started, and a handler does not: behind one of ours the
//! agent would die of what it survives without us, as behind `nohup` or in the background of a
//! script.
//!
//! `SIGPIPE` is none of them: the runtime ignores it before we could look, and whatever it starts has it as usual.
//!
//! What whoever started us has blocked is blocked in whatever is started as well, and would never come to us: neither
//! the agent's end nor a window's new size. It is let through once the agent is started.

use nix::sys::signal::{SigSet, Signal as Name};
use rustix::process::Signal;
use std::io;
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

/// Hears a signal. `None`: it is ignored.
pub(super) fn hear(kind: SignalKind) -> io::Result<Option<Stream>> {
    match is_kept_ignored(kind.as_raw_value()) {
        true => Ok(None),
        false => signal(kind).map(Some),
    }
}

/// Whether this signal is to be heard: nobody wants it ignored.
pub(super) fn is_heard(signal: Signal) -> bool {
    !is_kept_ignored(signal.as_raw())
}

/// Lets through to this thread, and to those that it starts from now on, what is heard here. To be called once there
/// is a handler for each, and once the agent is started, which has blocked what was.
pub(super) fn let_through() -> io::Result<()> {
    use Name::{SIGCHLD, SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH};
    let heard = [SIGCHLD, SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH];
    Ok(heard.into_iter().collect::<SigSet>().thread_unblock()?)
}

/// The same for the ends of what this process has started, and for nothing else.
pub(super) fn let_ends_through() -> io::Result<()> {
    Ok(SigSet::from(Name::SIGCHLD).thread_unblock()?)
}

fn is_kept_ignored(number: i32) -> bool {
    // Where nobody says so it is heard.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    is_ignored(&status, number)
}

/// Whether a process of this `/proc/PID/status` ignores it.
fn is_ignored(status: &str, number: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let bit = u32::try_from(number - 1).ok();
    bit.and_then(|bit| mask.checked_shr(bit)).is_some_and(|mask| mask & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_says_which_signals_are_ignored() {
        let status = "Name:\tx\nSigBlk:\tffffffffffffffff\nSigIgn:\t8000000000001005\nSigCgt:\t0\n";
        let ignored: Vec<i32> = (0..70).filter(|number| is_ignored(status, *number)).collect();
        assert_eq!(ignored, [1, 3, 13, 64]);
        assert!(!is_ignored("", 1) && !is_ignored("SigIgn:\tx\n", 1));
    }
}
