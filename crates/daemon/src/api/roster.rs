//! The roster: which seats it shows, in which order, and its JSON.

use super::places::Places;
use crate::body::Pieces;
use axum::body::Body;
use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use headsup_core::compat::{State, Vocabulary};
use headsup_core::seat::Seat;
use headsup_core::status::Headline;
use headsup_core::time::UnixMs;
use headsup_core::wire::SCHEMA;
use headsup_core::words::row;
use serde::Serialize;
use std::cmp::Ordering;
use std::io;
use std::sync::Arc;

/// How long an adopted seat is still shown after its end. Milliseconds.
const SHOWN_AFTER_END_MS: i64 = 3_600_000;
/// A larger roster is written down off the threads that serve requests.
pub(crate) const LARGE: usize = 300;
/// So many agents of it are written at a time.
const STRETCH: usize = 1_024;
/// For fewer it is not worth to start another thread.
const PART: usize = 256;

/// Adopted seats that ended, or were put away with nothing to come back to, leave the roster after an hour; they are
/// still there for who asks. A crash stays until somebody has looked at it, and so does whoever still asks something.
pub(crate) fn is_visible(seat: &Seat, now: UnixMs) -> bool {
    let is_gone = match seat.headline() {
        Headline::Ended => true,
        Headline::Suspended => seat.session.is_none(),
        _ => false,
    };
    let long_ago = now.since(seat.headline_since) > SHOWN_AFTER_END_MS;
    !(seat.about.adopted && is_gone && long_ago && seat.prompts.is_empty())
}

/// Attention order: who wants a person most, longest first.
pub(crate) fn sort(seats: &mut [Arc<Seat>]) {
    seats.sort_by_cached_key(|seat| {
        (seat.headline().attention(), seat.headline_since, seat.id.clone())
    });
}

/// Its place in attention order, with the seat itself.
type Placed = (u8, UnixMs, Arc<Seat>);

fn by_attention(one: &Placed, other: &Placed) -> Ordering {
    let key = |(attention, since, _): &Placed| (*attention, *since);
    key(one).cmp(&key(other)).then_with(|| one.2.id.cmp(&other.2.id))
}

/// Those that are wanted, in attention order. Seats lie all over the memory: each is looked at once.
fn order(seats: &[Arc<Seat>], wanted: impl Fn(&Seat) -> bool + Sync) -> Vec<Arc<Seat>> {
    let place =
        |seat: &Arc<Seat>| (seat.headline().attention(), seat.headline_since, Arc::clone(seat));
    let mut placed = on_all_cores(seats, LARGE, |share| {
        let mut placed: Vec<Placed> = share.iter().filter(|seat| wanted(seat)).map(place).collect();
        placed.sort_unstable_by(by_attention);
        placed
    });
    let mut all = placed.pop().unwrap_or_default();
    if !placed.is_empty() {
        all.extend(placed.into_iter().flatten());
        // Stretches that are in order are merged.
        all.sort_by(by_attention);
    }
    all.into_iter().map(|(_, _, seat)| seat).collect()
}

