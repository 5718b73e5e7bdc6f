//! What an agent leaves running on its terminal when it ends: it keeps that, as long as ours is there.
//!
//! The shim does not wait for it: it hands both terminals over to the keeper and leaves. The keeper lets the
//! line to the shim go as soon as it knows whether somebody has the agent's terminal open. If so it stays until
//! the last one has closed it. What they say goes on to our terminal as from any process in the background.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use rustix::termios::{LocalModes, OutputModes, Termios, tcgetattr};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// One read.
const PIECE: usize = 4 * 1024;

/// At the shim: hands our end of the agent's terminal over, and our terminal.
pub(super) fn hand_over(
    line: impl AsFd,
    master: BorrowedFd<'_>,
    ours: BorrowedFd<'_>,
) -> io::Result<()> {
    let both = [master, ours];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut rights = SendAncillaryBuffer::new(&mut space);
    rights.push(SendAncillaryMessage::ScmRights(&both));
    sendmsg(line, &[IoSlice::new(b"!")], &mut rights, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// What was handed over. `None`: nothing was, and the shim is gone.
fn receive(line: impl AsFd) -> io::Result<Option<[OwnedFd; 2]>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut rights = RecvAncillaryBuffer::new(&mut space);
    let mut sign = [0];
    loop {
        let mut into = [IoSliceMut::new(&mut sign)];
        match recvmsg(&line, &mut into, &mut rights, RecvFlags::CMSG_CLOEXEC) {
            Ok(_) => break,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    let handed = rights.drain().filter_map(|message| {
        let RecvAncillaryMessage::ScmRights(handed) = message else { return None };
        Some(handed)
    });
    let handed: Vec<OwnedFd> = handed.flatten().collect();
    Ok(handed.try_into().ok())
}

/// At the keeper, once the agent has ended: waits for both terminals, and stays as long as it is needed.
pub(super) fn take_over(line: UnixStream) -> io::Result<()> {
    let Some([master, ours]) = receive(&line)? else { return Ok(()) };
    // We are none of those who have the agent's terminal open, and the line is our input as well.
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    dup2_stdout(&nothing)?;
    dup2_stderr(&nothing)?;
    dup2_stdin(&nothing)?;
    hold(&master, &ours, line)
}

/// Until the last one has closed the agent's terminal, or ours is gone. `line` goes as soon as somebody is seen to
/// have it open.
fn hold(master: &OwnedFd, ours: &OwnedFd, line: UnixStream) -> io::Result<()> {
    let (mut line, mut piece) = (Some(line), [0; PIECE]);
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    loop {
        let mut polled =
            [PollFd::new(master, PollFlags::IN), PollFd::new(ours, PollFlags::empty())];
        match poll(&mut polled, line.as_ref().map(|_| &at_once)) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(errno) => return Err(errno.into()),
        }
        let (said, left) = (polled[0].revents(), polled[1].revents());
        if !left.is_empty() {
            return Ok(());
        }
        if !said.contains(PollFlags::HUP) {
            line = None;
        }
        if said.contains(PollFlags::IN) {
            match rustix::io::read(master, &mut piece) {
                Ok(0) => return Ok(()),
                Ok(count) => say(ours, &piece[..count])?,
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        } else if !said.is_empty() {
            return Ok(());
        }
    }
}

/// Where a process in the background would be stopped for it, it is dropped.
fn say(ours: &OwnedFd, bytes: &[u8]) -> io::Result<()> {
    let set = tcgetattr(ours).ok();
    if set.as_ref().is_some_and(|set| set.local_modes.contains(LocalModes::TOSTOP)) {
        return Ok(());
    }
    let said = match set.is_some_and(|set| ends_lines(&set)) {
        true => without_returns(bytes),
        false => Cow::Borrowed(bytes),
    };
    let mut bytes = &*said;
    while !bytes.is_empty() {
        match rustix::io::write(ours, bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => drop(poll(&mut [PollFd::new(ours, PollFlags::OUT)], None)),
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

/// At the shim: what has just come for our terminal, from `at` on, ends its lines once. In the background our terminal
/// ends them as well.
pub(super) fn end_lines_once(bytes: &mut Vec<u8>, at: usize, ours: impl AsFd, is_ours: bool) {
    let is_set = |set: Termios| ends_lines(&set) && !set.local_modes.contains(LocalModes::TOSTOP);
    // What has to wait for our terminal comes once that is ours.
    if !is_ours && tcgetattr(ours).is_ok_and(is_set) {
        let said = bytes.split_off(at);
        bytes.extend_from_slice(&without_returns(&said));
    }
}

fn ends_lines(set: &Termios) -> bool {
    set.output_modes.contains(OutputModes::OPOST | OutputModes::ONLCR)
}

/// Ours ends lines by itself again, and the agent's has done so already.
fn without_returns(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !bytes.windows(2).any(|two| two == b"\r\n") {
        return Cow::Borrowed(bytes);
    }
    let is_kept = |at: &usize| bytes[*at] != b'\r' || bytes.get(at + 1) != Some(&b'\n');
    (0..bytes.len()).filter(is_kept).map(|at| bytes[at]).collect::<Vec<u8>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};

    #[test]
    fn a_line_is_ended_once() {
        assert_eq!(&*without_returns(b"a\r\n\r\nb\rc\r"), b"a\n\nb\rc\r");
        assert!(matches!(without_returns(b"a\nb"), Cow::Borrowed(b"a\nb")));
    }

    #[test]
    fn both_terminals_arrive_and_a_shim_that_is_gone_hands_nothing_over() {
        let (shim, keeper) = UnixStream::pair().unwrap();
        let [(mut one, theirs), (mut other, ours)] = [(); 2].map(|()| UnixStream::pair().unwrap());
        hand_over(&shim, theirs.as_fd(), ours.as_fd()).unwrap();
        drop((shim, theirs, ours));
        let handed = receive(&keeper).unwrap().unwrap();
        for (fd, byte) in handed.into_iter().zip(*b"ab") {
            UnixStream::from(fd).write_all(&[byte]).unwrap();
        }
        let mut said = [0; 2];
        one.read_exact(&mut said[..1]).unwrap();
        other.read_exact(&mut said[1..]).unwrap();
        assert_eq!(said, *b"ab");
        assert!(receive(&keeper).unwrap().is_none());
    }
}
