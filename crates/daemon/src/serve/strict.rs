//! Requests that could end elsewhere for another reader of HTTP than for us.
//!
//! A proxy before the hub that sees another end than we do takes one caller's bytes for the
//! beginning of the next one's request (RFC 9112, 11.2). hyper puts up with a length that stands
//! twice, or beside a transfer coding, and with line ends that are no CR LF. So what comes in is
//! looked at on its way, and such a request is answered with 400 and the end of its connection.

use crate::api::Refused;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// hyper takes no longer head.
const LONGEST: usize = super::BUFFER;

/// How a request ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    Clear,
    /// In chunks, which are not followed here: it is the last one of its connection.
    Last,
    /// Others may see another end.
    Unclear,
}

/// The answer to a request whose end is not clear.
pub(super) fn refused() -> Refused {
    let detail = "it is not clear where the request ends: one Content-Length or one \
                  Transfer-Encoding, and each line ends with CR LF";
    Refused::new(400, "unclear_framing", detail)
}

/// The stream, looked at, and what is found, request by request.
pub(super) fn watch<S>(stream: S) -> (Strict<S>, Frames) {
    let found = Arc::new(Found::default());
    let scan = Scan { found: Arc::clone(&found), begun: 0, line: Vec::new(), state: State::new() };
    (Strict { stream, scan }, Frames { found, answered: AtomicU64::new(0) })
}

/// The numbers of requests, counted from 1; 0 is none.
#[derive(Debug, Default)]
struct Found {
    unclear: AtomicU64,
    last: AtomicU64,
}

#[derive(Debug)]
pub(super) struct Frames {
    found: Arc<Found>,
    answered: AtomicU64,
}

impl Frames {
    /// The next request's framing. Its head has been read.
    pub(super) fn next(&self) -> Framing {
        let number = self.answered.fetch_add(1, Ordering::Relaxed) + 1;
        let is_from = |first: &AtomicU64| {
            let first = first.load(Ordering::Relaxed);
            first != 0 && first <= number
        };
        match (is_from(&self.found.unclear), is_from(&self.found.last)) {
            (true, _) => Framing::Unclear,
            (false, true) => Framing::Last,
            (false, false) => Framing::Clear,
        }
    }
}

#[derive(Debug)]
struct Scan {
    found: Arc<Found>,
    /// Requests whose first line has come.
    begun: u64,
    /// The beginning of a line that is not there whole.
    line: Vec<u8>,
    state: State,
}

#[derive(Debug)]
enum State {
    Head {
        begun: bool,
        length: Option<u64>,
        coded: bool,
    },
    /// Bytes of a body that are still to come.
    Body(u64),
    /// Nothing of interest can come any more.
    Over,
}

impl State {
    fn new() -> Self {
        Self::Head { begun: false, length: None, coded: false }
    }
}

impl Scan {
    fn take(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            match &mut self.state {
                State::Over => return,
                State::Body(left) => {
                    let here = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                    *left -= here as u64;
                    if *left == 0 {
                        self.state = State::new();
                    }
                    bytes = &bytes[here..];
                }
                State::Head { .. } => {
                    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
                        self.line.extend_from_slice(bytes);
                        if self.line.len() > LONGEST {
                            self.state = State::Over;
                        }
                        return;
                    };
                    let mut line = std::mem::take(&mut self.line);
                    line.extend_from_slice(&bytes[..end]);
                    self.line(&line);
                    line.clear();
                    self.line = line;
                    bytes = &bytes[end + 1..];
                }
            }
        }
    }

    /// One line of a head, without its LF.
    fn line(&mut self, line: &[u8]) {
        let State::Head { begun, length, coded } = &mut self.state else { return };
        let text = line.strip_suffix(b"\r");
        let is_empty = text.unwrap_or(line).is_empty();
        if !*begun {
            // Empty lines before a request are passed over, by others as well.
            if is_empty {
                return;
            }
            *begun = true;
            self.begun += 1;
        }
        let Some(text) = text else { return self.unclear() };
        if is_empty {
            self.state = match (*length, *coded) {
                (_, true) => {
                    self.found.last.store(self.begun, Ordering::Relaxed);
                    State::Over
                }
                (Some(length), _) if length > 0 => State::Body(length),
                _ => State::new(),
            };
            return;
        }
        let Some(colon) = text.iter().position(|byte| *byte == b':') else { return };
        let (name, value) = (&text[..colon], text[colon + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"content-length") {
            let number = str::from_utf8(value).ok().and_then(|value| value.parse().ok());
            let is_plain = value.iter().all(u8::is_ascii_digit);
            match number.filter(|_| is_plain && length.is_none() && !*coded) {
                Some(number) => *length = Some(number),
                None => self.unclear(),
            }
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            match length.is_none() && !*coded {
                true => *coded = true,
                false => self.unclear(),
            }
        }
    }

    fn unclear(&mut self) {
        self.found.unclear.store(self.begun, Ordering::Relaxed);
        self.state = State::Over;
    }
}

/// A stream whose requests are looked at while they are read.
#[derive(Debug)]
pub(super) struct Strict<S> {
    stream: S,
    scan: Scan,
}

impl<S: AsyncRead + Unpin> AsyncRead for Strict<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.scan.take(&buffer.filled()[before..]);
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Strict<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Framing::{Clear, Last, Unclear};

    /// The framing of the requests in `text`, whatever the pieces it comes in.
    fn framing(text: &str, count: usize) -> Vec<Framing> {
        let mut all: Vec<_> = [1, 7, text.len()]
            .iter()
            .map(|piece| {
                let (mut strict, frames) = watch(());
                text.as_bytes().chunks(*piece).for_each(|piece| strict.scan.take(piece));
                (0..count).map(|_| frames.next()).collect::<Vec<_>>()
            })
            .collect();
        all.dedup();
        assert_eq!(all.len(), 1, "{text:?}: {all:?}");
        all.remove(0)
    }

    #[test]
    fn what_ends_in_one_way_alone_is_clear() {
        let post = "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\na: b\n\nc:\n";
        let get = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";
        let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
        assert_eq!(framing(&[post, get, "\r\n", post].concat(), 3), [Clear; 3]);
        assert_eq!(framing(&[get, chunked, "0\r\n\r\n", get].concat(), 3), [Clear, Last, Last]);
    }

    #[test]
    fn what_others_may_cut_elsewhere_is_not() {
        let ends = [
            "Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi",
            "Content-Length: 2\r\ncontent-length: 3\r\n\r\nhi",
            "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
            "TRANSFER-ENCODING: chunked\r\nContent-Length: 2\r\n\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n",
            "Content-Length: +2\r\n\r\nhi",
            "Content-Length: 2, 2\r\n\r\nhi",
            "Content-Length:\r\n\r\n",
            "a: b\nContent-Length: 2\r\n\r\nhi",
            "a: b\r\n\n",
        ];
        let get = "GET / HTTP/1.1\r\n\r\n";
        for end in ends {
            let bad = format!("{get}POST / HTTP/1.1\r\n{end}");
            assert_eq!(framing(&bad, 2), [Clear, Unclear], "{end:?}");
        }
        assert_eq!(framing("GET / HTTP/1.1\n\r\n", 1), [Unclear]);
    }
}
