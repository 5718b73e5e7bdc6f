//! Agents that were found at work, or at rest, and that nobody has told of: what they do nobody knows yet.

use super::batch::done;
use super::staging::Staging;
use crate::job::{Answer, Found, Reply};
use crate::process;
use headsup_core::event::EventBody;
use headsup_core::gate::{self, Description};
use headsup_core::observation::{Delivery, Fact, Observation, ProcessFact};
use headsup_core::roster::{Caller, Place};
use headsup_core::source::Source;
use headsup_core::status::Attach;

pub(super) fn admit(staging: &mut Staging<'_>, found: &Found) -> Answer {
    let Found { kind, process, cwd, claimed, ancestors, pane } = found;
    let caller = Caller {
        kind,
        claimed: claimed.as_ref(),
        session: None,
        process: Some(process),
        shares_process: false,
        ancestors,
        namespace: None,
        asked_by: None,
        cwd: cwd.as_deref(),
        starts_session: false,
        starts_up: false,
        is_left: false,
    };
    // Whoever has a seat, or will have one in a moment, is told of by others.
    let Place::New { id, parent } = staging.roster.place(&caller, process::is_alive) else {
        return Ok(Reply::Done { agent: None, cursor: staging.head });
    };
    let mut seat = staging.newcomer(&id, kind, Source::Process)?;
    let adopted = Some(claimed.is_none() || parent.is_some());
    let (cwd, tmux) = (cwd.clone(), Some(pane.clone()));
    let about = Description { parent, adopted, cwd, tmux, ..Description::default() };
    drop(gate::describe(&mut seat, &about, staging.now));
    let runs = ProcessFact::Running { attach: Attach::Interactive, restored: false };
    let runs = Observation {
        at: staging.now,
        delivery: Delivery::Live,
        source: Source::Process,
        session: None,
        process: Some(process.clone()),
        made_at: None,
        name: "found".to_owned(),
        fact: Fact::Process(runs),
    };
    drop(gate::admit(&mut seat, &runs));
    // The registration itself tells all of this.
    let agent = Box::new(seat.doc());
    staging.put(seat);
    staging.push(&id, None, EventBody::Registered { agent })?;
    Ok(done(staging, &id))
}
