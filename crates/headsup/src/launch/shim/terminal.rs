//! The two terminals: the one we are in, and the agent's own.

use rustix::fs::{Mode, OFlags, fstat};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::process::getpgrp;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::stdio::{stdin, stdout};
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, OutputModes, SpecialCodeIndex, Termios, isatty,
    tcgetattr, tcgetpgrp, tcgetwinsize, tcsetattr, tcsetwinsize,
};
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;
use tokio::time::sleep;

/// How often whoever is behind looks whether it still is.
pub(super) const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Whether a person sits at this process: what it reads and what it writes is one terminal.
pub(crate) fn is_here() -> bool {
    is_ours(stdin())
}

/// Whether this is the terminal that we write to, be it by another name, as `/dev/tty`.
pub(crate) fn is_ours(terminal: BorrowedFd<'_>) -> bool {
    let device = |of: BorrowedFd<'_>| fstat(of).ok().filter(|_| isatty(of)).map(|it| it.st_rdev);
    let (Some(this), Some(ours)) = (device(terminal), device(stdout())) else { return false };
    // One terminal controls a process, and the kernel says of no other whose job is in front there.
    let controls_us = |of: BorrowedFd<'_>| !matches!(tcgetpgrp(of), Err(Errno::NOTTY));
    this == ours || controls_us(terminal) && controls_us(stdout())
}

/// Whether our terminal can be asked anything. One that calls itself nothing, or `dumb`, shows a question as text.
pub(super) fn can_be_asked() -> bool {
    can_ask(std::env::var_os("TERM").as_deref())
}

fn can_ask(term: Option<&OsStr>) -> bool {
    term.is_some_and(|term| !term.is_empty() && term != "dumb")
}

/// Whether nobody is at our terminal any more.
pub(super) fn is_gone() -> bool {
    matches!(tcgetattr(stdin()), Err(Errno::IO))
}

/// Whether our terminal is somebody else's now, as a shell's for whom we run in the background: who
/// sets it then, or reads what is typed, is stopped. One that is gone is nobody's.
pub(super) fn is_behind() -> bool {
    tcgetpgrp(stdin()).is_ok_and(|front| front != getpgrp())
}

/// Whether who writes is stopped as well (`stty tostop`).
pub(super) fn stops_who_writes() -> bool {
    let stops = |set: Termios| set.local_modes.contains(LocalModes::TOSTOP);
    is_behind() && tcgetattr(stdout()).is_ok_and(stops)
}

/// Whether the agent's terminal takes one of these keys for an interrupt.
pub(super) fn interrupts(master: impl AsFd, typed: &[u8]) -> bool {
    tcgetattr(master).is_ok_and(|set| {
        let key = set.special_codes[SpecialCodeIndex::VINTR];
        set.local_modes.contains(LocalModes::ISIG) && key != 0 && typed.contains(&key)
    })
}

/// Waits until it is ours again. A shell that brings to the front what runs tells nobody.
pub(super) async fn comes_back() {
    loop {
        sleep(LOOK_AGAIN).await;
        if !is_behind() {
            return;
        }
    }
}

/// The terminal we are in. It is as it was once this goes out of scope.
#[derive(Debug)]
pub(crate) struct Outer {
    before: Termios,
    is_raw: bool,
}

impl Outer {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { before: tcgetattr(stdin())?, is_raw: false })
    }

    /// Every key and every byte goes through as it is, if it is ours: the answer.
    pub(crate) fn raw(&mut self) -> io::Result<bool> {
        if is_behind() {
            return Ok(false);
        }
        self.look_again();
        let mut raw = self.before.clone();
        raw.make_raw();
        tcsetattr(stdin(), OptionalActions::Now, &raw)?;
        self.is_raw = true;
        Ok(true)
    }

    /// Raw, but for the keys that stop and end a program: of the others none is read.
    pub(crate) fn hear_keys(&mut self) {
        if self.is_raw && !is_behind() {
            let mut modes = self.before.clone();
            modes.make_raw();
            modes.local_modes |= self.before.local_modes & LocalModes::ISIG;
            modes.input_modes |= self.before.input_modes & InputModes::IXON;
            tcsetattr(stdin(), OptionalActions::Now, &modes).ok();
        }
    }

    /// As it was, unless whoever has it now has set it.
    pub(crate) fn restore(&mut self) {
        if self.is_raw && !is_behind() {
            // A terminal that is gone needs nothing.
            tcsetattr(stdin(), OptionalActions::Now, &self.before).ok();
            self.is_raw = false;
        }
    }

    /// Reads it anew, before it is made raw: whoever had it meanwhile may have changed it.
    fn look_again(&mut self) {
        if let (false, Ok(now)) = (self.is_raw, tcgetattr(stdin())) {
            self.before = now;
        }
    }
}

impl Drop for Outer {
    fn drop(&mut self) {
        self.restore();
    }
}

/// The agent's terminal: our end, and the one that it is to have.
pub(crate) fn open(like: &Outer) -> io::Result<(OwnedFd, OwnedFd)> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let name = ptsname(&master, Vec::new())?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let slave = rustix::fs::open(&*name, flags, Mode::empty())?;
    // Somebody else has set ours for itself, as a shell does for its next line.
    if !is_behind() {
        tcsetattr(&slave, OptionalActions::Now, &like.before)?;
    }
    copy_size(&master);
    ioctl_fionbio(&master, true)?;
    Ok((master, slave))
}

/// What is said on the agent's terminal from now on gets the ends of its lines from ours, which is as it was before.
pub(super) fn say_plainly(master: impl AsFd) {
    if let Ok(mut modes) = tcgetattr(&master) {
        modes.output_modes.remove(OutputModes::OPOST);
        tcsetattr(&master, OptionalActions::Now, &modes).ok();
    }
}

/// Gives the agent's terminal the size of ours, in cells and pixels. The kernel tells the agent.
pub(crate) fn copy_size(master: impl AsFd) {
    if let Ok(size) = tcgetwinsize(stdout()) {
        tcsetwinsize(master, size).ok();
    }
}

/// Our terminal once more, for us alone: what is set on it (not to wait) is not set for the shell
/// that shares the first one. One that is another user's, or has no name here, as in a container, opens as the one
/// that controls us. Where none can be opened, the first one has to do, and a write to it may wait.
pub(crate) fn reopened(of: BorrowedFd<'_>, flags: OFlags) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let by_name = rustix::termios::ttyname(of, Vec::new())
        .and_then(|name| rustix::fs::open(&*name, flags, Mode::empty()));
    // Who is in front the kernel tells only of the terminal that controls us.
    let as_ours = || {
        tcgetpgrp(of)?;
        rustix::fs::open("/dev/tty", flags, Mode::empty())
    };
    by_name.or_else(|_| as_ours()).or_else(|_| rustix::io::fcntl_dupfd_cloexec(of, 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_name_here_is_used_as_it_is() {
        let (reads, writes) = rustix::pipe::pipe().unwrap();
        let again = reopened(writes.as_fd(), OFlags::WRONLY).unwrap();
        rustix::io::write(&again, b"x").unwrap();
        assert_eq!(rustix::io::read(&reads, &mut [0; 8]), Ok(1));
    }

    #[test]
    fn a_terminal_that_says_what_it_is_can_be_asked() {
        for (term, asked) in
            [(None, false), (Some(""), false), (Some("dumb"), false), (Some("xterm"), true)]
        {
            assert_eq!(can_ask(term.map(OsStr::new)), asked, "{term:?}");
        }
    }
}
