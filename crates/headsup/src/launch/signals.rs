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

use headsup_daemon::is_kept_ignored;
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
