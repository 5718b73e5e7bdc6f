//! One request, one answer, before the deadline.

use super::answer::Answer;
use super::deadline::Deadline;
use super::json::is_object;
use super::{connect, request};
use crate::place::Url;
use headsup_core::spool::Report;
use rustix::event::PollFlags;
use rustix::fd::OwnedFd;
use rustix::io::{Errno, IoSlice};
use rustix::net::RecvFlags;

/// A longer body of a 200 is not printed, nor is one that is no JSON object.
const MAX_BODY: usize = 1 << 20;

/// What became of the report.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The hub has it, or refuses it for good and has counted that.
    Final,
    /// The hub has it and answers the agent.
    Answer(Vec<u8>),
    /// The hub does not have it, or may not.
    Undelivered,
}

pub(super) fn post(url: &Url, report: &Report, deadline: Deadline) -> Outcome {
    let token = match url {
        Url::Http { .. } => request::header_value("HEADSUP_TOKEN"),
        _ => None,
    };
    let Some(socket) = connect::open(url, deadline) else { return Outcome::Undelivered };
    let head = request::head(url, report, token.as_deref());
    if write(&socket, head.as_bytes(), &report.body, deadline) {
        read(|received| receive(&socket, received, deadline))
    } else {
        Outcome::Undelivered
    }
}

/// Whether an answer may come: all is written, or the hub has spoken or hung up before that.
fn write(socket: &OwnedFd, mut head: &[u8], mut body: &[u8], deadline: Deadline) -> bool {
    let mut waited = false;
    while !head.is_empty() || !body.is_empty() {
        match rustix::io::writev(socket, &[IoSlice::new(head), IoSlice::new(body)]) {
            Ok(written) => {
                let of_head = written.min(head.len());
                head = &head[of_head..];
                body = &body[written - of_head..];
                waited = false;
            }
            Err(Errno::INTR) => {}
            // Ready, but not to be written to: it speaks.
            Err(Errno::AGAIN) if waited => return true,
            Err(Errno::AGAIN) => {
                if !deadline.wait(socket, PollFlags::OUT | PollFlags::IN) {
                    return false;
                }
                waited = true;
            }
            Err(Errno::PIPE | Errno::CONNRESET) => return true,
            Err(_) => return false,
        }
    }
    true
}

/// What the answer says. `receive` appends what has come; false at the end.
pub(super) fn read(mut receive: impl FnMut(&mut Vec<u8>) -> bool) -> Outcome {
    let mut received = Vec::with_capacity(1024);
    loop {
        let more = receive(&mut received);
        match Answer::parse(&received) {
            Answer::Head { status: 200, length, body: Some(body) } if body <= MAX_BODY => {
                while received.len() < length + body {
                    if !receive(&mut received) {
                        return Outcome::Final;
                    }
                }
                received.truncate(length + body);
                let body = received.split_off(length);
                return if is_object(&body) { Outcome::Answer(body) } else { Outcome::Final };
            }
            Answer::Head { status, .. } => return judge(status),
            Answer::Partial if more => {}
            Answer::Partial | Answer::Garbage => return Outcome::Undelivered,
        }
    }
}

fn judge(status: u64) -> Outcome {
    match status {
        // Too slow, too early, too many: the same report may be taken later.
        408 | 425 | 429 => Outcome::Undelivered,
        200..=299 | 400..=499 => Outcome::Final,
        _ => Outcome::Undelivered,
    }
}

/// Appends what has come; false at the end, at the deadline and on an error.
fn receive(socket: &OwnedFd, received: &mut Vec<u8>, deadline: Deadline) -> bool {
    let mut piece = [0; 4096];
    loop {
        // The answer takes the hub a moment, so waiting comes first.
        if !deadline.wait(socket, PollFlags::IN) {
            return false;
        }
        match rustix::net::recv(socket, &mut piece, RecvFlags::DONTWAIT) {
            Ok((0, _)) => return false,
            Ok((len, _)) => {
                received.extend_from_slice(&piece[..len]);
                return true;
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_real_refusal_is_final() {
        for status in [200, 202, 204, 400, 401, 403, 404, 413, 422] {
            assert_eq!(judge(status), Outcome::Final, "{status}");
        }
        for status in [100, 301, 408, 425, 429, 500, 503, 507] {
            assert_eq!(judge(status), Outcome::Undelivered, "{status}");
        }
    }
}
