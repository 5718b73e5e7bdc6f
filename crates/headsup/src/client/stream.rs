//! The hub's event stream, which outlives a restart of the hub.

use crate::client::answer::encode;
use crate::client::sse::{Frame, Parser};
use crate::client::start::Health;
use crate::client::{CallError, Client};
use crate::error::{CommandError, Kind};
use crate::output::Output;
use crate::output::outage::Outage;
use headsup_core::event::Event;
use headsup_core::id::AgentId;
use headsup_core::wire::AgentDoc;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde::Deserialize;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How long a hub may be away.
const AWAY: Duration = Duration::from_secs(10);
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// Which events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query {
    /// None means all.
    pub(crate) agents: Vec<AgentId>,
    /// None means all.
    pub(crate) types: Vec<&'static str>,
    /// Without it the stream begins with a snapshot.
    pub(crate) since: Option<String>,
    /// The stream ends at the log's end.
    pub(crate) ends: bool,
}

impl Query {
    fn path(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.since.iter().map(|since| format!("since={}", encode(since))));
        parts.extend(self.agents.iter().map(|agent| format!("agent={agent}")));
        parts.extend(self.types.iter().map(|kind| format!("type={kind}")));
        parts.extend(self.ends.then(|| "follow=false".to_owned()));
        let mark = if parts.is_empty() { "" } else { "?" };
        format!("/api/v1/events{mark}{}", parts.join("&"))
    }
}

/// The cursor of the last event. A stream since then misses nothing, also where the hub goes away before
/// it has sent a word.
pub(crate) async fn log_end(client: &Client) -> Result<String, CommandError> {
    Ok(client.get_doc::<Health>("/healthz").await?.cursor)
}

/// A message of the stream, read.
#[derive(Clone, Debug)]
pub(crate) enum Message {
    /// The state of the agents at a cursor; what follows continues exactly there.
    Snapshot(Snapshot),
    Event(Box<Event>),
    /// We were too slow; a snapshot follows.
    Lagged(Gap),
    /// The log does not have what came behind the cursor; a snapshot follows.
    Expired(Expired),
    /// A type that this version does not know.
    Other,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Snapshot {
    pub(crate) cursor: String,
    pub(crate) agents: Vec<AgentDoc<'static>>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Gap {
    pub(crate) from: String,
    pub(crate) to: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Expired {
    pub(crate) cursor: String,
    pub(crate) oldest: String,
}

impl Frame {
    /// What the message says. One that cannot be read is [`Message::Other`]: a newer hub may
    /// say more than we know.
    pub(crate) fn read(&self) -> Message {
        let data = &self.data;
        match self.event.as_str() {
            "snapshot" => serde_json::from_str(data).map(Message::Snapshot),
            "lagged" => serde_json::from_str(data).map(Message::Lagged),
            "cursor_expired" => serde_json::from_str(data).map(Message::Expired),
            _ => serde_json::from_str(data).map(|event| Message::Event(Box::new(event))),
        }
        .unwrap_or(Message::Other)
    }
}

impl Expired {
    /// Its log is another one: this one never came so far.
    pub(crate) fn is_strange(&self) -> bool {
        let place = |text: &str| text.parse::<u64>().ok();
        place(&self.cursor).zip(place(&self.oldest)).is_none_or(|(cursor, oldest)| cursor >= oldest)
    }
}

/// What the stream brings.
#[derive(Debug)]
pub(crate) enum Heard {
    Message(Frame),
    /// The hub has told all that there was, at the beginning, or after it was away.
    Back,
    /// The log's end, where that was asked for.
    End,
}

/// The stream. Dropping a call of [`EventStream::hear`] in the middle loses nothing.
pub(crate) struct EventStream<'a> {
    client: &'a Client,
    query: Query,
    last: Option<String>,
    body: Option<Incoming>,
    parser: Parser,
    ready: VecDeque<Frame>,
    /// When the hub went away; `None` while it is there.
    away_since: Option<Instant>,
    /// When it was last connected to, if it has said nothing since.
    silent_since: Option<Instant>,
    /// It is new, or was away, and may not have told yet all that there is.
    behind: bool,
    pause: Duration,
    /// It is not asked again before.
    next_try: Option<Instant>,
    /// Who is told that it is away.
    outage: Option<Outage>,
}

impl<'a> EventStream<'a> {
    pub(crate) async fn open(client: &'a Client, query: Query) -> Result<Self, CommandError> {
        let body = match client.open(&query.path(), None).await {
            Ok(body) => Some(body),
            // It was there, and went away before it had answered: that is a restart as any other.
            Err(CallError::Broken(_)) => None,
            Err(error) => return Err(error.at(client.address())),
        };
        let away_since = body.is_none().then(Instant::now);
        Ok(Self {
            client,
            query,
            last: None,
            body,
            parser: Parser::default(),
            ready: VecDeque::new(),
            away_since,
            silent_since: None,
            behind: true,
            pause: FIRST_PAUSE,
            next_try: None,
            outage: None,
        })
    }

    /// The same stream, which tells whoever waits for it that the hub is away, and that it is back.
    #[must_use]
    pub(crate) fn telling(self, output: Output) -> Self {
        Self { outage: Some(Outage::new(output)), ..self }
    }

    /// The next message; `None` at the log's end, where that was asked for.
    pub(crate) async fn next(&mut self) -> Result<Option<Frame>, CommandError> {
        loop {
            match self.hear().await? {
                Heard::Message(frame) => return Ok(Some(frame)),
                Heard::Back => {}
                Heard::End => return Ok(None),
            }
        }
    }

