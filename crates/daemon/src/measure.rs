//! The store and the writer, for `bin/inside.rs`: nothing of the hub uses this.

use crate::board::Board;
use crate::frame::Frame;
use crate::job::{Answer, Key, OwnReport, Refusal, Reply, Work};
use crate::namespaces::Peer;
use crate::store::{Changes, Store, StoreError, StoredId};
use crate::{BackgroundShells, Config, Hub, PaneReports, Retention, ScreenRules, caller, process};
use futures_util::future::join_all;
use headsup_core::event::{Event, EventBody};
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::time::UnixMs;
use headsup_core::timeline::Entry;
use headsup_core::wire::{ReportBody, SCHEMA};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// A store that is written to as the writer does.
#[derive(Debug)]
pub struct Log {
    store: Store,
    /// Each with its next event, as the gate has it: what is measured begins behind the gate.
    seats: Vec<(Seat, Event)>,
    head: u64,
    checkpoint: u32,
    checkpointed: u32,
}

/// What one report writes.
#[derive(Debug)]
pub struct Row {
    pub kind: &'static str,
    pub event: String,
    /// By turns: what is as it was before, `SQLite` does not write.
    pub seats: [String; 2],
}

impl Row {
    /// What [`Log`] writes, as text.
    pub fn sample() -> Self {
        let event = event(1, &seat(0));
        let kind = event.body.kind();
        let event = serde_json::to_string(&event).unwrap_or_default();
        let seats = [1_000, 1_001].map(|tools| {
            let mut seat = seat(0);
            seat.counters.tools = tools;
            serde_json::to_string(&seat).unwrap_or_default()
        });
        Self { kind, event, seats }
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
        let seats = (0..seats).map(seat).map(|seat| {
            let event = event(0, &seat);
            (seat, event)
        });
        let seats = seats.collect();
        Ok(Self { store: opened.store, seats, head: 0, checkpoint, checkpointed: 0 })
    }

    /// One event of each of these seats, with the seat and the report's id, in one commit.
    pub fn commit(&mut self, reporters: &[usize]) -> io::Result<()> {
        let mut frames = Vec::with_capacity(reporters.len());
        let mut keys = Vec::with_capacity(reporters.len());
        for reporter in reporters {
            self.head += 1;
            let (seat, event) = &mut self.seats[*reporter];
            seat.counters.tools += 1;
            event.cursor = self.head.to_string();
            let frame = Frame::new(self.head, event);
            frames.push(Arc::new(frame.map_err(io::Error::other)?));
            keys.push((Key { id: Row::id(self.head), digest: self.head }, self.head));
        }
        let touched = reporters.iter().map(|reporter| &self.seats[*reporter].0);
        let changes = Changes {
            frames: &frames,
            seats: touched.map(|seat| (&seat.id, Some(seat))).collect(),
            ids: keys.iter().map(|(key, seq)| StoredId { key, seq: *seq }).collect(),
            ..Changes::default()
        };
        self.store.commit(&changes).map_err(failed)?;
        let pages = self.store.log().pages();
        if pages < self.checkpointed || pages - self.checkpointed >= self.checkpoint {
            self.store.checkpoint().map_err(failed)?;
            self.checkpointed = pages;
        }
        Ok(())
    }
}

/// A board on which it is looked up who asks.
#[derive(Debug)]
pub struct Callers(Board);

impl Callers {
    /// So many agents, each with a process; in the last one's seat sits this very process.
    pub fn new(agents: usize) -> Self {
        let own = process::identity(std::process::id());
        let mut seats: Vec<_> = (0..agents).map(seat).collect();
        for (seat, pid) in seats.iter_mut().zip(1 << 22..) {
            seat.process.id = Some(ProcessId::new(pid, 1));
        }
        if let (Some(last), Some((pid, start_ticks))) = (seats.last_mut(), own) {
            last.process.id = Some(ProcessId::new(pid, start_ticks));
        }
        Self(Board::new(seats.into_iter().map(Arc::new).collect(), 0, 1))
    }

