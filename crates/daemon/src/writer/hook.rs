//! A hook's report: whose it is, and what it says.

use super::batch::done;
use super::kind;
use super::leftover;
use super::staging::Staging;
use crate::job::{Answer, Refusal, Reply};
use crate::process;
use crate::sighting::HookReport;
use headsup_core::event::EventBody;
use headsup_core::gate::{self, Decision, Description, Rule};
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::{Delivery, Fact, Observation, SessionEnd, SessionStart};
use headsup_core::roster::{Caller, Place};
use headsup_core::seat::{Rejection, Seat};
use headsup_core::source::Source;
use headsup_core::time::UnixMs;

pub(super) fn admit(staging: &mut Staging<'_>, report: &HookReport) -> Answer {
    if report.is_borrowed {
        // Its own hooks tell the same of the agent that it is.
        return Ok(Reply::Done { agent: None, cursor: staging.head });
    }
    let (id, is_new) = match place(staging, report) {
        Place::Seat(id) => {
            let session = report.sighting.session.as_deref();
            kind::learn(staging, &id, &report.kind, session, report.spooled)?;
            (id, false)
        }
        Place::New { .. } if says_nothing_of_anyone(report) || waits_for_work(report) => {
            return Ok(Reply::Done { agent: None, cursor: staging.head });
        }
        // A program that an agent has started, or that starts itself anew, leaves what nobody has heard of.
        Place::New { parent: Some(_), .. } if is_end(&report.sighting.fact) => {
            return Ok(Reply::Done { agent: None, cursor: staging.head });
        }
        Place::New { id, parent } => {
            register(staging, report, &id, parent)?;
            (id, true)
        }
    };
    let empty = left_empty(staging, report, &id);
    let vacated = vacated(staging, report, &id).filter(|_| empty.is_none());
    let now = staging.now;
    let seated = staging.change(&id, report.spooled, |seat| {
        // A registration has told the description.
        match is_new {
            true => take_in(seat, report, now),
            false => take_in_described(seat, report, now),
        }
    })?;
    if let Some(empty) = empty.filter(|_| seated) {
        staging.forget(&empty)?;
    }
    if let Some(vacated) = vacated.filter(|_| seated) {
        staging.change(&vacated, report.spooled, |seat| gate::vacate(seat, now))?;
    }
    // The roster knew a seat that is not there: nothing was taken in, so nothing is acknowledged.
    if seated { Ok(done(staging, &id)) } else { Err(Refusal::Defect) }
}

/// A program that has told of no conversation yet got a seat; now it takes one up that has a seat of
/// its own. Nobody has ever sat in the first one.
fn left_empty(staging: &Staging<'_>, report: &HookReport, id: &AgentId) -> Option<AgentId> {
    let HookReport { claimed: None, sighting, .. } = report else { return None };
    sighting.session.as_ref().filter(|_| !sighting.shares_process)?;
    let other = staging.roster.seat_of(sighting.process.as_ref()?).filter(|other| *other != id)?;
    let seat = staging.seat(other)?;
    let was_none = seat.session.is_none() && seat.left_sessions.is_empty() && seat.turn.seq == 0;
    (seat.about.adopted && was_none).then(|| other.clone())
}

/// A program has left the conversation in its seat for one that has a seat of its own.
fn vacated(staging: &Staging<'_>, report: &HookReport, id: &AgentId) -> Option<AgentId> {
    let HookReport { claimed: None, sighting, .. } = report else { return None };
    let Fact::SessionStarted { how, .. } = sighting.fact else { return None };
    let goes_over = how != SessionStart::Compact;
    let process = sighting.process.as_ref().filter(|_| goes_over && !sighting.shares_process)?;
    let other = staging.roster.seat_of(process).filter(|other| *other != id)?;
    let seat = staging.seat(other)?;
    (seat.kind == *report.kind && seat.process.id.as_ref() == Some(process)).then(|| other.clone())
}

