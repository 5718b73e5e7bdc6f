//! BooCode's word on an agent in a chat.

use super::batch::done;
use super::staging::Staging;
use crate::job::{Answer, ChatReport, Refusal};
use headsup_core::compat::boocode::{AGENT_LABEL, CHAT_LABEL, seat_of};
use headsup_core::event::EventBody;
use headsup_core::gate::{self, Decision, Description};
use headsup_core::id::AgentId;
use headsup_core::observation::{Delivery, Observation};
use headsup_core::seat::Seat;
use headsup_core::source::Source;

pub(super) fn admit(staging: &mut Staging<'_>, report: &ChatReport) -> Answer {
    // Here alone nobody can come between.
    let in_chat = || staging.in_chat(&report.chat_id);
    let agent = seat_of(&report.chat_id, &report.name, |id| staging.seat(id), in_chat);
    if staging.seat(&agent).is_none() {
        register(staging, &agent, report)?;
    }
    let now = staging.now;
    let admit = |seat: &mut Seat| {
        let Some(fact) = report.meaning.of_seat(seat) else { return Decision::default() };
        let observation = Observation {
            at: now,
            delivery: Delivery::Live,
            source: Source::Hook,
            session: None,
            process: None,
            made_at: None,
            name: report.event.clone(),
            fact,
        };
        gate::admit(seat, &observation)
    };
    match staging.change(&agent, None, admit)? {
        true => Ok(done(staging, &agent)),
        false => Err(Refusal::Defect),
    }
}

fn register(
    staging: &mut Staging<'_>,
    agent: &AgentId,
    report: &ChatReport,
) -> Result<(), Refusal> {
    let now = staging.now;
    let mut seat = staging.newcomer(agent, super::report::CUSTOM, Source::Hook)?;
    seat.about.adopted = true;
    // The registration itself tells all of this.
    drop(gate::describe(&mut seat, &describe(report), now));
    let doc = Box::new(seat.doc());
    staging.put(seat);
    staging.push(agent, None, EventBody::Registered { agent: doc })
}

/// Which chat, and by which name it is known there.
fn describe(report: &ChatReport) -> Description {
    let labels = [(CHAT_LABEL, &report.chat_id), (AGENT_LABEL, &report.name)];
    let labels = labels.map(|(key, value)| (key.to_owned(), value.clone()));
    Description { labels: labels.into_iter().collect(), ..Description::default() }
}
