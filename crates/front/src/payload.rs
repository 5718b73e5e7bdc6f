//! What the agent writes to our standard input, as `headsup/src/hook/payload.rs` reads it.

use crate::system::{self, EAGAIN, EINTR, Fd, Kind, MONOTONIC, POLLIN};

/// Less than this at a time is not worth a wait that has no end.
const DROP: usize = 4 << 10;

pub(crate) struct Input {
    fd: Fd,
    /// A read that follows a poll can still block when another process reads the same pipe, so pipes
    /// and sockets are read without waiting.
    no_wait: bool,
}

/// `None`: a terminal, or nothing that one reads to its end.
pub(crate) fn input(fd: Fd) -> Option<Input> {
    match fd.kind()? {
        Kind::Stream => Some(Input { fd, no_wait: true }),
        Kind::File => Some(Input { fd, no_wait: false }),
        Kind::Other => None,
    }
}

pub(crate) struct Read {
    pub(crate) length: usize,
    /// Its end was seen, and it fits.
    pub(crate) is_whole: bool,
}

pub(crate) fn read(input: &Input, body: &mut [u8], deadline: u64) -> Read {
    let mut length = 0;
    let mut is_dribbling = false;
    loop {
        let room = body.get_mut(length..).unwrap_or_default();
        if room.is_empty() {
            return Read { length, is_whole: false };
        }
        let read = if input.no_wait {
            input.fd.read_at_once(room)
        } else {
            // A file has everything at once.
            input.fd.read(room)
        };
        match (read, usize::try_from(read)) {
            (_, Ok(0)) => return Read { length, is_whole: true },
            (_, Ok(more)) => {
                length += more;
                // The usual payload comes at once, and is not worth a look at the clock.
                if more < DROP
                    && core::mem::replace(&mut is_dribbling, true)
                    && has_passed(deadline)
                {
                    return Read { length, is_whole: false };
                }
            }
            (EINTR, _) => {}
            (EAGAIN, _) if input.fd.wait(POLLIN, deadline) => {}
            // The deadline; an older kernel, which cannot read so; a sandbox.
            _ => return Read { length, is_whole: false },
        }
    }
}

fn has_passed(deadline: u64) -> bool {
    system::now(MONOTONIC).is_none_or(|now| now >= deadline)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixDatagram;

    /// Reads after the deadline from one that is not closed.
    fn read_late(pieces: &[&[u8]]) -> (usize, bool) {
        // What is sent in pieces is read in pieces, also if all are there.
        let (reader, writer) = UnixDatagram::pair().unwrap();
        for piece in pieces {
            writer.send(piece).unwrap();
        }
        let input = input(Fd::at(reader.as_raw_fd())).unwrap();
        let read = read(&input, &mut vec![0; 64 << 10], 0);
        (read.length, read.is_whole)
    }

    #[test]
    fn after_the_deadline_pieces_are_taken_and_drops_are_not() {
        let piece: &[u8] = &[b'x'; DROP];
        assert_eq!(read_late(&[piece; 4]), (4 * DROP, false));
        assert_eq!(read_late(&[b"x".as_slice(); 5]), (2, false));
        assert_eq!(read_late(&[piece, b"x", piece, b"x", piece]), (2 * DROP + 2, false));
    }
}
