//! Bodies: of requests, no more than they may be, and in time; and of long answers.

mod depth;

pub(crate) use depth::{behind_string, check_depth, is_too_deep};

use crate::api::Refused;
use crate::limits::BODY_TIME;
use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::ops::Deref;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

/// What is too long is still taken off the line up to here and thrown away, as long as it keeps
/// coming: a client that is busy sending would otherwise see a broken pipe and no answer.
const DISCARDED: usize = 8 << 20;
const DISCARD_PAUSE: Duration = Duration::from_millis(250);
/// Whoever sends drop by drop is not waited for.
const DISCARD_TIME: Duration = Duration::from_secs(5);

/// A shorter body comes and goes without asking.
const LARGE: u64 = 64 << 10;
/// Bytes of large bodies that are here at once; more of them wait on their connections.
const ROOM: usize = 8 << 20;

/// What some programs write before their text (RFC 8259, 8.1: a reader may pass over it).
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

static LARGE_BODIES: Semaphore = Semaphore::const_new(ROOM);

/// A body that is here, with the room it takes until it is dropped.
#[derive(Debug)]
pub(crate) struct Whole {
    bytes: Bytes,
    _room: Option<SemaphorePermit<'static>>,
}

impl Deref for Whole {
    type Target = Bytes;

    fn deref(&self) -> &Bytes {
        &self.bytes
    }
}

/// The text without a byte order mark before it.
pub(crate) fn unmarked(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// The whole body, up to `most` bytes.
pub(crate) async fn read(mut body: Body, most: usize) -> Result<Whole, Refused> {
    let length = body.size_hint().exact().unwrap_or(most as u64).min(most as u64);
    let come = async {
        let room = room(length).await;
        (collect(&mut body, most).await, room)
    };
    match timeout(BODY_TIME, come).await.map(|(whole, room)| whole.map(|bytes| (bytes, room))) {
        Ok(Ok((Some(bytes), room))) => Ok(Whole { bytes, _room: room }),
        Ok(Ok((None, _))) => {
            discard(&mut body).await;
            let detail = format!("the body is longer than {most} bytes");
            Err(Refused::new(413, "body_too_large", detail))
        }
        Ok(Err(_)) => Err(Refused::new(400, "bad_body", "the body broke off")),
        Err(_) => Err(Refused::new(408, "body_timeout", "the body did not come in time")),
    }
}

/// Room for a body that is, or may become, large.
async fn room(length: u64) -> Option<SemaphorePermit<'static>> {
    let length = u32::try_from(length).ok().filter(|_| length > LARGE)?;
    // It is never closed.
    LARGE_BODIES.acquire_many(length).await.ok()
}

/// `None`: too long.
async fn collect(body: &mut Body, most: usize) -> Result<Option<Bytes>, axum::Error> {
    let length = body.size_hint().exact().and_then(|length| usize::try_from(length).ok());
    if length.is_some_and(|length| length > most) {
        return Ok(None);
    }
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else { continue };
        if whole.len() + data.len() > most {
            return Ok(None);
        }
        if whole.is_empty() && body.is_end_stream() {
            // The usual case: all of it in one piece, not copied.
            return Ok(Some(data));
        }
        if whole.is_empty() {
            whole.reserve(length.unwrap_or(data.len()));
        }
        whole.extend_from_slice(&data);
    }
    Ok(Some(whole.freeze()))
}

/// Takes what still comes off the line, for a bounded time and up to a bound.
pub(crate) async fn discard<B: HttpBody<Data = Bytes> + Unpin>(body: &mut B) {
    let discard = async {
        let mut discarded = 0;
        while discarded < DISCARDED
            && let Ok(Some(Ok(frame))) = timeout(DISCARD_PAUSE, body.frame()).await
        {
            discarded += frame.data_ref().map_or(0, Bytes::len);
        }
    };
    timeout(DISCARD_TIME, discard).await.ok();
}

/// An answer that is there in pieces. Its length is known all the same.
#[derive(Debug)]
pub(crate) struct Pieces(VecDeque<Bytes>);

impl From<Vec<Bytes>> for Pieces {
    fn from(pieces: Vec<Bytes>) -> Self {
        Self(pieces.into())
    }
}

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.pop_front().map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.iter().map(|piece| piece.len() as u64).sum())
    }
}