/// The same, and what it says of the agent. That of another conversation, which does not count here, says
/// nothing of this one.
fn take_in_described(seat: &mut Seat, report: &HookReport, now: UnixMs) -> Decision {
    let session = report.sighting.session.as_deref();
    let is_its_own = session.is_none() || seat.session.as_ref().map(|own| &*own.id) == session;
    let before = (!is_its_own).then(|| seat.about.clone());
    let token = own_token(report, &seat.id).filter(|_| seat.about.token.is_none());
    let described = gate::describe(seat, &Description { token, ..describe(report) }, now);
    let is_beside = |seat: &Seat| session.is_some_and(|said| gate::is_beside(seat, said));
    let was_beside = is_beside(seat);
    let mut decision = take_in(seat, report, now);
    let is_another = seat.session.as_ref().map(|own| &*own.id) != session;
    let goes_on_beside = is_another && (was_beside || is_beside(seat));
    let is_foreign =
        decision.refused.as_ref().is_some_and(|refused| refused.rule == Rule::G1) || goes_on_beside;
    if let Some(before) = before.filter(|_| is_foreign) {
        seat.about = before;
        return decision;
    }
    decision.changed |= described.changed;
    decision.events.splice(0..0, described.events);
    decision
}

/// What the hook says, and a line of activity if that was news.
fn take_in(seat: &mut Seat, report: &HookReport, now: UnixMs) -> Decision {
    let mut decision = gate::admit(seat, &observe(report, now));
    decision.changed |= report.sighting.shares_process && gate::part(seat);
    if decision.refused.is_none() {
        keep_strange_end(seat, report, now);
    }
    let is_heard = decision.refused.is_none() || is_late_start(report, &decision);
    let news = is_heard && (decision.changed || !decision.events.is_empty());
    if let Some(activity) = report.sighting.activity.as_ref().filter(|_| news) {
        let (tool, action) = (activity.tool.clone(), activity.action.clone());
        decision.events.push(gate::append_activity(seat, tool, action, now));
    }
    decision
}

/// Is it the start of a call whose end was told first? It was counted with that, and can be read all the same.
fn is_late_start(report: &HookReport, decision: &Decision) -> bool {
    let starts =
        matches!(report.sighting.fact, Fact::ToolStarted { .. } | Fact::ToolGranted { .. });
    let is_late = decision.refused.as_ref().is_some_and(|refused| refused.rule == Rule::G10);
    starts && is_late
}

/// An end whose word nobody knows is not believed (G11), though its process may still make a goodbye of it.
fn keep_strange_end(seat: &mut Seat, report: &HookReport, now: UnixMs) {
    let sighting = &report.sighting;
    let Fact::SessionEnded { how: SessionEnd::Unclear } = sighting.fact else { return };
    let member = sighting.strange.unwrap_or("word");
    let why =
        format!("its {member} is one that nobody knows: its process tells whether it has left");
    seat.history.get_or_insert_default().reject(Rejection {
        at: now,
        source: sighting.source,
        event: sighting.event.as_str().into(),
        rule: Rule::G11.word().into(),
        why: why.as_str().into(),
    });
}

fn place(staging: &Staging<'_>, report: &HookReport) -> Place {
    let HookReport { kind, claimed, sighting, ancestors, pid_namespace, .. } = report;
    let (session, process) = (sighting.session.as_deref(), sighting.process.as_ref());
    let is_left = leftover::is_one(staging, claimed.as_ref(), session, process);
    let caller = Caller {
        kind,
        claimed: claimed.as_ref(),
        session,
        process,
        shares_process: sighting.shares_process,
        ancestors,
        namespace: *pid_namespace,
        // Its status file tells.
        asked_by: None,
        cwd: sighting.cwd.as_deref(),
        starts_session: matches!(sighting.fact, Fact::SessionStarted { .. }),
        starts_up: matches!(sighting.fact, Fact::SessionStarted { how, .. } if comes_up(how)),
        is_left,
    };
    staging.roster.place(&caller, |process: &ProcessId| {
        // The report itself shows that the processes above it live, also where we cannot look.
        let above = process.pid_namespace == *pid_namespace
            && ancestors.contains(&(process.pid, process.start_ticks));
        above || process::is_alive(process)
    })
}

