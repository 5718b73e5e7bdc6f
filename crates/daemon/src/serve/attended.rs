//! Clients of the unix socket that close their half of it behind the request, and wait for the answer (`nc -N`, `socat`).
//!
//! hyper takes that for a hang-up, or else looks no more whether anybody is there (`half_close`). The kernel tells one
//! from the other, so here it is asked, and hyper need not know.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::UnixStream;
use tokio::time::{Instant, Sleep, sleep};

/// Between two looks whether a client that says no more is there: of the other half's end the runtime does not tell.
const LOOK: Duration = Duration::from_secs(1);

/// A stream that fails as soon as its client is gone, also while nobody reads from it or has anything to write.
#[derive(Debug)]
pub(super) struct Attended {
    stream: UnixStream,
    /// Somebody waits for more, or has seen the end.
    is_being_read: bool,
    next_look: Option<Pin<Box<Sleep>>>,
}

impl Attended {
    pub(super) fn new(stream: UnixStream) -> Self {
        Self { stream, is_being_read: false, next_look: None }
    }

    /// Comes when the client is gone and nobody would see it otherwise.
    fn poll_gone(&mut self, context: &mut Context<'_>) -> Poll<()> {
        // Whoever reads is told in that way, and by that task's waker.
        if self.is_being_read || self.stream.poll_read_ready(context).is_pending() {
            return Poll::Pending;
        }
        if is_gone(&self.stream) {
            return Poll::Ready(());
        }
        let next_look = self.next_look.get_or_insert_with(|| Box::pin(sleep(LOOK)));
        while next_look.as_mut().poll(context).is_ready() {
            next_look.as_mut().reset(Instant::now() + LOOK);
        }
        Poll::Pending
    }
}

/// Whether both halves are closed, and nothing is left that somebody may still want to read.
fn is_gone(stream: &UnixStream) -> bool {
    // An end is told unasked.
    let mut looked_at = [PollFd::new(stream, PollFlags::empty())];
    let looked = poll(&mut looked_at, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
    let is_closed = looked.is_ok() && looked_at[0].revents().contains(PollFlags::HUP);
    is_closed && rustix::io::ioctl_fionread(stream).is_ok_and(|unread| unread == 0)
}

impl AsyncRead for Attended {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.is_being_read = buffer.filled().len() == before;
        read
    }
}

impl AsyncWrite for Attended {
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
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// hyper comes here at each of its turns, whether it has written or not.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(context))?;
        match self.poll_gone(context) {
            Poll::Ready(()) => Poll::Ready(Err(ErrorKind::BrokenPipe.into())),
            Poll::Pending => Poll::Ready(Ok(())),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::time::timeout;

    async fn gone(attended: &mut Attended) {
        poll_fn(|context| attended.poll_gone(context)).await;
    }

    /// A client, and its request as the hub has read it.
    async fn asked() -> (UnixStream, Attended) {
        let (mut client, hub) = UnixStream::pair().unwrap();
        let mut attended = Attended::new(hub);
        client.write_all(b"?").await.unwrap();
        assert_eq!(attended.read(&mut [0; 8]).await.unwrap(), 1);
        (client, attended)
    }

    // On paused time: it moves on only when nobody can do anything but wait.
    #[tokio::test(start_paused = true)]
    async fn whoever_says_no_more_is_there_until_nothing_can_be_told_either() {
        let (mut client, mut attended) = asked().await;
        client.shutdown().await.unwrap();
        assert!(timeout(LOOK * 3, gone(&mut attended)).await.is_err());
        attended.write_all(b"!").await.unwrap();
        attended.flush().await.unwrap();
        assert_eq!(client.read_u8().await.unwrap(), b'!');
        drop(client);
        gone(&mut attended).await;
        assert_eq!(attended.flush().await.unwrap_err().kind(), ErrorKind::BrokenPipe);
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_hangs_up_is_gone_at_once_unless_something_is_unread() {
        let start = Instant::now();
        let (client, mut attended) = asked().await;
        drop(client);
        gone(&mut attended).await;
        assert_eq!(start.elapsed(), Duration::ZERO);
        let (mut client, mut attended) = asked().await;
        client.write_all(b"??").await.unwrap();
        drop(client);
        assert!(timeout(LOOK * 3, gone(&mut attended)).await.is_err());
        assert_eq!(attended.read(&mut [0; 8]).await.unwrap(), 2);
        gone(&mut attended).await;
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_reads_sees_the_end_by_that() {
        let (client, mut attended) = asked().await;
        drop(client);
        assert_eq!(attended.read(&mut [0; 8]).await.unwrap(), 0);
        attended.flush().await.unwrap();
    }
}
