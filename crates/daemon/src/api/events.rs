//! `GET /api/v1/events`: the log as an event stream, from any place on.

mod changed;
mod cursor;
mod filter;
mod pace;
mod told;
mod watcher;
pub(super) mod ws;

use super::query::{Query, bad};
use super::{App, Refused};
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse, Response};
pub(super) use changed::View;
use cursor::Start;
use filter::Filter;
use futures_util::stream;
use headsup_core::id::AgentId;
use headsup_core::wire::Problem;
use std::io;
use std::sync::Arc;
pub(super) use told::{CURSOR_EXPIRED, LAGGED, SNAPSHOT, StreamMessage, Told};
use watcher::Watcher;

#[utoipa::path(
    get,
    path = "/api/v1/events",
    operation_id = "stream_events",
    tag = "events",
    summary = "The log as server-sent events, from any place on",
    params(
        ("since" = Option<String>, Query, description = "A cursor; `0` is the oldest event kept, `now` the next one. Without it a snapshot comes first"),
        ("agent" = Option<Vec<AgentId>>, Query, description = "Only these, repeated. One that is not there yet is no error: its events come once it is"),
        ("type" = Option<Vec<String>>, Query, description = "Only these types of events, repeated"),
        ("follow" = Option<bool>, Query, description = "false: the stream ends at the log's end"),
        ("view" = Option<String>, Query, description = "`events` (the default): every event, nothing left out. `state`: only how each agent is by now, as `agent.updated` or `agent.forgotten`; whoever reads slowly gets only the latest of each, and is never `lagged`"),
        ("Last-Event-ID" = Option<String>, Header, description = "A cursor, before `since`"),
    ),
    responses(
        (status = 200, description = "One message each; its `id` is the cursor, its `event` the type, its `data` this", body = StreamMessage, content_type = "text/event-stream"),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let watcher = watcher(app, &uri, last_event(&headers))?;
    let messages = stream::unfold(watcher, async |mut watcher| {
        let message = match watcher.next_piece().await {
            Some(message) => Ok(message),
            // No clean end: whoever reads it has not had all.
            None if watcher.is_broken() => Err(io::Error::other("the stream breaks off")),
            None => return None,
        };
        Some((message, watcher))
    });
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store")];
    Ok((headers, Body::from_stream(messages)).into_response())
}

/// Where a client stood: a browser that connects again repeats its old address and adds this header.
fn last_event(headers: &HeaderMap) -> Option<&str> {
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    last.filter(|last| !last.is_empty())
}

/// The watcher that a request asks for. `last` is where it stood before.
fn watcher(app: Arc<App>, uri: &Uri, last: Option<&str>) -> Result<Watcher, Refused> {
    let query = Query::parse(uri.query(), &["since", "agent", "type", "follow", "view"])?;
    let filter = Filter::new(&query)?;
    let view = View::of(&query)?;
    let follow = query.flag("follow", true)?;
    let since = query.one("since")?;
    if last.is_none() && since.is_some_and(|since| !cursor::is_one(since)) {
        return Err(bad("since is a cursor as an event has it, `0` or `now`"));
    }
    let start = Start::parse(last.or(since), &app.board);
    let seat = Subscription::take(&app)?;
    Ok(Watcher::new(app, filter, view, start, follow, seat))
}

pub(crate) const TOO_MANY_SUBSCRIBERS: &str = "too_many_subscribers";

/// One of the streams that may be open at once.
pub(crate) struct Subscription(Arc<App>);

impl Subscription {
    pub(crate) fn take(app: &Arc<App>) -> Result<Self, Refused> {
        let others = app.metrics.subscribers.inc();
        let subscription = Self(Arc::clone(app));
        if u64::try_from(others).unwrap_or(0) < app.most_subscribers {
            Ok(subscription)
        } else {
            let detail = format!("{} event streams are open already", app.most_subscribers);
            Err(Refused::new(503, TOO_MANY_SUBSCRIBERS, detail))
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.0.metrics.subscribers.dec();
    }
}
