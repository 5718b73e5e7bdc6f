//! `GET /api/v1/events`: the log as an event stream, from any place on.

mod cursor;
mod filter;
mod told;
mod watcher;

use super::query::Query;
use super::{App, Refused};
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse, Response};
use cursor::Start;
use filter::Filter;
use futures_util::stream;
use std::convert::Infallible;
use std::sync::Arc;
use watcher::Watcher;

pub(super) async fn get(
    State(app): State<Arc<App>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let query = Query::parse(uri.query(), &["since", "agent", "type", "follow"])?;
    let filter = Filter::new(&query)?;
    let follow = query.flag("follow", true)?;
    // A browser that connects again repeats its old address and adds this header.
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    let since = last.filter(|last| !last.is_empty()).or(query.one("since")?);
    let start = Start::parse(since, &app.board);
    let seat = Subscription::take(&app)?;
    let watcher = Watcher::new(app, filter, start, follow, seat);
    let messages = stream::unfold(watcher, async |mut watcher| {
        let message = watcher.next().await?;
        Some((Ok::<_, Infallible>(message), watcher))
    });
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store")];
    Ok((headers, Body::from_stream(messages)).into_response())
}

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
            Err(Refused::new(503, "too_many_subscribers", detail))
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.0.metrics.subscribers.dec();
    }
}
