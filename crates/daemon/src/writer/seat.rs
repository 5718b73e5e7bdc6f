//! A launcher takes a seat; a person describes one.

use super::batch::done;
use super::kind::is_same;
use super::staging::Staging;
use crate::job::{Answer, Launched, Refusal, Registration};
use crate::process;
use crate::sources::OBSERVABLE;
use headsup_core::event::EventBody;
use headsup_core::gate::{self, Decision, Description};
use headsup_core::id::AgentId;
use headsup_core::observation::{Delivery, Fact, Observation, ProcessFact};
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::status::{Attach, Process, StartPhase};
use headsup_core::time::UnixMs;

/// A seat for an agent that is about to start. One that has ended, or never came to be, is taken
/// again; any other one is somebody else's. One that was put away is its conversation's.
pub(super) fn register(staging: &mut Staging<'_>, registration: &Registration) -> Answer {
    let Registration { agent, kind, about, takes_up } = registration;
    let now = staging.now;
    let (source, name, fact) = match about.adopted {
        Some(true) => {
            let attach = Attach::Interactive;
            (Source::Report, "report", ProcessFact::Running { attach, restored: false })
        }
        _ => (Source::Process, "launch", ProcessFact::Starting(StartPhase::Booting)),
    };
    match staging.seat(agent) {
        Some(seat) if !gate::is_free(&seat, now) => return Err(Refusal::Taken),
        Some(seat) if !takes_up && is_kept(&seat, now) => return Err(Refusal::PutAway),
        Some(seat) if is_same(&seat, kind) => {
            staging.release_launch(&seat);
            staging.change(agent, None, |seat| {
                // How the one before was started says nothing of this one, nor that it might be
                // looked at.
                seat.launch = None;
                let named = gate::name_kind(seat, kind, false, now);
                let is_hidden = !about.labels.contains_key(OBSERVABLE)
                    && seat.about.labels.remove(OBSERVABLE).is_some();
                let started = gate::start_over(seat, now);
                let described = gate::describe(seat, about, now);
                let changed = is_hidden || named.changed || started.changed || described.changed;
                let events = named.events.into_iter().chain(described.events).collect();
                Decision { changed, events, ..described }
            })?;
        }
        // One that runs already has no other id.
        None if about.adopted != Some(true) && staging.is_name(agent.as_str()) => {
            return Err(Refusal::NameTaken);
        }
        before => {
            let mut seat = staging.newcomer(agent, kind, source)?;
            if let Some(before) = &before {
                staging.release_launch(before);
                seat = gate::succeed(before, seat, now);
            }
            // The event itself tells all of this.
            drop(gate::describe(&mut seat, about, now));
            let doc = Box::new(seat.doc());
            staging.put(seat);
            let told = match before {
                Some(_) => EventBody::Updated { agent: doc },
                None => EventBody::Registered { agent: doc },
            };
            staging.push(agent, None, told)?;
        }
    }
    let observation = Observation {
        at: now,
        delivery: Delivery::Live,
        source,
        session: None,
        process: None,
        made_at: None,
        name: name.to_owned(),
        fact: Fact::Process(fact),
    };
    staging.change(agent, None, |seat| gate::admit(seat, &observation))?;
    Ok(done(staging, agent))
}

/// Whether the seat has a conversation that was put away and can be taken up again. One whose way back has ended is
/// told as any other end is.
fn is_kept(seat: &Seat, now: UnixMs) -> bool {
    !matches!(seat.process.state, Process::Exited(_)) && gate::may_resume(seat, now).is_ok()
}

/// The launcher's word on a process is as good as a look at it: it is its parent. What it has left in the
/// spool is of the launch that it was said in, and of no later one in the same seat.
pub(super) fn launched(staging: &mut Staging<'_>, launched: &Launched) -> Answer {
    let Launched { agent, process, container, fact, headless, spooled } = launched;
    let token = spooled.as_ref().and_then(|spooled| spooled.token.as_deref());
    let seat = staging.seat(agent);
    let of_seat = seat.as_ref().and_then(|seat| seat.about.token.as_deref());
    if token.zip(of_seat).is_some_and(|(said, taken)| said != taken) {
        return Ok(done(staging, agent));
    }
    let reported_at = spooled.as_ref().map(|spooled| spooled.reported_at);
    let (container, headless) = (container.clone(), *headless);
    let about = Description { container, headless, ..Description::default() };
    let name = if matches!(fact, ProcessFact::Exited(_)) { "exit" } else { "launch" };
    let ended = seat.as_deref().filter(|_| matches!(fact, ProcessFact::Exited(_)));
    let whose = |seat| gate::whose_end(seat, process, staging.now, process::is_alive);
    let process = ended.map_or_else(|| process.clone(), whose);
    let observation = Observation {
        at: staging.now,
        delivery: reported_at
            .map_or(Delivery::Live, |reported_at| Delivery::Spooled { reported_at }),
        source: Source::Process,
        session: None,
        process: Some(process),
        made_at: None,
        name: name.to_owned(),
        fact: Fact::Process(*fact),
    };
    let found = staging.change(agent, reported_at, |seat| {
        let mut decision = gate::describe(seat, &about, observation.at);
        let admitted = gate::admit(seat, &observation);
        decision.changed |= admitted.changed;
        decision.events.extend(admitted.events);
        Decision { refused: admitted.refused, ..decision }
    })?;
    match found {
        true => Ok(done(staging, agent)),
        false => Err(Refusal::NoSuchAgent),
    }
}

pub(super) fn describe(staging: &mut Staging<'_>, agent: &AgentId, about: &Description) -> Answer {
    let now = staging.now;
    match staging.change(agent, None, |seat| gate::describe(seat, about, now))? {
        true => Ok(done(staging, agent)),
        false => Err(Refusal::NoSuchAgent),
    }
}
