//! Panopticon's word on what an agent does now.

use super::batch::done;
use super::staging::Staging;
use crate::job::{Answer, Heartbeat, Reply};
use headsup_core::compat::panopticon::Activity;
use headsup_core::gate::{self, Decision, Rule};
use headsup_core::observation::{Delivery, Fact, Observation, ProcessFact, Reported, ReportedTurn};
use headsup_core::seat::{Held, HeldFact, Seat};
use headsup_core::source::Source;
use headsup_core::status::{Process, WorkingReason};
use headsup_core::time::UnixMs;

pub(super) fn admit(staging: &mut Staging<'_>, heartbeat: &Heartbeat) -> Answer {
    let Heartbeat { agent, activity, .. } = heartbeat;
    if *activity == Activity::Uninitialized {
        // There is nothing to tell of, so nothing is told.
        let agent = staging.seat(agent).map(|_| agent.clone());
        return Ok(Reply::Done { agent, cursor: staging.head });
    }
    if staging.seat(agent).is_none() {
        super::report::register(staging, agent, None)?;
    }
    let now = staging.now;
    staging.change(agent, None, |seat| take_in(seat, heartbeat, now))?;
    Ok(done(staging, agent))
}

fn take_in(seat: &mut Seat, heartbeat: &Heartbeat, now: UnixMs) -> Decision {
    let observation = Observation {
        at: now,
        delivery: Delivery::Live,
        source: Source::Report,
        session: None,
        process: super::report::of_process(seat, heartbeat.of_launch),
        made_at: None,
        name: "heartbeat".to_owned(),
        fact: fact(seat, heartbeat, now),
    };
    let was = told_by(seat);
    let mut decision = gate::admit(seat, &observation);
    let Heartbeat { tool, action, at, .. } = heartbeat;
    let says_more = tool.is_some() || action.is_some() || told_by(seat) != was;
    // What another witness tells better was done all the same.
    let is_heard = decision.refused.as_ref().is_none_or(|refusal| refusal.rule == Rule::Rank);
    if is_heard && says_more {
        // A reporter's clock is data, but nothing has happened that is still to come.
        let at = at.map_or(now, |at| at.min(now));
        decision.events.push(gate::append_activity(seat, tool.clone(), action.clone(), at));
    }
    decision
}

/// What its state is told from: whoever is put away first thing has no turn before it, nor behind it. What it works at,
/// and why it rests, is no other state.
fn told_by(seat: &Seat) -> (&'static str, bool) {
    (seat.turn().word(), seat.process.state == Process::Suspended)
}

fn fact(seat: &Seat, heartbeat: &Heartbeat, now: UnixMs) -> Fact {
    let Heartbeat { activity, tool, .. } = heartbeat;
    // It goes on with something else: that is no answer to what it asks, whoever has told of that. A heartbeat
    // itself never does.
    let is_settling = |held: &Held| matches!(held.what, HeldFact::Prompt { .. });
    let asks = seat.own_prompts().next().is_some() || seat.held.iter().any(is_settling);
    let reported = |turn, process| {
        Fact::Reported(Reported { turn, detail: tool.clone(), outcome: None, process })
    };
    match activity {
        Activity::Active if asks || gate::has_other_witness(seat, now) => Fact::Nothing,
        Activity::Active => {
            let reason = if tool.is_some() { WorkingReason::Tool } else { WorkingReason::Model };
            reported(Some(ReportedTurn::Working(reason)), None)
        }
        Activity::Idle => reported(Some(ReportedTurn::Rests), None),
        // There is nothing to come back to: where its process is known, that tells.
        Activity::Suspended if seat.session.is_none() && seat.process.id.is_some() => {
            Fact::NotUnderstood {
                why: "it has no session to come back to, and its process tells of its own end"
                    .to_owned(),
            }
        }
        Activity::Suspended => reported(None, Some(ProcessFact::Suspended)),
        Activity::Uninitialized => Fact::Nothing,
    }
}
