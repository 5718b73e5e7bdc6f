//! The answer of our terminal that is still to come when the agent has ended: typed for nobody, it
//! would stand at the shell's prompt.
//!
//! It is waited for a moment, and alone taken out. What is read cannot be put back for the shell. So
//! nothing is read as long as less lies there than an answer has: those are somebody's keys. Of more
//! it is one byte after the other, up to the answer's end or to the first one that is not of it,
//! which is all that whoever pastes something at this very moment can lose.

use super::reply::Reply;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionread, read};
use std::os::fd::AsFd;
use std::time::Instant;

/// The bytes of the shortest answer: its beginning, and one that ends it.
const SHORTEST: u64 = 10;

/// Takes it in, if it comes in time.
pub(super) fn hear(reply: &mut Reply, input: impl AsFd) {
    let mut byte = [0_u8];
    while let Some(until) = reply.overdue_until(Instant::now()) {
        let left = until.saturating_duration_since(Instant::now());
        let Ok(left) = Timespec::try_from(left) else { return };
        match poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&left)) {
            Ok(1..) => {}
            Err(Errno::INTR) => continue,
            _ => return,
        }
        if !reply.has_begun() && ioctl_fionread(&input).unwrap_or(0) < SHORTEST {
            return;
        }
        match read(&input, &mut byte) {
            Ok(1) if reply.goes_on_with(byte[0], Instant::now()) => {}
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{Mode, OFlags};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    use std::os::fd::OwnedFd;
    use std::time::Duration;

    const ANSWER: &[u8] = b"\x1b]7501;?:states=idle,done:kinds=auth\x1b\\";

    /// Where somebody types, and the raw terminal that it is typed at.
    fn terminal() -> (OwnedFd, OwnedFd) {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let slave = rustix::fs::open(&*name, flags, Mode::empty()).unwrap();
        let mut raw = tcgetattr(&slave).unwrap();
        raw.make_raw();
        tcsetattr(&slave, OptionalActions::Now, &raw).unwrap();
        (master, slave)
    }

    /// A question whose answer is waited for longer than anything here takes.
    fn asked() -> Reply {
        Reply::asked(Instant::now() + Duration::from_secs(60))
    }

    /// What the shell gets of this.
    fn left(reply: &mut Reply, typed: &[u8]) -> String {
        let (master, slave) = terminal();
        rustix::io::write(&master, typed).unwrap();
        hear(reply, &slave);
        // So that there is something to read.
        rustix::io::write(&master, b"$").unwrap();
        let (mut left, mut piece) = (Vec::new(), [0_u8; 256]);
        while !left.ends_with(b"$") {
            let count = read(&slave, &mut piece).unwrap();
            left.extend_from_slice(&piece[..count]);
        }
        String::from_utf8(left).unwrap()
    }

    #[test]
    fn the_answer_is_taken_out_and_what_is_behind_it_is_the_shells() {
        assert_eq!(left(&mut asked(), &[ANSWER, b"ls\n"].concat()), "ls\n$");
        assert_eq!(left(&mut asked(), b"\x1b]7501;?\x07ls\n"), "ls\n$");
        // One of which a part has come before.
        let (mut reply, mut out) = (asked(), Vec::new());
        let (first, second) = ANSWER.split_at(12);
        assert!(!reply.take(first, &mut out, Instant::now()));
        assert_eq!(left(&mut reply, &[second, b"x"].concat()), "x$");
        assert_eq!(out, b"");
    }

    #[test]
    fn what_is_typed_stays() {
        for keys in ["x", "ls -l\n", "\u{1b}[A\u{1b}[B"] {
            assert_eq!(left(&mut asked(), keys.as_bytes()), format!("{keys}$"));
        }
        assert_eq!(left(&mut asked(), b"git status\n"), "it status\n$", "it was pasted");
    }

    #[test]
    fn where_no_answer_is_open_nothing_is_read() {
        let (mut answered, mut out) = (asked(), Vec::new());
        assert!(answered.take(ANSWER, &mut out, Instant::now()));
        let long_ago = Instant::now().checked_sub(Duration::from_secs(10)).unwrap();
        for mut reply in [answered, Reply::asked(long_ago)] {
            assert_eq!(left(&mut reply, b"git status\n"), "git status\n$");
        }
    }
}