/// The same for each share of a long list, side by side: somebody waits for it.
fn on_all_cores<T: Sync, R: Send>(
    all: &[T],
    least: usize,
    work: impl Fn(&[T]) -> R + Sync,
) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let share = all.len().div_ceil(cores).max(least);
    let work = &work;
    std::thread::scope(|scope| {
        let mut shares = all.chunks(share);
        let first = shares.next();
        let others: Vec<_> = shares.map(|share| scope.spawn(move || work(share))).collect();
        let mut done: Vec<R> = first.map(work).into_iter().collect();
        for other in others {
            match other.join() {
                Ok(one) => done.push(one),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    })
}

/// What is told of each agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// All of it: the wire's `RosterDoc`, or with a `type` the first message of an event stream.
    Agents(Option<&'static str>),
    /// What a list shows: the wire's `RosterRowsDoc`, a line for each.
    Rows,
}

/// In which system's words each agent's status is told beside ours, and as of when.
pub(super) type Words = Option<(Vocabulary, UnixMs)>;

/// What stands before the agents.
#[derive(Serialize)]
struct Head {
    schema: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<&'static str>,
    cursor: String,
}

/// The JSON of those seats that are wanted, in attention order, in pieces: one alone would be a copy of
/// all of them. `None` if the hub's end cut it short.
pub(super) async fn json(
    seats: Vec<Arc<Seat>>,
    head: u64,
    view: View,
    wanted: impl Fn(&Seat) -> bool + Send + Sync + 'static,
) -> Option<Vec<Bytes>> {
    let few = seats.len() < LARGE;
    let places = Places::default();
    let work = move || Roster::new(order(&seats, wanted), head, view, None, places).all();
    if few { Some(work()) } else { tokio::task::spawn_blocking(work).await.ok() }
}

/// The same as an answer. Of a large roster one stretch is read while the next one is written.
pub(super) fn body(
    seats: Vec<Arc<Seat>>,
    head: u64,
    view: View,
    words: Words,
    places: Places,
    wanted: impl Fn(&Seat) -> bool + Send + Sync + 'static,
) -> Body {
    let few = seats.len() < LARGE;
    let begin = move || Roster::new(order(&seats, wanted), head, view, words, places);
    if few {
        return Body::new(Pieces::from(begin().all()));
    }
    let first = tokio::task::spawn_blocking(move || begin().stretch());
    let stretches = stream::unfold(Some(first), async |under_way| {
        Some(match under_way?.await {
            Ok((pieces, rest)) => {
                let rest = rest.map(|rest| tokio::task::spawn_blocking(move || rest.stretch()));
                (Ok(stream::iter(pieces).map(Ok::<_, io::Error>)), rest)
            }
            // The hub's end cut it short: what was sent must not pass for all of it.
            Err(error) => (Err(io::Error::other(error)), None),
        })
    });
    Body::from_stream(stretches.try_flatten())
}

/// A roster that is being written.
struct Roster {
    seats: Vec<Arc<Seat>>,
    /// So many of them are.
    written: usize,
    /// The cursor.
    head: u64,
    view: View,
    words: Words,
    places: Places,
}

impl Roster {
    fn new(seats: Vec<Arc<Seat>>, head: u64, view: View, words: Words, places: Places) -> Self {
        Self { seats, written: 0, head, view, words, places }
    }

    /// All that is left.
    fn all(self) -> Vec<Bytes> {
        let (mut pieces, mut rest) = self.stretch();
        while let Some(left) = rest {
            let (more, left) = left.stretch();
            pieces.extend(more);
            rest = left;
        }
        pieces
    }

    /// The next stretch, and what is left then.
    fn stretch(mut self) -> (Vec<Bytes>, Option<Self>) {
        let mut pieces = Vec::new();
        if self.written == 0 {
            pieces.push(self.beginning().into());
        }
        let end = self.seats.len().min(self.written + STRETCH);
        let (view, words, places) = (self.view, self.words, &self.places);
        let parts = on_all_cores(&self.seats[self.written..end], PART, |share| {
            elements(share, view, words, places)
        });
        for part in parts {
            pieces.extend((self.written > 0).then_some(Bytes::from_static(view.comma())));
            pieces.push(part.into());
            self.written = end;
        }
        if end < self.seats.len() {
            return (pieces, Some(self));
        }
        pieces.push(Bytes::from_static(view.end()));
        (pieces, None)
    }

    /// What stands before the first element.
    fn beginning(&self) -> Vec<u8> {
        let kind = if let View::Agents(kind) = self.view { kind } else { None };
        let head = Head { schema: SCHEMA, r#type: kind, cursor: self.head.to_string() };
        // Nothing of this can fail to be written.
        let mut json = serde_json::to_vec(&head).unwrap_or_default();
        json.pop();
        json.extend_from_slice(self.view.list());
        json
    }
}

impl View {
    /// How the list begins.
    fn list(self) -> &'static [u8] {
        match self {
            Self::Agents(_) => b",\"agents\":[",
            Self::Rows => b",\"rows\":[\n",
        }
    }

    /// What stands between two elements. Rows have a line each, so that they can be read as they come.
    fn comma(self) -> &'static [u8] {
        match self {
            Self::Agents(_) => b",",
            Self::Rows => b",\n",
        }
    }

    fn end(self) -> &'static [u8] {
        match self {
            Self::Agents(_) => b"]}",
            Self::Rows => b"\n]}",
        }
    }
}

