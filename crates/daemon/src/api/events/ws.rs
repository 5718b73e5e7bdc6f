//! `GET /api/v1/ws`: the same messages over a web socket, one JSON object each.

use super::told::Told;
use super::watcher::Watcher;
use crate::api::{App, Refused};
use crate::metrics::Metrics;
use crate::serve::Connected;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{
    CloseCode, CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code,
};
use axum::extract::{Extension, State};
use axum::http::header::SEC_WEBSOCKET_KEY;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures_util::stream::SplitStream;
use futures_util::{Sink, SinkExt as _, StreamExt as _};
use headsup_core::id::AgentId;
use headsup_core::wire::Problem;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use tungstenite::error::ProtocolError;

/// How long a client may take to hear why its socket is closed.
const CLOSE_TIME: Duration = Duration::from_secs(1);
/// Nothing that a client says here means anything to us.
const MOST_SAID: usize = 4 << 10;
/// So much of what is ready leaves at once. Bytes.
const MOST_TOGETHER: usize = 16 << 10;

#[utoipa::path(
    get,
    path = "/api/v1/ws",
    operation_id = "socket_events",
    tag = "events",
    summary = "The same messages over a web socket, one text frame each",
    params(
        ("since" = Option<String>, Query, description = "A cursor; `0` is the oldest event kept, `now` the next one. Without it a snapshot comes first"),
        ("agent" = Option<Vec<AgentId>>, Query, description = "Only these, repeated. One that is not there yet is no error: its events come once it is"),
        ("type" = Option<Vec<String>>, Query, description = "Only these types of events, repeated"),
        ("follow" = Option<bool>, Query, description = "false: the stream ends at the log's end"),
        ("view" = Option<String>, Query, description = "`events` (the default): every event, nothing left out. `state`: only how each agent is by now, as `agent.updated` or `agent.forgotten`; whoever reads slowly gets only the latest of each, and is never `lagged`"),
        ("Last-Event-ID" = Option<String>, Header, description = "A cursor, before `since`"),
    ),
    responses(
        (status = 101, description = "The web socket; each text frame is a `StreamMessage`"),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::api) async fn get(
    State(app): State<Arc<App>>,
    Extension(connected): Extension<Connected>,
    uri: Uri,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Refused> {
    let upgrade = self::upgrade(&headers, upgrade)
        .map_err(|refused| refused.hint("the same messages without one: GET /api/v1/events"))?;
    let metrics = Arc::clone(&app.metrics);
    let watcher = super::watcher(app, &uri, super::last_event(&headers))?;
    Ok(upgrade.on_upgrade(|socket| serve(socket, watcher, connected, metrics)))
}

/// Whoever asks for a web socket takes one.
pub(in crate::api) fn upgrade(
    headers: &HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<WebSocketUpgrade, Refused> {
    let upgrade = upgrade.map_err(|error| {
        Refused::new(426, "upgrade_required", format!("this is a web socket: {error}"))
    })?;
    if !has_nonce(headers) {
        let detail = "Sec-WebSocket-Key is 16 bytes in base64 (RFC 6455, 4.1)";
        return Err(Refused::new(400, "bad_websocket_key", detail));
    }
    let upgrade = upgrade.max_message_size(MOST_SAID).max_frame_size(MOST_SAID);
    // At each look that much is filled with zeros first, and it is kept as long as the socket is open.
    let upgrade = upgrade.read_buffer_size(MOST_SAID);
    // What is ready leaves together, and before anything else is asked for.
    Ok(upgrade.write_buffer_size(MOST_TOGETHER))
}

fn has_nonce(headers: &HeaderMap) -> bool {
    let key = headers.get(SEC_WEBSOCKET_KEY).map(|key| STANDARD.decode(key));
    key.is_some_and(|key| key.is_ok_and(|nonce| nonce.len() == 16))
}

/// What a web socket tells, message by message.
pub(in crate::api) trait Feed: Send {
    /// The next one; `None` at the end. Not to be dropped half-way.
    fn next(&mut self) -> impl Future<Output = Option<Told>> + Send;

    /// Whether the next one is there already.
    fn has_more(&self) -> bool {
        false
    }

    /// Whether it was asked for no more than there is. Any other ends with the hub.
    fn has_an_end(&self) -> bool {
        false
    }
}

impl Feed for Watcher {
    async fn next(&mut self) -> Option<Told> {
        Watcher::next(self).await
    }

    fn has_more(&self) -> bool {
        Watcher::has_more(self)
    }

    fn has_an_end(&self) -> bool {
        Watcher::has_an_end(self) && !self.is_broken()
    }
}

/// Until the client leaves, the feed ends or the listener closes. `connected` is held so long.
pub(in crate::api) async fn serve(
    socket: WebSocket,
    feed: impl Feed,
    mut connected: Connected,
    metrics: Arc<Metrics>,
) {
    let (mut sink, mut said) = socket.split();
    let end = tokio::select! {
        end = listen(&mut said) => end,
        end = tell(&mut sink, feed) => end,
        _ = connected.stopped.changed() => Some(LEAVING),
    };
    let Some((code, reason)) = end else {
        // To read on sends the answer to the client's own goodbye (RFC 6455, 5.5.1).
        timeout(CLOSE_TIME, async { while let Some(Ok(_)) = said.next().await {} }).await.ok();
        return;
    };
    if !matches!(code, close_code::NORMAL | close_code::AWAY) {
        metrics.refusal(reason);
    }
    let close = async {
        let frame = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
        if sink.send(Message::Close(Some(frame))).await.is_ok() {
            // What the client says until it has read that is of no interest.
            while let Some(Ok(_)) = said.next().await {}
        }
    };
    timeout(CLOSE_TIME, close).await.ok();
}

/// A close code and a word for it.
type End = (CloseCode, &'static str);

const LEAVING: End = (close_code::AWAY, "the hub is leaving");

/// Reading answers pings, and notices the end and what may not be said. `None`: the client left.
async fn listen(said: &mut SplitStream<WebSocket>) -> Option<End> {
    loop {
        match said.next().await? {
            Ok(Message::Binary(_)) => {
                return Some((close_code::UNSUPPORTED, "frame_not_text"));
            }
            Ok(Message::Close(_)) => return None,
            Ok(_) => {}
            Err(error) => return fault(error),
        }
    }
}

/// What a client is told that broke the rules of web sockets (RFC 6455, 7.4.1).
fn fault(error: axum::Error) -> Option<End> {
    match error.into_inner().downcast_ref::<tungstenite::Error>()? {
        tungstenite::Error::Capacity(_) => Some((close_code::SIZE, "frame_too_large")),
        tungstenite::Error::Utf8(_) => Some((close_code::INVALID, "frame_not_text")),
        tungstenite::Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => None,
        tungstenite::Error::Protocol(_) => Some((close_code::PROTOCOL, "bad_frame")),
        _ => None,
    }
}

async fn tell<S>(sink: &mut S, mut feed: impl Feed) -> Option<End>
where
    S: Sink<Message, Error = axum::Error> + Unpin,
{
    while let Some(told) = feed.next().await {
        let message = match told {
            // What we wrote ourselves is text.
            Told::Message(message) => Utf8Bytes::try_from(message.json()).ok().map(Message::Text),
            // A socket's frames are messages alone.
            Told::UpToDate => None,
            Told::Alive => Some(Message::Ping(Bytes::new())),
        };
        if let Some(message) = message {
            sink.feed(message).await.ok()?;
        }
        // Also behind what no frame tells: those before it wait for nothing else.
        if !feed.has_more() {
            sink.flush().await.ok()?;
        }
    }
    Some(match feed.has_an_end() {
        true => (close_code::NORMAL, "the end"),
        false => LEAVING,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame;
    use futures_util::FutureExt as _;
    use std::collections::VecDeque;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    /// How many frames it was handed, and how many of them have left.
    #[derive(Debug, Default)]
    struct Line {
        handed: usize,
        left: usize,
    }

    impl Sink<Message> for Line {
        type Error = axum::Error;

        fn poll_ready(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), axum::Error>> {
            Poll::Ready(Ok(()))
        }

        fn start_send(mut self: Pin<&mut Self>, _: Message) -> Result<(), axum::Error> {
            self.handed += 1;
            Ok(())
        }

        fn poll_flush(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Result<(), axum::Error>> {
            self.left = self.handed;
            Poll::Ready(Ok(()))
        }

        fn poll_close(
            self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Result<(), axum::Error>> {
            self.poll_flush(context)
        }
    }

    /// Behind these nothing happens.
    struct Then(VecDeque<Told>);

    impl Feed for Then {
        async fn next(&mut self) -> Option<Told> {
            match self.0.pop_front() {
                Some(told) => Some(told),
                None => std::future::pending().await,
            }
        }

        fn has_more(&self) -> bool {
            !self.0.is_empty()
        }
    }

    #[test]
    fn all_frames_have_left_when_nothing_more_is_to_be_told() {
        let event = || Told::Message(frame::Message::new(Some(1), "turn.started", b"{}"));
        for (told, frames) in [
            (vec![event()], 1),
            (vec![event(), event(), Told::UpToDate], 2),
            (vec![Told::UpToDate], 0),
            (vec![Told::UpToDate, Told::Alive], 1),
        ] {
            let (mut line, feed) = (Line::default(), Then(told.into()));
            assert!(tell(&mut line, feed).now_or_never().is_none(), "it waits for more");
            assert_eq!((line.handed, line.left), (frames, frames));
        }
    }
}