    /// The same, and that the hub is back: also where it has nothing to tell.
    pub(crate) async fn hear(&mut self) -> Result<Heard, CommandError> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                // A gap is announced before it is bridged: until the snapshot we stand before it.
                let is_gap = matches!(frame.event.as_str(), "lagged" | "cursor_expired");
                if frame.id.is_some() && !is_gap {
                    self.last.clone_from(&frame.id);
                }
                return Ok(Heard::Message(frame));
            }
            let Some(body) = &mut self.body else {
                self.reconnect().await?;
                continue;
            };
            match body.frame().await {
                Some(Ok(piece)) => {
                    self.silent_since = None;
                    self.away_since = None;
                    if let Some(outage) = &mut self.outage {
                        outage.is_over();
                    }
                    if let Ok(bytes) = piece.into_data() {
                        self.parser.feed(&bytes, &mut self.ready);
                    }
                    // Its comments come where it has nothing else to tell.
                    let is_whole = |frame: &Frame| frame.event == "snapshot";
                    let is_told = self.parser.take_comment() || self.ready.iter().any(is_whole);
                    let is_back = is_told && std::mem::take(&mut self.behind);
                    if is_back && self.ready.is_empty() {
                        return Ok(Heard::Back);
                    }
                }
                None if self.query.ends => return Ok(Heard::End),
                Some(Err(_)) | None => self.lost(),
            }
        }
    }

    /// Drops the connection and takes up again after the last message that was handed out:
    /// the log has what a slow reader missed.
    pub(crate) fn rewind(&mut self) {
        self.ready.clear();
        self.lost();
    }

    /// The same, and from there to the log's end as it is then, or without an end.
    pub(crate) fn go_on(&mut self, ends: bool) {
        self.query.ends = ends;
        self.rewind();
    }

    /// Is the hub away, or there without having told all that there is by now?
    pub(crate) fn is_behind(&self) -> bool {
        self.behind
    }

    fn lost(&mut self) {
        self.body = None;
        self.behind = true;
        self.parser = Parser::default();
        // A hub that takes the call and hangs up at once is still the same outage.
        let was_there = self.silent_since.is_none_or(|since| since.elapsed() > LONGEST_PAUSE * 2);
        if was_there || self.away_since.is_none() {
            self.away_since = Some(Instant::now());
            self.pause = FIRST_PAUSE;
        } else {
            self.put_off();
        }
        self.silent_since = None;
    }

    fn put_off(&mut self) {
        self.next_try = Some(Instant::now() + self.pause);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
    }

    fn not_back(&self, why: &str) -> Option<CommandError> {
        let is_over = self.away_since.is_some_and(|since| since.elapsed() + self.pause >= AWAY);
        let message = || format!("the hub did not come back in {} s", AWAY.as_secs());
        is_over.then(|| CommandError::new(Kind::HubUnreachable, message()).hint(why))
    }

    async fn reconnect(&mut self) -> Result<(), CommandError> {
        if let (Some(outage), Some(since)) = (&mut self.outage, self.away_since) {
            let seconds = AWAY.as_secs();
            outage.is_away(since, || {
                format!("headsup: the hub is away; it is asked again for {seconds} s")
            });
        }
        if let Some(at) = self.next_try {
            let why = "it takes the call and hangs up at once: see hub.log in its state folder";
            if let Some(error) = self.not_back(why) {
                return Err(error);
            }
            sleep_until(at).await;
            self.next_try = None;
        }
        let path = match &self.last {
            Some(_) => Query { since: None, ..self.query.clone() }.path(),
            None => self.query.path(),
        };
        let error = match self.client.open(&path, self.last.as_deref()).await {
            Ok(body) => {
                self.body = Some(body);
                self.silent_since = Some(Instant::now());
                return Ok(());
            }
            Err(error) => error.at(self.client.address()),
        };
        if !error.retryable {
            return Err(error);
        }
        if let Some(not_back) = self.not_back(&format!("the last try: {error}")) {
            return Err(not_back.hint(self.client.address().how_to_start()));
        }
        self.put_off();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_says_what_it_wants() {
        let agents = ["a", "b"].map(|id| AgentId::new(id).unwrap()).to_vec();
        assert_eq!(Query::default().path(), "/api/v1/events");
        let query =
            Query { agents, types: vec!["turn.started"], since: Some("1 2".into()), ends: true };
        let path = "/api/v1/events?since=1%202&agent=a&agent=b&type=turn.started&follow=false";
        assert_eq!(query.path(), path);
    }

    #[test]
    fn a_message_of_an_unknown_type_is_no_error() {
        let frame = |event: &str, data: &str| Frame {
            id: None,
            event: event.to_owned(),
            data: data.to_owned(),
        };
        assert!(matches!(frame("moon.rose", "{\"schema\":1}").read(), Message::Other));
        let lagged = frame("lagged", r#"{"schema":1,"type":"lagged","from":"3","to":"9"}"#);
        assert!(matches!(lagged.read(), Message::Lagged(gap) if gap.to == "9"));
        for (cursor, is_strange) in [("4", false), ("90", true), ("99999999999999999999", true)] {
            let data = format!(r#"{{"schema":1,"cursor":"{cursor}","oldest":"5"}}"#);
            let Message::Expired(expired) = frame("cursor_expired", &data).read() else {
                panic!("{data}")
            };
            assert_eq!(expired.is_strange(), is_strange, "{cursor}");
        }
        let event = r#"{"schema":1,"cursor":"4","at":"2026-11-21T21:29:57.200Z",
            "agent_id":"api","type":"turn.started","turn_seq":3}"#;
        assert!(matches!(frame("turn.started", event).read(), Message::Event(_)));
    }
}
