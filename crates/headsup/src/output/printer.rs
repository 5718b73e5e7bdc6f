//! A long text on its way to stdout. Whoever reads the output slowly, in a pager, does not keep the hub's answer
//! waiting: a thread of its own prints it, but into a file, which never waits.

use super::Output;
use crate::error::{CommandError, Kind};
use bytes::Bytes;
use rustix::fs::{FileType, fstat};
use rustix::stdio::stdout;
use rustix::termios::isatty;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

/// So many bytes are worth it that a thread is woken.
const PART: usize = 256 << 10;

#[derive(Debug)]
pub(crate) struct Printer {
    /// `None`: it is printed at once.
    thread: Option<(Sender<Vec<Bytes>>, Thread)>,
}

type Thread = JoinHandle<Result<(), CommandError>>;

impl Printer {
    pub(crate) fn start() -> Result<Self, CommandError> {
        if never_waits() {
            return Ok(Self { thread: None });
        }
        let (sender, given) = channel::<Vec<Bytes>>();
        let thread = std::thread::Builder::new().spawn(move || given.iter().try_for_each(print));
        let thread = thread
            .map_err(|error| CommandError::internal(format!("cannot start a thread: {error}")))?;
        Ok(Self { thread: Some((sender, thread)) })
    }

    /// Fewer bytes are better kept for the next time.
    pub(crate) fn part(&self) -> usize {
        if self.thread.is_some() { PART } else { 0 }
    }

    /// Fails once nobody reads any more; [`Printer::end`] tells why.
    pub(crate) fn print(&self, pieces: Vec<Bytes>) -> Result<(), CommandError> {
        let closed = |_| CommandError::new(Kind::OutputClosed, "stdout is closed");
        match &self.thread {
            Some((thread, _)) => thread.send(pieces).map_err(closed),
            None => print(pieces),
        }
    }

    /// Waits until all of it is printed.
    pub(crate) fn end(self) -> Result<(), CommandError> {
        let Some((sender, thread)) = self.thread else { return Ok(()) };
        drop(sender);
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

fn print(pieces: Vec<Bytes>) -> Result<(), CommandError> {
    pieces.iter().try_for_each(|piece| Output::json_piece(piece))
}

/// A file, or a device such as `/dev/null`.
fn never_waits() -> bool {
    let kind = fstat(stdout()).map(|stat| FileType::from_raw_mode(stat.st_mode));
    match kind {
        Ok(FileType::RegularFile) => true,
        Ok(FileType::CharacterDevice) => !isatty(stdout()),
        _ => false,
    }
}
