//! What the agent writes to our standard input, as `headsup/src/hook/payload.rs` reads it.

use crate::system::{EAGAIN, EINTR, Fd, POLLIN};

const KIND_FILE: u32 = 0o100_000;
const KIND_PIPE: u32 = 0o010_000;
const KIND_SOCKET: u32 = 0o140_000;

pub(crate) struct Input {
    /// A read that follows a poll can still block when another process reads the same pipe, so pipes
    /// and sockets are read without waiting.
    no_wait: bool,
}

/// `None`: a terminal, or nothing that one reads to its end.
pub(crate) fn input() -> Option<Input> {
    match Fd::STDIN.kind()? {
        KIND_PIPE | KIND_SOCKET => Some(Input { no_wait: true }),
        KIND_FILE => Some(Input { no_wait: false }),
        _ => None,
    }
}

pub(crate) struct Read {
    pub(crate) length: usize,
    /// Its end was seen, and it fits.
    pub(crate) is_whole: bool,
}

pub(crate) fn read(input: &Input, body: &mut [u8], deadline: u64) -> Read {
    let mut length = 0;
    loop {
        let room = body.get_mut(length..).unwrap_or_default();
        if room.is_empty() {
            return Read { length, is_whole: false };
        }
        let read = if input.no_wait {
            Fd::STDIN.read_at_once(room)
        } else {
            // A file has everything at once.
            Fd::STDIN.read(room)
        };
        match (read, usize::try_from(read)) {
            (_, Ok(0)) => return Read { length, is_whole: true },
            (_, Ok(more)) => length += more,
            (EINTR, _) => {}
            (EAGAIN, _) if Fd::STDIN.wait(POLLIN, deadline) => {}
            // The deadline; an older kernel, which cannot read so; a sandbox.
            _ => return Read { length, is_whole: false },
        }
    }
}
