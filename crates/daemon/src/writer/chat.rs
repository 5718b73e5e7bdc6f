//! BooCode's word on an agent in a chat.

use super::batch::done;
use super::staging::Staging;
use crate::job::{Answer, ChatReport, Refusal};
use headsup_core::compat::boocode::{AGENT_LABEL, CHAT_LABEL, of_a_call, seat_of};
use headsup_core::event::EventBody;
use headsup_core::gate::{self, Decision, Description};
use headsup_core::id::AgentId;
use headsup_core::observation::{Background, Delivery, Fact, Observation};
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::status::Turn;

pub(super) fn admit(staging: &mut Staging<'_>, report: &ChatReport) -> Answer {
    // Here alone nobody can come between.
    let in_chat = || staging.in_chat(&report.chat_id);
    let agent = seat_of(&report.chat_id, &report.name, |id| staging.seat(id), in_chat);
    if staging.seat(&agent).is_none() {
        register(staging, &agent, report)?;
    }
    let now = staging.now;
    let admit = |seat: &mut Seat| {
        let is_blocked = matches!(seat.turn(), Turn::Blocked(_));
        let Some(fact) = report.meaning.fact(is_blocked) else { return Decision::default() };
        let fact = match is_hooked(seat) {
            true if is_blocked && fact == Fact::Answered => fact,
            true => Fact::Nothing,
            false if seat.session.is_some() => {
                once_more(fact, is_blocked, seat.turn.reference.is_some())
            }
            false => fact,
        };
        let fact = of_a_call(report.meaning, fact, seat);
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

/// Have hooks of the program itself told of the start of its conversation? They tell of all that follows, sooner or later
/// than the chat does, but not of an answer.
fn is_hooked(seat: &Seat) -> bool {
    let session = seat.session.as_ref().filter(|session| session.start_seen);
    let is_of_this_life = session
        .is_some_and(|session| seat.about.resumed_at.is_none_or(|began| session.since >= began));
    is_of_this_life && !seat.process.state.is_over()
}

/// Another witness tells of its conversation, and a chat's word says the same once more. It begins no second
/// turn, answers nothing that they have told of, knows nothing of what goes on behind an end, and ends no turn that has
/// its name from them: they tell of its end.
fn once_more(fact: Fact, is_blocked: bool, is_named: bool) -> Fact {
    match fact {
        Fact::PromptSubmitted { .. } => Fact::PromptTold,
        Fact::PromptOpened { .. } | Fact::Reported(_) if is_blocked => Fact::PromptConfirmed,
        Fact::TurnEnded { .. }
        | Fact::TurnFailed { .. }
        | Fact::TurnInterrupted { .. }
        | Fact::IdleNotice { .. }
            if is_named =>
        {
            Fact::Nothing
        }
        Fact::TurnEnded { turn_ref, .. } => {
            Fact::TurnEnded { background: Background::unclear(), turn_ref }
        }
        other => other,
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
