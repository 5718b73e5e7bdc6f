//! A thread for each way: one read, one look, one write for each piece.
//!
//! A piece is looked at before it is written, because its answer may be here the next moment. That
//! takes microseconds; whoever tells the hub sits behind a queue. When one end closes, the other is
//! closed: each of the two notices what it would notice without us.

use super::observer::Observer;
use headsup_adapters::acp::Side;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::stdio::{dup2_stdin, dup2_stdout, stdin, stdout};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::thread;
use tokio::sync::oneshot;

/// One read.
const PIECE: usize = 64 * 1024;
/// Others may have the agent's output too and outlive it: so long they may be silent once it has
/// ended.
const SILENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// The end of what the agent says.
pub(super) struct Drain {
    /// Closed: the agent has ended, and only what is under way is still passed on.
    ended: Option<OwnedFd>,
    done: oneshot::Receiver<()>,
}

impl Drain {
    pub(super) async fn finish(&mut self) {
        self.ended = None;
        (&mut self.done).await.ok();
    }
}

/// From the client to the agent, until one of them has enough.
pub(super) fn inward(agent: OwnedFd, observer: Arc<Observer>) -> io::Result<()> {
    let run = move || {
        let mut buffer = vec![0; PIECE];
        while let Some(length) = read(stdin(), &mut buffer) {
            observer.hear(Side::Client, &buffer[..length]);
            if !write(&agent, &buffer[..length]) {
                break;
            }
        }
        observer.hear_end(Side::Client);
        drop(agent);
        // A client whose words nobody reads any more learns of it.
        nothing(OFlags::RDONLY).map(|nothing| dup2_stdin(nothing).ok()).ok();
    };
    thread::Builder::new().name("to-agent".to_owned()).spawn(run).map(drop)
}

/// From the agent to the client, until all is said or nobody listens.
pub(super) fn outward(agent: OwnedFd, observer: Arc<Observer>) -> io::Result<Drain> {
    let (ended, waits) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    let (ended, waits) = (waits, ended);
    let (tell, done) = oneshot::channel();
    let run = move || {
        let mut buffer = vec![0; PIECE];
        while is_more(&agent, &waits)
            && let Some(length) = read(agent.as_fd(), &mut buffer)
        {
            observer.hear(Side::Agent, &buffer[..length]);
            if !write(stdout(), &buffer[..length]) {
                break;
            }
        }
        observer.hear_end(Side::Agent);
        drop(agent);
        nothing(OFlags::WRONLY).map(|nothing| dup2_stdout(nothing).ok()).ok();
        tell.send(()).ok();
    };
    thread::Builder::new().name("to-client".to_owned()).spawn(run)?;
    Ok(Drain { ended: Some(ended), done })
}

/// Waits for the agent to say something, or to close. False once it has ended and nobody else says
/// anything.
fn is_more(agent: &OwnedFd, ended: &OwnedFd) -> bool {
    loop {
        let mut fds = [PollFd::new(agent, PollFlags::IN), PollFd::new(ended, PollFlags::IN)];
        match poll(&mut fds, None) {
            Err(Errno::INTR) => continue,
            Err(_) => return true,
            Ok(_) => {}
        }
        if !fds[0].revents().is_empty() {
            return true;
        }
        let mut agent = [PollFd::new(agent, PollFlags::IN)];
        match poll(&mut agent, Some(&SILENCE)) {
            Err(Errno::INTR) => {}
            said => return said.is_ok_and(|count| count > 0),
        }
    }
}

/// How much was read; `None` at the end.
fn read(from: BorrowedFd<'_>, buffer: &mut [u8]) -> Option<usize> {
    loop {
        match rustix::io::read(from, &mut *buffer) {
            Ok(0) => return None,
            Ok(length) => return Some(length),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => wait(from, PollFlags::IN),
            Err(_) => return None,
        }
    }
}

/// Whether all of it was taken.
fn write(to: impl AsFd, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        match rustix::io::write(&to, bytes) {
            Ok(length) => bytes = &bytes[length..],
            Err(Errno::INTR) => {}
            // Others may have made it so: it is theirs too.
            Err(Errno::AGAIN) => wait(to.as_fd(), PollFlags::OUT),
            Err(_) => return false,
        }
    }
    true
}

fn wait(fd: BorrowedFd<'_>, for_what: PollFlags) {
    poll(&mut [PollFd::from_borrowed_fd(fd, for_what)], None).ok();
}

fn nothing(flags: OFlags) -> rustix::io::Result<OwnedFd> {
    rustix::fs::open("/dev/null", flags | OFlags::CLOEXEC, Mode::empty())
}
