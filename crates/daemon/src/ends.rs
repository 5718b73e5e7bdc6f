//! The signals that end a hub.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// TERM and INT; and HUP and QUIT, by which a terminal that is closed and Ctrl-\ end one in the foreground, unless
/// whoever has started it wants them ignored, as `nohup` does.
pub(crate) struct Ends {
    terminate: Signal,
    interrupt: Signal,
    hangup: Option<Signal>,
    quit: Option<Signal>,
}

impl Ends {
    pub(crate) fn new() -> io::Result<Self> {
        let unless_ignored = |kind: SignalKind| match is_kept_ignored(kind.as_raw_value()) {
            true => Ok(None),
            false => signal(kind).map(Some),
        };
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: unless_ignored(SignalKind::hangup())?,
            quit: unless_ignored(SignalKind::quit())?,
        })
    }

    /// Comes back when one has come.
    pub(crate) async fn recv(&mut self) {
        let Self { terminate, interrupt, hangup, quit } = self;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            () = of(hangup.as_mut()) => {}
            () = of(quit.as_mut()) => {}
        }
    }
}

async fn of(signal: Option<&mut Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

/// Whether whoever started this process wants it to ignore this signal: to be asked before there is a handler for it.
pub fn is_kept_ignored(number: i32) -> bool {
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