    /// Who this process is: what the hub asks for each report and each act.
    pub fn ask(&self) -> Option<String> {
        caller::above(&self.0, Peer::Process(std::process::id()), None).map(String::from)
    }
}

/// Seats that [`fill`] reports of.
const FILLERS: u64 = 8;
/// Reports on their way at once: about what one commit takes.
const AT_ONCE: u64 = 512;

/// Has the log of the hub at `home` grow until it holds `events`: a hub of its own takes reports
/// of agents that begin and end turns, through its gate and its writer, but for the HTTP around
/// them. `told` hears how many events there are.
///
/// # Errors
/// If the hub does not start, or does not take a report.
pub async fn fill(home: &Path, events: u64, mut told: impl FnMut(u64)) -> io::Result<u64> {
    let config = Config {
        home: home.to_owned(),
        folders: Vec::new(),
        retention: Retention { events: u64::MAX, ..Retention::default() },
        background_shells: BackgroundShells::default(),
        screen_rules: ScreenRules::Never,
        pane_reports: PaneReports::Never,
        listen: None,
        must_listen: false,
        tracker: crate::TrackerSettings::default(),
        forge: crate::ForgeSettings::default(),
        webhooks: crate::WebhookSettings::default(),
        providers: crate::ProviderSettings::default(),
        launcher: None,
        beside: crate::Beside::default(),
        engines: Vec::new(),
    };
    let hub = Hub::start(config).await.map_err(io::Error::other)?;
    let (mut head, mut number) = (hub.head(), 0);
    while head < events {
        // A report makes three events: the last ones come singly, so that there are not many more.
        let next = ((events - head) / 3).clamp(1, AT_ONCE);
        let answers = (number..number + next).map(|number| submit(&hub, number));
        for answer in join_all(answers).await {
            if let Reply::Done { cursor, .. } = answer.map_err(io::Error::other)? {
                head = head.max(cursor);
            }
        }
        number += next;
        told(head);
    }
    hub.stop().await;
    Ok(head)
}

/// By turns a filler begins to work and has done it.
async fn submit(hub: &Hub, number: u64) -> Answer {
    let ends = (number / FILLERS) % 2 == 1;
    let body = ReportBody {
        turn: Some(if ends { "idle" } else { "working" }.to_owned()),
        outcome: ends.then(|| "completed".to_owned()),
        ..ReportBody::default()
    };
    let reported = body.parse().map_err(|_| Refusal::Defect)?;
    let agent = AgentId::slug(&format!("filler-{}", number % FILLERS));
    let report = OwnReport { agent, of_launch: false, reported, spooled: None };
    hub.inbox().submit(Work::Report(report), None).await
}

fn failed(error: StoreError) -> io::Error {
    io::Error::other(error)
}

/// As a seat is after some turns.
fn seat(reporter: usize) -> Seat {
    let id = AgentId::slug(&Row::agent(reporter));
    let mut seat = Seat::new(id, "agent", Source::Hook, UnixMs(1_795_296_597_200));
    seat.about.cwd = Some(format!("/home/dev/folder-{reporter}").into());
    seat.about.log_path = Some(format!("/logs/{reporter}.jsonl").into());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_asks_is_found_among_all() {
        assert_eq!(Callers::new(300).ask(), Some(Row::agent(299)));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_log_is_filled_as_reports_fill_it_and_goes_on_from_there() {
        let home = tempfile::tempdir().unwrap();
        let mut told = Vec::new();
        let filled = fill(home.path(), 3_000, |head| told.push(head)).await.unwrap();
        assert!((3_000..3_010).contains(&filled), "{filled}");
        assert!(told.is_sorted() && told.last() == Some(&filled), "{told:?}");
        let opened = Store::open(&home.path().join("headsup.db"), UnixMs(0)).unwrap();
        assert_eq!((opened.loaded.head, opened.loaded.seats.len()), (filled, 8));
        drop(opened);
        assert_eq!(fill(home.path(), 100, |_| ()).await.unwrap(), filled, "it holds more already");
        assert!(fill(home.path(), filled + 50, |_| ()).await.unwrap() >= filled + 50);
    }
}
