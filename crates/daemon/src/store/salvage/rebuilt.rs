//! Seats whose rows are lost, as far as their events know them. What such an agent does now nobody knows, until a
//! witness says it.

use crate::store::StoreError;
use headsup_core::event::{Event, EventBody};
use headsup_core::id::AgentId;
use headsup_core::seat::{About, Links, Seat, Session};
use headsup_core::source::Source;
use headsup_core::status::{Exit, Process, Turn};
use headsup_core::time::UnixMs;
use headsup_core::wire::{AgentDoc, ProcessDoc};
use rusqlite::{Connection, params};
use std::collections::BTreeMap;

const TOLD: &str = "SELECT body FROM events WHERE agent NOT IN (SELECT id FROM seats) AND type IN
                    ('agent.registered', 'agent.updated', 'agent.status_changed', 'stage.changed',
                     'agent.forgotten') ORDER BY seq";

/// Writes them, and says how many. `head` is where the log stands.
pub(super) fn rebuild(new: &Connection, head: u64) -> Result<u64, StoreError> {
    let mut known = BTreeMap::new();
    let mut select = new.prepare(TOLD)?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let body = row.get_ref(0)?.as_str().unwrap_or_default();
        if let Ok(event) = serde_json::from_str(body) {
            tell(&mut known, event);
        }
    }
    let mut insert = new.prepare("INSERT INTO seats (id, state) VALUES (?1, ?2)")?;
    for (id, seat) in &mut known {
        // Each prompt was an event: no id is used again.
        seat.prompts_opened = head;
        insert.execute(params![id.as_str(), serde_json::to_string(seat)?])?;
    }
    Ok(known.len() as u64)
}

fn tell(known: &mut BTreeMap<AgentId, Seat>, event: Event) {
    let Event { agent_id, at, body, .. } = event;
    match body {
        EventBody::Registered { agent } | EventBody::Updated { agent } => {
            known.insert(agent_id, seat(*agent, at));
        }
        EventBody::Forgotten => {
            known.remove(&agent_id);
        }
        EventBody::StatusChanged(change) => {
            if let Some(seat) = known.get_mut(&agent_id) {
                (seat.turn.seq, seat.stage) = (change.turn.turn_seq, change.stage.map(Box::new));
                is(seat, &change.process, at);
            }
        }
        EventBody::StageChanged { stage } => {
            if let Some(seat) = known.get_mut(&agent_id) {
                seat.stage = Some(Box::new(stage));
            }
        }
        _ => {}
    }
}

fn seat(doc: AgentDoc<'static>, at: UnixMs) -> Seat {
    let mut seat = Seat::new(doc.id, doc.kind.into_owned(), Source::Quiet, at);
    seat.name = doc.name.into_owned();
    seat.incarnation = doc.incarnation;
    seat.session = doc.session_id.map(|id| Session::new(id.into_owned(), at, true));
    (seat.turn.seq, seat.stage) = (doc.turn.turn_seq, doc.stage.map(Box::new));
    (seat.snoozed_until, seat.looked_at) = (doc.snoozed_until, doc.looked_at);
    seat.verdicts = doc.verdicts.into();
    seat.last_status_at = doc.last_status_at;
    if doc.task.is_some() || !doc.prs.is_empty() {
        seat.links = Some(Box::new(Links { task: doc.task, prs: doc.prs }));
    }
    is(&mut seat, &doc.process, at);
    seat.about = About {
        role: doc.role.map(Into::into),
        labels: doc.labels.into_owned(),
        parent: doc.parent,
        host: doc.host.map(Into::into),
        cwd: doc.cwd.map(Into::into),
        repo: doc.repo.map(Into::into),
        branch: doc.branch.map(Into::into),
        worktree: doc.worktree.map(Into::into),
        location: doc.location,
        model: doc.model.map(Into::into),
        title: doc.title.map(Into::into),
        log_path: doc.log_path.map(Into::into),
        started_at: doc.started_at,
        suspended_at: doc.suspended_at,
        resumed_at: doc.resumed_at,
        ..About::default()
    };
    seat
}

/// An end is one for good; what lived then may do anything by now.
fn is(seat: &mut Seat, process: &ProcessDoc, at: UnixMs) {
    let (state, turn) = match (&*process.state, process.kind) {
        ("exited", Some(kind)) => {
            let exit = Exit { kind, code: process.code, signal: process.signal };
            (Process::Exited(exit), Turn::None)
        }
        ("absent", _) => (Process::Absent, Turn::None),
        _ => (Process::Unknown, Turn::Unknown),
    };
    (seat.process.state, seat.process.since) = (state, at);
    (seat.turn.base, seat.turn.since, seat.headline_since) = (turn, at, at);
}
