//! The store, for `bin/inside.rs`: nothing of the hub uses this.

use crate::frame::Frame;
use crate::job::Key;
use crate::store::{Changes, Store, StoreError, StoredId};
use headsup_core::event::{Event, EventBody};
use headsup_core::id::AgentId;
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::time::UnixMs;
use headsup_core::timeline::Entry;
use headsup_core::wire::SCHEMA;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// A store that is written to as the writer does.
#[derive(Debug)]
pub struct Log {
    store: Store,
    seats: Vec<Seat>,
    head: u64,
    checkpoint: u32,
    checkpointed: u32,
}

/// What one report writes.
#[derive(Debug)]
pub struct Row {
    pub kind: &'static str,
    pub event: String,
    pub seat: String,
}

impl Row {
    /// What [`Log`] writes, as text.
    pub fn sample() -> Self {
        let (event, seat) = (event(1, &seat(0)), seat(0));
        let kind = event.body.kind();
        let event = serde_json::to_string(&event).unwrap_or_default();
        Self { kind, event, seat: serde_json::to_string(&seat).unwrap_or_default() }
    }

    pub fn agent(reporter: usize) -> String {
        format!("agent-folder-{reporter}")
    }

    /// In order of time, as a hook's are.
    pub fn id(seq: u64) -> String {
        format!("{seq:040x}")
    }
}

impl Log {
    /// A new one in `folder` with so many seats; checkpointed each time it has grown by so many
    /// pages.
    pub fn open(folder: &Path, seats: usize, checkpoint: u32) -> io::Result<Self> {
        let opened = Store::open(&folder.join("headsup.db"), UnixMs(0)).map_err(failed)?;
        let seats = (0..seats).map(seat).collect();
        Ok(Self { store: opened.store, seats, head: 0, checkpoint, checkpointed: 0 })
    }

    /// One event of each of these seats, with the seat and the report's id, in one commit.
    pub fn commit(&mut self, reporters: &[usize]) -> io::Result<()> {
        let mut frames = Vec::with_capacity(reporters.len());
        let mut keys = Vec::with_capacity(reporters.len());
        for reporter in reporters {
            self.head += 1;
            let seat = &mut self.seats[*reporter];
            seat.counters.tools += 1;
            let frame = Frame::new(self.head, &event(self.head, seat));
            frames.push(Arc::new(frame.map_err(io::Error::other)?));
            keys.push((Key { id: Row::id(self.head), digest: self.head }, self.head));
        }
        let touched = reporters.iter().map(|reporter| &self.seats[*reporter]);
        let changes = Changes {
            frames: &frames,
            seats: touched.map(|seat| (&seat.id, Some(seat))).collect(),
            ids: keys.iter().map(|(key, seq)| StoredId { key, seq: *seq }).collect(),
        };
        self.store.commit(&changes).map_err(failed)?;
        let pages = self.store.log_pages();
        if pages < self.checkpointed || pages - self.checkpointed >= self.checkpoint {
            self.store.checkpoint().map_err(failed)?;
            self.checkpointed = pages;
        }
        Ok(())
    }
}

fn failed(error: StoreError) -> io::Error {
    io::Error::other(error)
}

/// As a seat is after some turns.
fn seat(reporter: usize) -> Seat {
    let id = AgentId::slug(&Row::agent(reporter));
    let mut seat = Seat::new(id, "agent", Source::Hook, UnixMs(1_795_296_597_200));
    seat.about.cwd = Some(format!("/home/dev/folder-{reporter}"));
    seat.about.log_path = Some(format!("/logs/{reporter}.jsonl"));
    seat
}

fn event(seq: u64, seat: &Seat) -> Event {
    let entry = Entry {
        ts: UnixMs(1_795_296_597_200),
        tool: Some("Bash".into()),
        action: Some(format!("ls {}", "x".repeat(200))),
        state: "working".into(),
    };
    Event {
        schema: SCHEMA,
        cursor: seq.to_string(),
        at: UnixMs(1_795_296_597_200),
        agent_id: seat.id.clone(),
        spooled: false,
        reported_at: None,
        body: EventBody::ActivityAppended { entry },
    }
}
