//! The hub's word to the agent. It comes out whole unless the agent does not read, and not at all into a file that
//! may not grow by so much.

use super::deadline::Deadline;
use super::lock;
use rustix::event::PollFlags;
use rustix::fd::BorrowedFd;
use rustix::fs::{FileType, OFlags, fcntl_getfl, fstat, tell};
use rustix::io::{Errno, Result};

/// What a pipe takes without blocking once poll says that it is writable.
const PIECE: usize = 4096;

pub(super) fn stdout(mut text: &[u8], deadline: Deadline) {
    let stdout = rustix::stdio::stdout();
    if !has_room(stdout, text.len()).unwrap_or(false) {
        return;
    }
    while !text.is_empty() && deadline.wait(stdout, PollFlags::OUT) {
        match rustix::io::write(stdout, &text[..text.len().min(PIECE)]) {
            Ok(written) => text = &text[written..],
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

/// Whether it is no file, or one that may grow by so much.
fn has_room(stdout: BorrowedFd<'_>, more: usize) -> Result<bool> {
    let stat = fstat(stdout)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(true);
    }
    let is_behind = fcntl_getfl(stdout)?.contains(OFlags::APPEND);
    let at = if is_behind { u64::try_from(stat.st_size).unwrap_or(0) } else { tell(stdout)? };
    Ok(lock::may_grow_to(at + more as u64))
}
