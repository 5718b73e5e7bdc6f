//! What the hub saw for itself: whose it is, and what it says.

use super::batch::done;
use super::kind;
use super::leftover;
use super::staging::Staging;
use crate::job::{Answer, Left, Refusal, Reply, Sight, StatusFile, Witnessed};
use crate::process;
use headsup_core::event::EventBody;
use headsup_core::gate::{self, Decision, Description};
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::{Delivery, Fact, Level, Observation, ProcessFact};
use headsup_core::roster::{Caller, Place};
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::status::Attach;
use headsup_core::time::UnixMs;
use std::path::Path;

pub(super) fn admit(staging: &mut Staging<'_>, witnessed: &Witnessed) -> Answer {
    match witnessed {
        Witnessed::Seat(sight) => seat(staging, sight, None),
        Witnessed::Left(left) => left_behind(staging, left),
        Witnessed::Status(file) => status(staging, file),
        Witnessed::Found(found) => super::found::admit(staging, found),
    }
}

/// Once its seat is over, or taken for another launch, nothing that one has said before says anything of it.
fn left_behind(staging: &mut Staging<'_>, left: &Left) -> Answer {
    let Left { sight, spooled } = left;
    let taken = staging.seat(&sight.agent).filter(|seat| !seat.process.state.is_over());
    if taken.is_none() || spooled.is_of_another(taken.as_deref()) {
        return Ok(Reply::Done { agent: None, cursor: staging.head });
    }
    seat(staging, sight, Some(spooled.reported_at))
}

fn seat(staging: &mut Staging<'_>, sight: &Sight, reported_at: Option<UnixMs>) -> Answer {
    let Sight { agent, source, name, session, process, made_at, delivery, fact } = sight;
    let delivery = reported_at.map_or(*delivery, |reported_at| Delivery::Spooled { reported_at });
    let reported_at = match delivery {
        Delivery::Spooled { reported_at } => Some(reported_at),
        Delivery::Live | Delivery::Standing | Delivery::Replayed => None,
    };
    let observation = Observation {
        at: staging.now,
        delivery,
        source: *source,
        session: None,
        process: process.clone(),
        made_at: *made_at,
        name: name.clone(),
        fact: fact.clone(),
    };
    staging.change(agent, reported_at, |seat| {
        let current = seat.session.as_ref().map(|session| &session.id);
        if session.is_some() && current != session.as_ref() {
            // A log of another conversation says nothing of this one.
            return Decision::default();
        }
        gate::admit(seat, &observation)
    })?;
    Ok(done(staging, agent))
}

fn status(staging: &mut Staging<'_>, file: &StatusFile) -> Answer {
    let record = &file.record;
    let nobody = Ok(Reply::Done { agent: None, cursor: staging.head });
    let fact = match (&record.level, record.strange) {
        (Some(level), _) => Fact::Level(level.clone()),
        (None, Some(member)) => Fact::NotUnderstood { why: format!("unknown {member}") },
        (None, None) => return nobody,
    };
    let level = observe(staging, file, fact);
    match place(staging, file) {
        Place::Seat(id) => {
            let now = staging.now;
            let parent = asked_by(staging, file).filter(|parent| **parent != id).cloned();
            kind::learn(staging, &id, file.kind, record.session.as_deref(), None)?;
            staging.change(&id, None, |seat| {
                let mut decision = gate::admit(seat, &level);
                let named = complete(seat, file, parent, now);
                decision.changed |= named.changed;
                decision.events.extend(named.events);
                decision
            })?;
            Ok(done(staging, &id))
        }
        // Nothing that is understood is no reason for a seat.
        Place::New { .. } if record.level.is_none() => nobody,
        Place::New { id, parent } => {
            register(staging, file, &id, parent, &level)?;
            Ok(done(staging, &id))
        }
    }
}

