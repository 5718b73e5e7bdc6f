//! The hub's word to the agent. It comes out whole unless the agent does not read.

use super::deadline::Deadline;
use rustix::event::PollFlags;
use rustix::io::Errno;

/// What a pipe takes without blocking once poll says that it is writable.
const PIECE: usize = 4096;

pub(super) fn stdout(mut text: &[u8], deadline: Deadline) {
    let stdout = rustix::stdio::stdout();
    while !text.is_empty() && deadline.wait(stdout, PollFlags::OUT) {
        match rustix::io::write(stdout, &text[..text.len().min(PIECE)]) {
            Ok(written) => text = &text[written..],
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => return,
        }
    }
}
