//! Bodies that nobody has read.
//!
//! What is refused for its head is answered while its body is still being sent. hyper then closes
//! the connection, and a client that is busy sending sees a broken pipe and not the answer. So a
//! body that was not looked at comes back here, and is taken off the line before the answer goes.

use crate::body;
use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

/// A body on its way through the router.
#[derive(Debug)]
pub(super) struct Lent<B: Body = Incoming> {
    /// `None` once it has been dropped.
    body: Option<B>,
    was_read: bool,
    home: Home<B>,
}

type Home<B> = Arc<Mutex<Option<B>>>;

/// Where a body comes back to.
#[derive(Debug)]
pub(super) struct Lender<B: Body = Incoming>(Home<B>);

pub(super) fn lend<B: Body>(body: B) -> (Lent<B>, Lender<B>) {
    let home = Home::default();
    let lent = Lent { body: Some(body), was_read: false, home: Arc::clone(&home) };
    (lent, Lender(home))
}

impl<B: Body<Data = Bytes> + Unpin> Lender<B> {
    /// Takes off the line what nobody has read. Call it when the answer is there.
    pub(super) async fn discard(self) {
        let unread = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut unread) = unread {
            body::discard(&mut unread).await;
        }
    }
}

impl<B: Body> Drop for Lent<B> {
    fn drop(&mut self) {
        let unread = self.body.take().filter(|body| !self.was_read && !body.is_end_stream());
        if unread.is_some() {
            *self.home.lock().unwrap_or_else(PoisonError::into_inner) = unread;
        }
    }
}

impl<B: Body + Unpin> Body for Lent<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        self.was_read = true;
        match &mut self.body {
            Some(body) => Pin::new(body).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(SizeHint::default, Body::size_hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::{BodyExt as _, Full};

    fn comes_back(use_it: impl FnOnce(Lent<Full<Bytes>>)) -> bool {
        let (lent, lender) = lend(Full::new(Bytes::from_static(b"{}")));
        use_it(lent);
        lender.0.lock().unwrap().is_some()
    }

    #[test]
    fn only_a_body_that_nobody_has_read_comes_back() {
        assert!(comes_back(drop));
        assert!(comes_back(|lent| assert_eq!(lent.size_hint().exact(), Some(2))));
        let mut context = Context::from_waker(std::task::Waker::noop());
        assert!(!comes_back(|mut lent| {
            assert!(Pin::new(&mut lent).poll_frame(&mut context).is_ready());
        }));
        let (empty, lender) = lend(Full::new(Bytes::new()));
        drop(empty);
        assert!(lender.0.lock().unwrap().is_none());
    }

    // On paused time: it moves on only when nobody can do anything but wait.
    #[tokio::test(start_paused = true)]
    async fn whoever_sends_drop_by_drop_is_not_waited_for() {
        let start = tokio::time::Instant::now();
        let drops = futures_util::stream::unfold((), async |()| {
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            let drop = Frame::data(Bytes::from_static(b"x"));
            Some((Ok::<_, std::convert::Infallible>(drop), ()))
        });
        let (endless, lender) = lend(http_body_util::StreamBody::new(drops).boxed_unsync());
        drop(endless);
        lender.discard().await;
        assert_eq!(start.elapsed().as_secs(), 5);
    }
}
