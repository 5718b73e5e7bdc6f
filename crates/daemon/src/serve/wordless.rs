//! The words of refusals that hyper gives by itself.
//!
//! What cannot be read as HTTP comes to no router: hyper answers it with a status alone, and ends the connection.
//! Here such an answer gets what every other refusal has, a problem document with a code, on its way out.

use headsup_core::wire::Problem;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// As it is counted.
pub(super) const CODE: &str = "bad_http";

/// How hyper's answers begin, and what they mean.
const REFUSALS: [(&[u8], u16, &str); 3] = [
    (b"HTTP/1.1 400 Bad Request\r\n", 400, "this cannot be read as an HTTP request"),
    (b"HTTP/1.1 414 URI Too Long\r\n", 414, "the address of the request is too long"),
    (
        b"HTTP/1.1 431 Request Header Fields Too Large\r\n",
        431,
        "the head of the request is too long or has too many lines",
    ),
];
const CLOSE: &[u8] = b"connection: close\r\n";
/// No refusal of ours is empty.
const EMPTY: &[u8] = b"content-length: 0\r\n";
/// `date: Sat, 28 Nov 2026 05:52:27 GMT`, and the end of the head. Bytes.
const DATE: usize = 39;

/// A stream out of which no such answer comes without its words.
#[derive(Debug)]
pub(super) struct Worded<S> {
    stream: S,
    /// What was taken and is still to be written.
    rest: Vec<u8>,
}

/// An answer of hyper's own at the end of what is written.
struct Found {
    /// Where it begins.
    at: usize,
    line: &'static [u8],
    status: u16,
    detail: &'static str,
}

impl Found {
    fn at_the_end_of(bytes: &[u8]) -> Option<Self> {
        if !bytes.ends_with(b"\r\n\r\n") {
            return None;
        }
        REFUSALS.into_iter().find_map(|(line, status, detail)| {
            let at = bytes.len().checked_sub(line.len() + CLOSE.len() + EMPTY.len() + DATE)?;
            let head = bytes[at..].strip_prefix(line)?.strip_prefix(CLOSE)?;
            head.starts_with(EMPTY).then_some(Self { at, line, status, detail })
        })
    }

    /// The same bytes, with its words.
    fn in_words(&self, bytes: &[u8]) -> Vec<u8> {
        let problem = Problem::new(self.status, CODE, self.detail);
        let document = serde_json::to_vec(&problem).unwrap_or_default();
        let length = document.len();
        let about = format!(
            "content-type: application/problem+json\r\ncontent-length: {length}\r\n\
             cache-control: no-store\r\nx-content-type-options: nosniff\r\n"
        );
        let date = &bytes[bytes.len() - DATE..];
        [&bytes[..self.at], self.line, CLOSE, about.as_bytes(), date, &document].concat()
    }
}

impl<S> Worded<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, rest: Vec::new() }
    }
}

impl<S: AsyncWrite + Unpin> Worded<S> {
    fn poll_rest(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.rest.is_empty() {
            let written = ready!(Pin::new(&mut self.stream).poll_write(context, &self.rest))?;
            if written == 0 {
                return Poll::Ready(Err(ErrorKind::WriteZero.into()));
            }
            self.rest.drain(..written);
        }
        Poll::Ready(Ok(()))
    }

    /// Takes all of it. What the stream does not take now it takes before the next bytes, or with a flush.
    fn take(
        &mut self,
        context: &mut Context<'_>,
        bytes: &[u8],
        found: &Found,
    ) -> Poll<io::Result<usize>> {
        self.rest = found.in_words(bytes);
        match self.poll_rest(context) {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Ready(Ok(())) | Poll::Pending => Poll::Ready(Ok(bytes.len())),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Worded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Worded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_rest(context))?;
        match Found::at_the_end_of(bytes) {
            None => Pin::new(&mut self.stream).poll_write(context, bytes),
            Some(found) => self.take(context, bytes, &found),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_rest(context))?;
        let last = pieces.iter().rfind(|piece| !piece.is_empty());
        if last.and_then(|last| Found::at_the_end_of(last)).is_none() {
            return Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        }
        let whole: Vec<u8> = pieces.iter().flat_map(|piece| piece.iter().copied()).collect();
        self.poll_write(context, &whole)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_rest(context))?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_rest(context))?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    /// What comes out at the other end, where that takes a few bytes at a time.
    async fn written(bytes: &[u8]) -> String {
        let (here, mut there) = duplex(7);
        let mut worded = Worded::new(here);
        let write = async move {
            worded.write_all(bytes).await.unwrap();
            worded.shutdown().await.unwrap();
        };
        let mut said = String::new();
        let ((), read) = tokio::join!(write, there.read_to_string(&mut said));
        read.unwrap();
        said
    }

    #[tokio::test]
    async fn an_answer_of_the_protocols_own_gets_its_words_and_no_other_is_touched() {
        let before = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
        let date = "date: Sat, 28 Nov 2026 05:52:27 GMT\r\n\r\n";
        assert_eq!(date.len(), DATE);
        let empty = "connection: close\r\ncontent-length: 0\r\n";
        for (line, status, _) in REFUSALS {
            let line = str::from_utf8(line).unwrap();
            let said = written(format!("{before}{line}{empty}{date}").as_bytes()).await;
            let refusal = said.strip_prefix(before).unwrap().strip_prefix(line).unwrap();
            let (head, document) = refusal.split_once("\r\n\r\n").unwrap();
            let problem: Problem = serde_json::from_str(document).unwrap();
            assert_eq!((problem.status, problem.code.as_str()), (status, CODE));
            assert!(
                head.contains(&format!("\r\ncontent-length: {}\r\n", document.len())),
                "{head}"
            );
        }
        for other in [
            format!("HTTP/1.1 204 No Content\r\n{empty}{date}"),
            format!("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n{empty}{date}"),
            "\r\n\r\n".to_owned(),
        ] {
            assert_eq!(written(other.as_bytes()).await, other);
        }
    }
}
