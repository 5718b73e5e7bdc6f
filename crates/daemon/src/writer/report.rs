//! An agent's or a person's own word, in our vocabulary.

use super::batch::done;
use super::staging::Staging;
use crate::job::{Answer, OwnReport, Refusal};
use headsup_core::event::EventBody;
use headsup_core::gate::{self, Decision, Rule};
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::{Delivery, Fact, Observation};
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::time::UnixMs;

/// The kind of an agent that nobody told us more of.
pub(super) const CUSTOM: &str = "custom";

pub(super) fn admit(staging: &mut Staging<'_>, report: &OwnReport) -> Answer {
    let OwnReport { agent, spooled, .. } = report;
    let now = staging.now;
    let admit = |seat: &mut Seat| take_in(seat, report, now);
    if !staging.change(agent, *spooled, admit)? {
        register(staging, agent, *spooled)?;
        staging.change(agent, *spooled, admit)?;
    }
    Ok(done(staging, agent))
}

/// What the report says, and a line of activity if that was news.
fn take_in(seat: &mut Seat, report: &OwnReport, now: UnixMs) -> Decision {
    let OwnReport { of_launch, reported, spooled, .. } = report;
    let observation = Observation {
        at: now,
        delivery: spooled.map_or(Delivery::Live, |reported_at| Delivery::Spooled { reported_at }),
        source: Source::Report,
        session: None,
        process: of_process(seat, *of_launch),
        made_at: None,
        name: "report".to_owned(),
        fact: Fact::Reported(reported.clone()),
    };
    let was = shown(seat);
    let mut decision = gate::admit(seat, &observation);
    let last = seat.last_activity.as_ref().and_then(|entry| entry.action.as_deref());
    let is_news = match &decision.refused {
        None => shown(seat) != was,
        // What another witness tells better was said all the same.
        Some(gate::Refusal { rule: Rule::Rank, .. }) => {
            reported.detail.is_some() && reported.detail.as_deref() != last
        }
        Some(_) => false,
    };
    // A question that opens or ends has a line of its own; one that is put in other words has none.
    let is_asked = |event: &EventBody| {
        matches!(event, EventBody::PromptOpened { .. } | EventBody::PromptResolved { .. })
    };
    if is_news && !decision.events.iter().any(is_asked) {
        decision.events.push(gate::append_activity(seat, None, reported.detail.clone(), now));
    }
    decision
}

/// What of a seat a report can change.
fn shown(seat: &Seat) -> impl PartialEq + use<> {
    let asked: Vec<String> = seat.own_prompts().map(|open| open.ask.title.clone()).collect();
    (seat.turn(), seat.turn.seq, seat.process.state, seat.turn.detail.clone(), asked)
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