/// What no hook has told: where the program keeps the log of its session, and whose background job it is.
fn complete(seat: &mut Seat, file: &StatusFile, parent: Option<AgentId>, now: UnixMs) -> Decision {
    let log_path = file.log_path.clone().filter(|_| !knows_log(seat, file));
    let parent = parent.filter(|_| seat.about.parent.is_none());
    if log_path.is_none() && parent.is_none() {
        return Decision::default();
    }
    gate::describe(seat, &Description { log_path, parent, ..Description::default() }, now)
}

/// Also where the seat is in another session than the file tells of.
fn knows_log(seat: &Seat, file: &StatusFile) -> bool {
    let session = seat.session.as_ref().map(|session| &session.id);
    let is_known = seat.about.log_path.as_deref().map(Path::new).is_some_and(|path| {
        path.file_stem().and_then(|stem| stem.to_str()) == session.map(String::as_str)
    });
    is_known || session.is_none() || session != file.record.session.as_ref()
}

/// The seat whose conversation a background job goes on with.
fn asked_by<'a>(staging: &'a Staging<'_>, file: &StatusFile) -> Option<&'a AgentId> {
    file.asked_by.as_ref().and_then(|process| staging.roster.seat_of(process))
}

/// A process that nobody has told of. What it does when the hub starts is no change: it is found
/// like that.
fn register(
    staging: &mut Staging<'_>,
    file: &StatusFile,
    id: &AgentId,
    parent: Option<AgentId>,
    level: &Observation,
) -> Result<(), Refusal> {
    let StatusFile { kind, record, container, claimed, first, .. } = file;
    let mut seat = staging.newcomer(id, kind, Source::Registry)?;
    let adopted = Some(claimed.is_none() || parent.is_some());
    let (cwd, tmux) = (record.cwd.clone(), record.tmux_pane.clone());
    let log_path = file.log_path.clone();
    let container = container.clone();
    let about =
        Description { parent, adopted, cwd, tmux, log_path, container, ..Description::default() };
    drop(gate::describe(&mut seat, &about, staging.now));
    let attach = record.attach.unwrap_or(Attach::Interactive);
    let runs = ProcessFact::Running { attach, restored: *first };
    let runs = observe(staging, file, Fact::Process(runs));
    drop(gate::admit(&mut seat, &runs));
    if *first {
        drop(gate::admit(&mut seat, level));
        seat.last_status_at = None;
    }
    // The registration itself tells all of this.
    let agent = Box::new(seat.doc());
    staging.put(seat);
    staging.push(id, None, EventBody::Registered { agent })?;
    if !first {
        staging.change(id, None, |seat| gate::admit(seat, level))?;
    }
    Ok(())
}

fn place(staging: &Staging<'_>, file: &StatusFile) -> Place {
    let StatusFile { kind, record, claimed, ancestors, .. } = file;
    let (session, process) = (record.session.as_deref(), Some(&record.process));
    let is_left = leftover::is_one(staging, claimed.as_ref(), session, process);
    let caller = Caller {
        kind,
        claimed: claimed.as_ref(),
        session,
        process,
        shares_process: false,
        ancestors,
        namespace: None,
        asked_by: asked_by(staging, file),
        cwd: record.cwd.as_deref(),
        starts_session: false,
        starts_up: false,
        is_left,
    };
    staging.roster.place(&caller, |process: &ProcessId| process::is_alive(process))
}

fn observe(staging: &Staging<'_>, file: &StatusFile, fact: Fact) -> Observation {
    let name = match &fact {
        Fact::Level(Level::Blocked { detail: Some(detail), .. }) => detail.clone(),
        Fact::Level(level) => level.word().to_owned(),
        Fact::NotUnderstood { .. } => "status file".to_owned(),
        _ => "running".to_owned(),
    };
    Observation {
        at: staging.now,
        delivery: Delivery::Live,
        source: Source::Registry,
        session: file.record.session.clone(),
        process: Some(file.record.process.clone()),
        made_at: file.record.statement.and_then(|at| i64::try_from(at).ok()).map(UnixMs),
        name,
        fact,
    }
}
