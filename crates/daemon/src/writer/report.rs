//! An agent's or a person's own word, in our vocabulary.

use super::batch::done;
use super::staging::Staging;
use crate::job::{Answer, OwnReport, Refusal};
use headsup_core::event::EventBody;
use headsup_core::gate;
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::{Delivery, Fact, Observation};
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::time::UnixMs;

/// The kind of an agent that nobody told us more of.
pub(super) const CUSTOM: &str = "custom";

pub(super) fn admit(staging: &mut Staging<'_>, report: &OwnReport) -> Answer {
    let OwnReport { agent, of_launch, reported, spooled } = report;
    let now = staging.now;
    let admit = |seat: &mut Seat| {
        let observation = Observation {
            at: now,
            delivery: spooled
                .map_or(Delivery::Live, |reported_at| Delivery::Spooled { reported_at }),
            source: Source::Report,
            session: None,
            process: of_process(seat, *of_launch),
            made_at: None,
            name: "report".to_owned(),
            fact: Fact::Reported(reported.clone()),
        };
        gate::admit(seat, &observation)
    };
    if !staging.change(agent, *spooled, admit)? {
        register(staging, agent, *spooled)?;
        staging.change(agent, *spooled, admit)?;
    }
    Ok(done(staging, agent))
}

/// The process that a report is of: whoever shows its token was started with it. A report of anybody else's binds
/// none.
pub(super) fn of_process(seat: &Seat, of_launch: bool) -> Option<ProcessId> {
    seat.process.id.clone().filter(|_| of_launch)
}

/// A seat for an agent that only its own word is known of.
pub(super) fn register(
    staging: &mut Staging<'_>,
    agent: &AgentId,
    spooled: Option<UnixMs>,
) -> Result<(), Refusal> {
    let mut seat = staging.newcomer(agent, CUSTOM, Source::Report)?;
    seat.about.adopted = true;
    let doc = Box::new(seat.doc());
    staging.put(seat);
    staging.push(agent, spooled, EventBody::Registered { agent: doc })
}