/// Is it the start of a program that takes up no conversation?
fn comes_up(how: SessionStart) -> bool {
    use SessionStart::{Asked, Early, Prompted, Startup};
    matches!(how, Startup | Early | Prompted | Asked)
}

/// Nothing that can be understood, from nobody who can be named: no reason for a seat. A proxy names its agent by
/// its id: what is above the caller is an agent only where the message can be read. A process that serves many
/// conversations is none of them.
fn says_nothing_of_anyone(report: &HookReport) -> bool {
    let HookReport { claimed, sighting, .. } = report;
    let is_of_one = sighting.source != Source::Acp && !sighting.shares_process;
    let has_process = sighting.process.is_some() && is_of_one;
    let nameless = claimed.is_none() && sighting.session.is_none() && !has_process;
    nameless && matches!(sighting.fact, Fact::NotUnderstood { .. })
}

fn is_end(fact: &Fact) -> bool {
    matches!(fact, Fact::SessionEnded { .. })
}

/// A service keeps processes ready that nobody has asked for yet. One that says no more than that it is there is no
/// agent; its status file tells when somebody has asked for it.
fn waits_for_work(report: &HookReport) -> bool {
    let comes_or_goes = match &report.sighting.fact {
        Fact::SessionStarted { how, .. } => comes_up(*how),
        Fact::SessionEnded { .. } | Fact::Nothing | Fact::NotUnderstood { .. } => true,
        _ => false,
    };
    report.is_served && comes_or_goes
}

fn register(
    staging: &mut Staging<'_>,
    report: &HookReport,
    id: &AgentId,
    parent: Option<AgentId>,
) -> Result<(), Refusal> {
    let HookReport { kind, claimed, sighting, spooled, .. } = report;
    let mut seat = staging.newcomer(id, kind, sighting.source)?;
    // Whoever knows its id was launched by us, but for a helper that only inherited it.
    let adopted = claimed.is_none() || parent.is_some();
    let token = own_token(report, id);
    let description = Description { parent, adopted: Some(adopted), token, ..describe(report) };
    // The registration itself tells all of this.
    drop(gate::describe(&mut seat, &description, staging.now));
    let agent = Box::new(seat.doc());
    staging.put(seat);
    staging.push(id, *spooled, EventBody::Registered { agent })
}

/// The token of a launch that the hub has lost, where it speaks for its own seat: that is known by it again.
fn own_token(report: &HookReport, id: &AgentId) -> Option<String> {
    let is_its_own = report.claimed.as_ref() == Some(id) && !report.sighting.shares_process;
    report.token.clone().filter(|_| is_its_own)
}

/// The adapter has cut and cleaned these texts.
fn describe(report: &HookReport) -> Description {
    let HookReport { sighting, container, tmux_server, .. } = report;
    Description {
        cwd: sighting.cwd.clone(),
        model: sighting.model.clone(),
        title: sighting.title.clone(),
        log_path: sighting.log_path.clone(),
        tmux: sighting.tmux_pane.clone(),
        tmux_server: tmux_server.clone(),
        container: container.clone(),
        ..Description::default()
    }
}

fn observe(report: &HookReport, now: UnixMs) -> Observation {
    let HookReport { sighting, spooled, .. } = report;
    Observation {
        at: now,
        delivery: spooled.map_or(Delivery::Live, |reported_at| Delivery::Spooled { reported_at }),
        source: sighting.source,
        session: sighting.session.clone(),
        process: sighting.process.clone(),
        made_at: sighting.made_at,
        name: sighting.event.clone(),
        fact: sighting.fact.clone(),
    }
}
