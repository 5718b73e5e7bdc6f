//! `GET /ui/events`: what changes on a page, rendered, while it is open.
//!
//! The bus only wakes it: what it sends is the difference between what the browser has and what
//! the board shows now. So nothing is lost by a stream that lags, and a burst is one message.

mod choice;

use super::ages::Ages;
use super::parts::{Parts, Sent};
use super::roster::Roster;
use super::{agent, assets, drawn, inbox, sink};
use crate::api::{App, Refused, Subscription};
use crate::attendance::Reader;
use crate::bus::Listener;
use crate::frame;
use axum::body::Body;
use axum::extract::State;
use axum::http::Uri;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use choice::Page;
use futures_util::stream;
use headsup_core::id::AgentId;
use serde::Serialize;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep_until};

/// Between two messages, at least: what comes meanwhile goes together.
const BURST: Duration = Duration::from_millis(50);
/// How often the page hears that the hub is there. `board.js` waits for two and a half of them.
const BEAT: Duration = Duration::from_secs(3);

pub(super) async fn get(State(app): State<Arc<App>>, uri: Uri) -> Result<Response, Refused> {
    let view = match choice::page(uri.query())? {
        Page::Roster => View::Roster(Roster::default()),
        Page::Inbox => View::Inbox,
        Page::Agent(id) => {
            let known = app.board.seat(&id).is_some();
            View::Agent { id, known }
        }
    };
    let subscription = Subscription::take(&app)?;
    let reader = Reader::new(Arc::clone(&app.attendance), Arc::clone(&app.clock));
    let mut beat = interval_at(Instant::now() + BEAT, BEAT);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let phase = Phase::Begin;
    let live = Live {
        app,
        view,
        sent: Sent::default(),
        phase,
        beat,
        last: Instant::now(),
        _subscription: subscription,
        _reader: reader,
    };
    let messages = stream::unfold(live, async |mut live| {
        let message = live.next().await?;
        Some((Ok::<_, Infallible>(message), live))
    });
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store")];
    Ok((headers, sink::GUARD, Body::from_stream(messages)).into_response())
}

#[derive(Debug)]
enum View {
    Roster(Roster),
    Inbox,
    /// `known`: it has been shown, so that it is forgotten if it is not there.
    Agent {
        id: AgentId,
        known: bool,
    },
}

enum Phase {
    Begin,
    Live(Listener),
    Over,
}

struct Live {
    app: Arc<App>,
    view: View,
    sent: Sent,
    phase: Phase,
    beat: Interval,
    /// When the last change was sent.
    last: Instant,
    _subscription: Subscription,
    _reader: Reader,
}

/// One message to `board.js`.
#[derive(Serialize)]
struct Message<'a> {
    /// The hub's clock, in milliseconds: ages are counted on it.
    now: i64,
    build: &'a str,
    #[serde(flatten)]
    parts: Option<Parts>,
}

impl Live {
    /// The next bytes for the browser; `None` at the end of the stream.
    async fn next(&mut self) -> Option<Bytes> {
        match std::mem::replace(&mut self.phase, Phase::Over) {
            Phase::Begin => {
                // Before the look at the board: nothing falls between the two.
                let Some(frames) = self.app.bus.subscribe() else {
                    return Some(self.say("bye", None));
                };
                self.phase = Phase::Live(frames);
                let parts = self.news().await?;
                Some(self.say("sync", parts))
            }
            Phase::Live(mut frames) => loop {
                tokio::select! {
                    received = frames.recv() => {
                        if let Err(RecvError::Closed) = received {
                            return Some(self.say("bye", None));
                        }
                        sleep_until(self.last + BURST).await;
                        while frames.try_recv().is_ok() {}
                        if let Some(parts) = self.news().await? {
                            self.phase = Phase::Live(frames);
                            self.last = Instant::now();
                            return Some(self.say("change", Some(parts)));
                        }
                    }
                    _ = self.beat.tick() => {
                        // Some things change without an event: marks, and who has left for long.
                        let parts = self.news().await?;
                        self.phase = Phase::Live(frames);
                        return Some(self.say(if parts.is_some() { "change" } else { "beat" }, parts));
                    }
                }
            },
            Phase::Over => None,
        }
    }

    /// What the browser does not have. The outer `None`: it cannot be read; the page comes again.
    async fn news(&mut self) -> Option<Option<Parts>> {
        let parts = match &mut self.view {
            View::Roster(roster) => {
                let mut shown = std::mem::take(roster);
                let draw = move |app: &App| (shown.parts(app, Ages::Open), shown);
                let parts;
                (parts, *roster) = drawn(&self.app, draw).await?;
                parts
            }
            View::Inbox => inbox::parts(&self.app, Ages::Open).await.ok()?,
            View::Agent { id, known } => {
                *known |= self.app.board.seat(id).is_some();
                match known {
                    true => agent::parts(&self.app, id, Ages::Open).await.ok()?,
                    false => agent::unknown(id),
                }
            }
        };
        Some(self.sent.news(parts))
    }

    fn say(&self, kind: &str, parts: Option<Parts>) -> Bytes {
        let now = self.app.clock.wall().0;
        let said = Message { now, build: assets::version(), parts };
        // Nothing in it can fail to be written.
        let json = serde_json::to_vec(&said).unwrap_or_default();
        frame::Message::new(None, kind, &json).whole().clone()
    }
}
