//! The payload: what the agent writes to our stdin.

use super::deadline::Deadline;
use super::shrink::shrink;
use super::skimmed::{Skimmed, skimmed};
use rustix::event::PollFlags;
use rustix::fd::BorrowedFd;
use rustix::fs::FileType;
use rustix::io::{Errno, IoSliceMut, ReadWriteFlags};

/// More than this is not held in memory: of what comes behind it, too, the long values go while it is read.
const MAX_HELD: usize = 4 << 20;
/// More than this is read and thrown away, so that the agent does not write to a closed pipe.
const MAX_READ: usize = 64 << 20;
/// What is read at once of what is not held.
const PIECE: usize = 64 << 10;
/// Less than this at a time is not worth a wait that has no end.
const DROP: usize = 4 << 10;
/// A longer payload is shrunk, and cut if that does not help.
const MAX_SENT: usize = 256 << 10;

/// Reads stdin to its end or to the deadline, behind what was read of it already. A terminal counts as
/// empty.
pub(super) fn read(before: Vec<u8>, deadline: Deadline) -> Vec<u8> {
    let stdin = rustix::stdio::stdin();
    let kind = rustix::fs::fstat(stdin).map(|stat| FileType::from_raw_mode(stat.st_mode));
    let mut source = match kind {
        Ok(FileType::Fifo | FileType::Socket) => Source { fd: stdin, no_wait: true },
        Ok(FileType::CharacterDevice) if rustix::termios::isatty(stdin) => return before,
        _ => Source { fd: stdin, no_wait: false },
    };
    let mut body = before;
    let mut len = body.len();
    loop {
        if len == body.len() {
            // The usual payload fits the first piece; a fresh page costs more than its bytes.
            let more = if len == 0 { 8 << 10 } else { len.max(64 << 10) };
            let more = more.min(MAX_HELD.saturating_sub(len));
            if more == 0 || body.try_reserve_exact(more).is_err() {
                return source.skim(body, deadline);
            }
            body.resize(len + more, 0);
        }
        let Some(read) = source.read(&mut body[len..], deadline) else { break };
        len += read;
        // What is there is taken even after the deadline (we may have been asleep), drops are not.
        if read == 0 || (read < DROP && deadline.has_passed()) {
            break;
        }
    }
    body.truncate(len);
    body
}

/// What is sent of a payload: short ones whole, long ones without their long values, and without what was cut.
pub(super) fn fit(mut body: Vec<u8>) -> Vec<u8> {
    if body.len() <= MAX_SENT {
        return body;
    }
    let short = shrink(&body, MAX_SENT).or_else(|| shrink(&skimmed(&body)?, MAX_SENT));
    short.unwrap_or_else(|| {
        body.truncate(MAX_SENT);
        body
    })
}

/// The event's name where the command line does not tell it. Inside a string value the name's
/// quotes are escaped, so its first plain occurrence is the member.
pub(super) fn event_name(body: &[u8]) -> Option<&str> {
    const NAME: &[u8] = b"\"hook_event_name\"";
    let at = body.windows(NAME.len()).position(|window| window == NAME)?;
    let rest = body[at + NAME.len()..].trim_ascii_start().strip_prefix(b":")?;
    let rest = rest.trim_ascii_start().strip_prefix(b"\"")?;
    let end = rest.iter().position(|&byte| byte == b'"')?;
    str::from_utf8(&rest[..end]).ok()
}

struct Source {
    fd: BorrowedFd<'static>,
    /// A read that follows a poll can still block when another process reads the same pipe, so
    /// pipes and sockets are read without waiting. (Not by `O_NONBLOCK`: that would reach every
    /// process that shares the description.)
    no_wait: bool,
}

impl Source {
    /// Bytes read, 0 at the end; `None` at the deadline or on an error.
    fn read(&mut self, buffer: &mut [u8], deadline: Deadline) -> Option<usize> {
        loop {
            if self.no_wait {
                let buffers = &mut [IoSliceMut::new(buffer)];
                // An offset of -1 reads at the current position.
                match rustix::io::preadv2(self.fd, buffers, u64::MAX, ReadWriteFlags::NOWAIT) {
                    Ok(read) => return Some(read),
                    Err(Errno::AGAIN | Errno::INTR) => {}
                    // An older kernel, or a sandbox.
                    Err(_) => self.no_wait = false,
                }
            }
            if !deadline.wait(self.fd, PollFlags::IN) {
                return None;
            }
            if !self.no_wait {
                match rustix::io::read(self.fd, &mut *buffer) {
                    Ok(read) => return Some(read),
                    Err(Errno::AGAIN | Errno::INTR) => {}
                    Err(_) => return None,
                }
            }
        }
    }

    /// Reads on, behind what is held already. Where that is no object it stays as it is.
    fn skim(&mut self, held: Vec<u8>, deadline: Deadline) -> Vec<u8> {
        let mut kept = Skimmed::default();
        let mut is_wanted = kept.take(&held);
        let (mut piece, mut length) = (vec![0; PIECE], held.len());
        while !deadline.has_passed()
            && let Some(read @ 1..) = self.read(&mut piece, deadline)
        {
            length += read;
            is_wanted = is_wanted && length <= MAX_READ && kept.take(&piece[..read]);
        }
        kept.end().unwrap_or(held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_event_is_found_by_its_plain_name_alone() {
        let body = br#"{"tool":"say \"hook_event_name\": \"Fake\"", "hook_event_name" : "Stop"}"#;
        assert_eq!(event_name(body), Some("Stop"));
        assert_eq!(event_name(br#"{"hook_event_name": 3}"#), None);
        assert_eq!(event_name(br#"{"hook_event_name": "St"#), None);
        assert_eq!(event_name(b"{}"), None);
    }

    #[test]
    fn of_a_long_payload_that_breaks_off_the_whole_members_are_sent() {
        let cut = format!(r#"{{"session_id":"s1","prompt":"{}"#, "x".repeat(MAX_SENT));
        let sent = String::from_utf8(fit(cut.into_bytes())).unwrap();
        let marker = format!(r#"{{"truncated":true,"bytes":{}}}"#, MAX_SENT + 1);
        assert_eq!(sent, format!(r#"{{"session_id":"s1","prompt":{marker}}}"#));
    }

    #[test]
    fn a_payload_that_cannot_be_shrunk_is_cut() {
        assert_eq!(fit(vec![b'['; MAX_SENT]).len(), MAX_SENT);
        assert_eq!(fit(vec![b'['; MAX_SENT + 1]).len(), MAX_SENT);
    }
}