/// The elements of a stretch of the list. One document at a time: ten thousand of them at once would
/// be most of the hub's memory.
fn elements(seats: &[Arc<Seat>], view: View, words: Words, places: &Places) -> Vec<u8> {
    let each = if view == View::Rows { 256 } else { 1_280 };
    let mut json = Vec::with_capacity(seats.len() * each);
    for (index, seat) in seats.iter().enumerate() {
        if index > 0 {
            json.extend_from_slice(view.comma());
        }
        let mut doc = seat.view();
        places.fill(&mut doc);
        doc.vocabulary =
            words.map(|(vocabulary, now)| Box::new(vocabulary.say(&State::of(seat, now))));
        // Nothing of this can fail to be written.
        match view {
            View::Agents(_) => serde_json::to_writer(&mut json, &doc).ok(),
            View::Rows => serde_json::to_writer(&mut json, &row(&doc)).ok(),
        };
    }
    json
}

#[cfg(test)]
mod tests {
    use super::*;
    use headsup_core::id::AgentId;
    use headsup_core::source::Source;
    use headsup_core::wire::{RosterDoc, RosterRowsDoc, RowDoc};

    async fn written(seats: Vec<Arc<Seat>>, view: View) -> Vec<u8> {
        let wanted = |seat: &Seat| seat.name != "unwanted";
        let whole = json(seats.clone(), 7, view, wanted).await.unwrap().concat();
        let body = body(seats, 7, view, None, Places::default(), wanted);
        assert_eq!(axum::body::to_bytes(body, usize::MAX).await.unwrap(), whole);
        whole
    }

    fn seat(id: &str) -> Arc<Seat> {
        let id = AgentId::new(id).unwrap();
        Arc::new(Seat::new(id, "custom", Source::Report, UnixMs(0)))
    }

    #[tokio::test]
    async fn a_roster_reads_as_the_wires_document() {
        let seats = vec![seat("b"), seat("unwanted"), seat("a")];
        let json = written(seats, View::Agents(None)).await;
        let read: RosterDoc = serde_json::from_slice(&json).unwrap();
        let agents = vec![seat("a").doc(), seat("b").doc()];
        assert_eq!(read, RosterDoc { schema: SCHEMA, cursor: "7".into(), agents });
        assert_eq!(json, serde_json::to_vec(&read).unwrap());
    }

    #[tokio::test]
    async fn a_long_roster_written_in_parts_is_one_document() {
        for count in [0, 1, LARGE, STRETCH, STRETCH * 2 + 1] {
            let seats: Vec<_> = (0..count).map(|n| seat(&format!("agent-{n:04}"))).collect();
            let docs: Vec<_> = seats.iter().map(|seat| seat.doc()).collect();
            let mut shuffled = seats.clone();
            shuffled.reverse();
            shuffled.push(seat("unwanted"));
            let json = written(shuffled.clone(), View::Agents(Some("snapshot"))).await;
            let read: RosterDoc = serde_json::from_slice(&json).unwrap();
            assert_eq!(read.agents, docs);
            assert!(json.starts_with(br#"{"schema":1,"type":"snapshot","cursor":"7","agents":["#));
            let json = written(shuffled, View::Rows).await;
            let rows: RosterRowsDoc<'_> = serde_json::from_slice(&json).unwrap();
            assert_eq!(rows.rows, docs.iter().map(row).collect::<Vec<_>>());
            let lines: Vec<_> = json.split(|byte| *byte == b'\n').collect();
            let [_, rows @ .., b"]}"] = lines.as_slice() else { panic!("a line for each row") };
            for (line, doc) in rows.iter().zip(&docs) {
                let line = line.strip_suffix(b",").unwrap_or(line);
                assert_eq!(serde_json::from_slice::<RowDoc<'_>>(line).unwrap(), row(doc));
            }
        }
    }
}
