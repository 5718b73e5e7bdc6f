//! Bodies: of requests, no more than they may be, and in time; and of long answers.

use crate::api::Refused;
use crate::limits::BODY_TIME;
use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::timeout;

/// What is too long is still taken off the line up to here and thrown away, as long as it keeps
/// coming: a client that is busy sending would otherwise see a broken pipe and no answer.
const DISCARDED: usize = 8 << 20;
const DISCARD_PAUSE: Duration = Duration::from_millis(250);

/// The whole body, up to `most` bytes.
pub(crate) async fn read(mut body: Body, most: usize) -> Result<Bytes, Refused> {
    match timeout(BODY_TIME, collect(&mut body, most)).await {
        Ok(Ok(Some(whole))) => Ok(whole),
        Ok(Ok(None)) => {
            discard(&mut body).await;
            let detail = format!("the body is longer than {most} bytes");
            Err(Refused::new(413, "body_too_large", detail))
        }
        Ok(Err(_)) => Err(Refused::new(400, "bad_body", "the body broke off")),
        Err(_) => Err(Refused::new(408, "body_timeout", "the body did not come in time")),
    }
}

/// `None`: too long.
async fn collect(body: &mut Body, most: usize) -> Result<Option<Bytes>, axum::Error> {
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
        whole.extend_from_slice(&data);
    }
    Ok(Some(whole.freeze()))
}

async fn discard(body: &mut Body) {
    let mut discarded = 0;
    while discarded < DISCARDED
        && let Ok(Some(Ok(frame))) = timeout(DISCARD_PAUSE, body.frame()).await
    {
        discarded += frame.data_ref().map_or(0, Bytes::len);
    }
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
