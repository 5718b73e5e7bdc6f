//! What an agent found of a task.

use super::batch::done;
use super::staging::Staging;
use crate::job::{Answer, Refusal, VerdictOn};
use headsup_core::gate;
use headsup_core::id::AgentId;
use headsup_core::observation::{Delivery, Fact, Observation};
use headsup_core::source::Source;
use headsup_core::time::UnixMs;

pub(super) fn report(staging: &mut Staging<'_>, on: &VerdictOn) -> Answer {
    let VerdictOn { agent, task, verdict, notes, registers } = on;
    if *registers && staging.seat(agent).is_none() {
        appear(staging, agent)?;
    }
    let now = staging.now;
    let report = |seat: &mut _| gate::report_verdict(seat, task, *verdict, notes.as_deref(), now);
    match staging.change(agent, None, report)? {
        true => Ok(done(staging, agent)),
        false => Err(Refusal::NoSuchAgent),
    }
}

/// An agent of which nothing is known but that it speaks. Whoever speaks is there, whatever it does.
pub(super) fn appear(staging: &mut Staging<'_>, agent: &AgentId) -> Result<(), Refusal> {
    super::report::register(staging, agent, None)?;
    let spoken = spoken(staging.now);
    staging.change(agent, None, |seat| gate::admit(seat, &spoken))?;
    Ok(())
}

/// It has spoken, and not of its status.
fn spoken(at: UnixMs) -> Observation {
    Observation {
        at,
        delivery: Delivery::Live,
        source: Source::Report,
        session: None,
        process: None,
        made_at: None,
        name: "verdict".to_owned(),
        fact: Fact::Nothing,
    }
}
