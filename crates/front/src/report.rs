//! The request and its answer, as in `headsup/src/hook/request.rs` and `exchange.rs`.

use crate::MAX_ANSWER;
use crate::answer::Answer;
use crate::json::is_object;
use crate::surroundings::Surroundings;
use crate::system::{
    self, Address, EAGAIN, ECONNREFUSED, ECONNRESET, EINTR, ENOENT, EPIPE, Fd, POLLIN, POLLOUT,
    REALTIME,
};
use crate::text::Text;

/// What a pipe takes without blocking once poll says that it is writable.
const PIECE: usize = 4096;
/// Time, pid and chance, in hexadecimal digits.
pub(crate) const ID: usize = 40;

/// What became of the report.
pub(crate) enum Outcome<'a> {
    /// The hub has it, or refuses it for good and has counted that.
    Final,
    /// The hub has it and answers the agent.
    Answer(&'a [u8]),
    /// There is no hub.
    Absent,
    /// It was not sent.
    Untold,
    /// The hub does not have it, or may not.
    Undelivered,
}

/// An id that no other report of any process has.
pub(crate) fn unique_id() -> Option<[u8; ID]> {
    let mut id = [0; ID];
    let mut text = Text::new(&mut id);
    text.hex(system::now(REALTIME)?, 16);
    text.hex(system::own_pid().into(), 8);
    text.hex(system::random()?, 16);
    text.done().is_some().then_some(id)
}

/// Everything up to the body. `None` if it is too long.
pub(crate) fn head<'a>(
    around: &Surroundings,
    id: &[u8; ID],
    context: &[u8],
    length: usize,
    room: &'a mut [u8],
) -> Option<&'a [u8]> {
    let mut head = Text::new(room);
    for part in [b"POST /api/v1/hooks/", around.kind, b"?event=", around.event] {
        head.push(part);
    }
    head.push(
        b" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n\
          Content-Length: ",
    );
    head.number(u64::try_from(length).ok()?);
    let headers: [(&[u8], Option<&[u8]>); 4] = [
        (b"X-Headsup-Id", Some(id)),
        (b"X-Headsup-Agent", around.agent),
        (b"X-Headsup-Agent-Token", around.token),
        (b"X-Headsup-Context", Some(context)),
    ];
    for (name, value) in headers {
        if let Some(value) = value {
            for part in [b"\r\n", name, b": ", value] {
                head.push(part);
            }
        }
    }
    head.push(b"\r\n\r\n");
    head.done()
}

/// A connection to the hub, or why there is none.
pub(crate) fn reach(address: &Address) -> Result<Fd, Outcome<'static>> {
    system::connect(address).map_err(|error| match error {
        ENOENT | ECONNREFUSED => Outcome::Absent,
        _ => Outcome::Untold,
    })
}

pub(crate) fn post<'a>(
    hub: Fd,
    head: &[u8],
    body: &[u8],
    answer: &'a mut [u8],
    deadline: u64,
) -> Outcome<'a> {
    let is_written = write(hub, head, body, deadline);
    let outcome = if is_written { read(hub, answer, deadline) } else { Outcome::Undelivered };
    if matches!(outcome, Outcome::Undelivered) {
        // The program may have no descriptor but this.
        hub.close();
    }
    outcome
}

/// Whether an answer may come: all is written, or the hub has spoken or hung up before that.
fn write(socket: Fd, mut head: &[u8], mut body: &[u8], deadline: u64) -> bool {
    let mut waited = false;
    while !head.is_empty() || !body.is_empty() {
        let written = socket.send_both(head, body);
        match (written, usize::try_from(written)) {
            (_, Ok(written)) => {
                let of_head = written.min(head.len());
                head = head.get(of_head..).unwrap_or_default();
                body = body.get(written - of_head..).unwrap_or_default();
                waited = false;
            }
            (EINTR, _) => {}
            // Ready, but not to be written to: it speaks.
            (EAGAIN, _) if waited => return true,
            (EAGAIN, _) => {
                if !socket.wait(POLLOUT | POLLIN, deadline) {
                    return false;
                }
                waited = true;
            }
            (EPIPE | ECONNRESET, _) => return true,
            _ => return false,
        }
    }
    true
}

fn read(socket: Fd, received: &mut [u8], deadline: u64) -> Outcome<'_> {
    let mut length = 0;
    loop {
        let more = receive(socket, received, &mut length, deadline);
        match Answer::parse(received.get(..length).unwrap_or_default()) {
            Answer::Head { status: 200, length: head, body: Some(body) } if body <= MAX_ANSWER => {
                while length < head + body {
                    if !receive(socket, received, &mut length, deadline) {
                        return Outcome::Final;
                    }
                }
                let body = received.get(head..head + body).unwrap_or_default();
                return if is_object(body) { Outcome::Answer(body) } else { Outcome::Final };
            }
            Answer::Head { status, .. } => return judge(status),
            Answer::Partial if more => {}
            Answer::Partial | Answer::Garbage => return Outcome::Undelivered,
        }
    }
}

fn judge(status: u64) -> Outcome<'static> {
    match status {
        // Too slow, too early, too many: the same report may be taken later.
        408 | 425 | 429 => Outcome::Undelivered,
        200..=299 | 400..=499 => Outcome::Final,
        _ => Outcome::Undelivered,
    }
}

/// Appends what has come; false at the end, at the deadline and on an error.
fn receive(socket: Fd, received: &mut [u8], length: &mut usize, deadline: u64) -> bool {
    let room = received.get_mut(*length..).unwrap_or_default();
    // The answer takes the hub a moment, so waiting comes first.
    while !room.is_empty() && socket.wait(POLLIN, deadline) {
        let read = socket.read(room);
        match (read, usize::try_from(read)) {
            (_, Ok(more)) => {
                *length += more;
                return more > 0;
            }
            (EAGAIN | EINTR, _) => {}
            _ => return false,
        }
    }
    false
}

/// The hub's word to the agent. It comes out whole unless the agent does not read.
pub(crate) fn print(mut text: &[u8], deadline: u64) {
    system::ignore_broken_pipes();
    while !text.is_empty() && Fd::STDOUT.wait(POLLOUT, deadline) {
        let written = Fd::STDOUT.write(text.get(..PIECE).unwrap_or(text));
        match (written, usize::try_from(written)) {
            (_, Ok(written)) => text = text.get(written..).unwrap_or_default(),
            (EAGAIN | EINTR, _) => {}
            _ => return,
        }
    }
}
