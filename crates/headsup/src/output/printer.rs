//! A long text on its way to stdout, on a thread of its own: whoever reads the output slowly, in a pager, does not
//! keep the hub's answer waiting.

use super::Output;
use crate::error::{CommandError, Kind};
use bytes::Bytes;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

#[derive(Debug)]
pub(crate) struct Printer {
    pieces: Sender<Bytes>,
    thread: JoinHandle<Result<(), CommandError>>,
}

impl Printer {
    pub(crate) fn start() -> Result<Self, CommandError> {
        let (pieces, given) = channel();
        let thread = std::thread::Builder::new().spawn(move || print(&given));
        let thread = thread
            .map_err(|error| CommandError::internal(format!("cannot start a thread: {error}")))?;
        Ok(Self { pieces, thread })
    }

    /// Fails once nobody reads any more; [`Printer::end`] tells why.
    pub(crate) fn print(&self, piece: Bytes) -> Result<(), CommandError> {
        let closed = |_| CommandError::new(Kind::OutputClosed, "stdout is closed");
        self.pieces.send(piece).map_err(closed)
    }

    /// Waits until all of it is printed.
    pub(crate) fn end(self) -> Result<(), CommandError> {
        drop(self.pieces);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

fn print(given: &Receiver<Bytes>) -> Result<(), CommandError> {
    given.iter().try_for_each(|piece| Output::json_piece(&piece))
}
