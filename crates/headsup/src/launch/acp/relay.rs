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
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use tokio::sync::oneshot;

/// One read.
const PIECE: usize = 64 * 1024;
/// Others may have the agent's output too and outlive it: so long they may be silent once it has
/// ended.
const SILENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// As much as a pipe may hold, in reads.
const LAST_PIECES: usize = 16;

/// The end of what the agent says.
pub(super) struct Drain {
    /// Closed: the agent has ended, and only what is under way is still passed on.
    ended: Option<OwnedFd>,
    done: oneshot::Receiver<()>,
    output: Weak<Output>,
}

impl Drain {
    pub(super) async fn finish(&mut self) {
        self.ended = None;
        if !self.done.is_terminated() {
            (&mut self.done).await.ok();
        }
    }

    /// The agent has ended, and whoever is to get what it has said does not take it, or others say more: what stands in
    /// its pipe is heard now, and passed on in its time.
    pub(super) fn hear_out(&self) {
        if let Some(output) = self.output.upgrade() {
            output.hear_out();
            output.observer.hear_end(Side::Agent);
        }
    }
}

/// The agent's output, and what has been heard of it before it could be passed on.
struct Output {
    pipe: OwnedFd,
    heard: Mutex<Vec<u8>>,
    observer: Arc<Observer>,
}

/// What is to be passed on next.
enum Piece {
    /// So much was read.
    Read(usize),
    /// It was read before.
    Heard(Vec<u8>),
}

impl Output {
    /// Waits for the next piece, which has been heard; `None` at the end.
    fn next(&self, ended: &OwnedFd, buffer: &mut [u8]) -> Option<Piece> {
        if let Some(heard) = take(&mut self.lock()) {
            return Some(Piece::Heard(heard));
        }
        let is_more = is_more(&self.pipe, ended);
        let mut heard = self.lock();
        // It may have been read in the meantime.
        if let Some(heard) = take(&mut heard) {
            return Some(Piece::Heard(heard));
        }
        let length = if is_more { read(self.pipe.as_fd(), buffer)? } else { return None };
        self.observer.hear(Side::Agent, &buffer[..length]);
        Some(Piece::Read(length))
    }

    fn hear_out(&self) {
        let (mut heard, mut buffer) = (self.lock(), vec![0; PIECE]);
        for _ in 0..LAST_PIECES {
            let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
            let mut pipe = [PollFd::new(&self.pipe, PollFlags::IN)];
            if !poll(&mut pipe, Some(&at_once)).is_ok_and(|count| count > 0) {
                return;
            }
            let Some(length) = read(self.pipe.as_fd(), &mut buffer) else { return };
            self.observer.hear(Side::Agent, &buffer[..length]);
            heard.extend_from_slice(&buffer[..length]);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was heard before, if anything was.
fn take(heard: &mut Vec<u8>) -> Option<Vec<u8>> {
    (!heard.is_empty()).then(|| std::mem::take(heard))
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
    let output = Arc::new(Output { pipe: agent, heard: Mutex::default(), observer });
    let weak = Arc::downgrade(&output);
    let run = move || {
        let mut buffer = vec![0; PIECE];
        while let Some(piece) = output.next(&waits, &mut buffer) {
            let is_taken = match piece {
                Piece::Read(length) => write(stdout(), &buffer[..length]),
                Piece::Heard(bytes) => write(stdout(), &bytes),
            };
            if !is_taken {
                break;
            }
        }
        output.observer.hear_end(Side::Agent);
        drop(output);
        nothing(OFlags::WRONLY).map(|nothing| dup2_stdout(nothing).ok()).ok();
        tell.send(()).ok();
    };
    thread::Builder::new().name("to-client".to_owned()).spawn(run)?;
    Ok(Drain { ended: Some(ended), done, output: weak })
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

#[cfg(test)]
mod tests {
    use super::*;
    use headsup_adapters::stream::Stream;

    #[test]
    fn what_was_heard_at_the_end_is_passed_on_before_what_comes_then() {
        let (pipe, agent) = rustix::pipe::pipe().unwrap();
        let (ended, _runs) = rustix::pipe::pipe().unwrap();
        let observer = Observer::start(None, Box::new(Stream::new("")));
        let output = Output { pipe, heard: Mutex::default(), observer };
        output.hear_out();
        for word in [b"one ", b"two "] {
            rustix::io::write(&agent, word).unwrap();
            output.hear_out();
        }
        rustix::io::write(&agent, b"three").unwrap();
        drop(agent);
        let (mut said, mut buffer) = (Vec::new(), vec![0; PIECE]);
        while let Some(piece) = output.next(&ended, &mut buffer) {
            said.push(match piece {
                Piece::Read(length) => buffer[..length].to_vec(),
                Piece::Heard(bytes) => bytes,
            });
        }
        assert_eq!(said, [b"one two ".to_vec(), b"three".to_vec()]);
    }
}
