//! Input requests: each is answered once, by whoever comes first, or ends at its deadline.

use super::batch::done;
use super::staging::Staging;
use super::verdict;
use crate::job::{Answer, Asked, Given, Noticed, Refusal, Reply, TakenBack};
use crate::limits::PROMPTS;
use headsup_core::gate::{self, Decision};
use headsup_core::id::AgentId;
use headsup_core::prompt::answer::{Said, choose};
use headsup_core::prompt::input::MOST_OF_AGENT;
use headsup_core::prompt::{Input, NewPrompt, OpenPrompt, Resolution, ResolvedBy, Via};
use headsup_core::seat::Seat;
use headsup_core::wire::PromptDoc;

/// Opens a prompt, or finds the one that was opened under the same key.
pub(super) fn ask(staging: &mut Staging<'_>, asked: &Asked) -> Answer {
    let agent = &asked.agent;
    if asked.registers && staging.seat(agent).is_none() {
        verdict::appear(staging, agent)?;
    }
    let seat = staging.seat(agent).ok_or(Refusal::NoSuchAgent)?;
    let dedupe = asked.dedupe_key.as_deref();
    let dedupe = dedupe.map(|key| Asked::dedupe(agent, seat.incarnation, key));
    let request = asked.request.as_deref().map(Asked::request_key);
    for key in dedupe.iter().chain(&request) {
        if let Some(prompt) = found(staging, &seat, key)? {
            if let Some(request) = &request {
                staging.name_prompt(request, &prompt.id);
            }
            let (prompt, cursor) = (Box::new(prompt), staging.head);
            return Ok(Reply::Prompt { prompt, is_new: false, cursor });
        }
    }
    if asked.once
        && let Some(open) = seat.inputs().find(|open| is_same(open, asked))
    {
        if let Some(request) = &request {
            staging.name_prompt(request, &open.id);
        }
        let (prompt, cursor) = (Box::new(PromptDoc::new(agent, open, None)), staging.head);
        return Ok(Reply::Prompt { prompt, is_new: false, cursor });
    }
    let elsewhere = staging.board.inputs();
    if seat.inputs().count() >= MOST_OF_AGENT || elsewhere >= PROMPTS {
        return Err(Refusal::TooManyPrompts);
    }
    let number = free_number(staging, &seat)?;
    let id = format!("{agent}-p{number}");
    let input = Input {
        dedupe_key: asked.dedupe_key.clone(),
        default_action: asked.default_action.clone(),
        expires_at: staging.wall.plus(asked.timeout_ms),
        on_timeout: asked.on_timeout,
        risk: asked.risk,
        moved_stage: asked.moves_stage,
        delivered: Vec::new(),
        seen: Vec::new(),
    };
    let (ask, by, now) = (asked.ask.clone(), asked.by, staging.now);
    let question = gate::Ask { id: id.clone(), ask, input };
    let mut refused = None;
    staging.change(agent, None, |seat| {
        let opened_before = std::mem::replace(&mut seat.prompts_opened, number - 1);
        gate::open_input(seat, question, by, now).unwrap_or_else(|illegal| {
            seat.prompts_opened = opened_before;
            refused = Some(Refusal::IllegalStage { from: illegal.from, to: illegal.to, by });
            Decision::default()
        })
    })?;
    if let Some(refusal) = refused {
        return Err(refusal);
    }
    for key in dedupe.iter().chain(&request) {
        staging.name_prompt(key, &id);
    }
    let prompt = staging.seat(agent).and_then(|seat| open_doc(&seat, &id));
    let prompt = Box::new(prompt.ok_or(Refusal::Defect)?);
    Ok(Reply::Prompt { prompt, is_new: true, cursor: staging.head })
}

/// The same words, wherever their lines break, and the same choices.
fn is_same(open: &OpenPrompt, asked: &Asked) -> bool {
    let Some(input) = &open.input else { return false };
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let question = |ask: &NewPrompt| words(ask.body.as_ref().unwrap_or(&ask.title));
    let (of, ask) = (&open.ask, &asked.ask);
    question(of) == question(ask)
        && words(&input.default_action) == words(&asked.default_action)
        && (&of.options, of.multi_select) == (&ask.options, ask.multi_select)
        && (input.risk, input.on_timeout) == (asked.risk, asked.on_timeout)
}

/// An id is never used again: an answer must not reach another question than was asked.
fn free_number(staging: &Staging<'_>, seat: &Seat) -> Result<u64, Refusal> {
    let mut number = seat.prompts_opened + 1;
    while staging.is_resolved(&format!("{}-p{number}", seat.id))? {
        number += 1;
    }
    Ok(number)
}

fn found(staging: &Staging<'_>, seat: &Seat, key: &str) -> Result<Option<PromptDoc>, Refusal> {
    let Some(id) = staging.prompt_of(key)? else { return Ok(None) };
    match open_doc(seat, &id) {
        Some(open) => Ok(Some(open)),
        None => staging.resolved(&id),
    }
}

fn open_doc(seat: &Seat, id: &str) -> Option<PromptDoc> {
    let open = seat.prompts.iter().find(|open| open.id == id)?;
    Some(PromptDoc::new(&seat.id, open, None))
}

/// The first answer in time wins; whoever comes later is told so.
pub(super) fn answer(staging: &mut Staging<'_>, given: &Given) -> Answer {
    let Given { agent, prompt, said, via, actor, received, is_verified } = given;
    let open = open(staging, agent, prompt)?;
    let is_late = open.input.as_ref().is_some_and(|input| *received > input.expires_at);
    if is_late {
        // The deadline was there first, also where it has not been noticed yet.
        time_out(staging, agent, *received)?;
        return Err(Refusal::AlreadyResolved);
    }
    let given = Resolution {
        via: Some(*via),
        actor: actor.clone(),
        verified: *is_verified,
        ..Resolution::of(ResolvedBy::Human, staging.now)
    };
    if *said == Said::Declined {
        return resolve(staging, agent, &open, Resolution { declined: true, ..given });
    }
    let chosen = choose(&open, said).map_err(Refusal::BadAnswer)?;
    let resolution = Resolution {
        value: Some(chosen.value),
        values: chosen.values,
        default_used: chosen.default_used,
        ..given
    };
    resolve(staging, agent, &open, resolution)
}

/// Whoever has asked, or a person, does not want to know any more.
pub(super) fn cancel(staging: &mut Staging<'_>, back: &TakenBack) -> Answer {
    let open = open(staging, &back.agent, &back.prompt)?;
    let resolution = Resolution {
        via: Some(back.via),
        actor: back.actor.clone(),
        verified: back.via != Via::AgentClient,
        ..Resolution::cancelled(staging.now)
    };
    resolve(staging, &back.agent, &open, resolution)
}

fn resolve(
    staging: &mut Staging<'_>,
    agent: &AgentId,
    open: &OpenPrompt,
    resolution: Resolution,
) -> Answer {
    let now = staging.now;
    let prompt = Box::new(PromptDoc::new(agent, open, Some(resolution.clone())));
    staging.change(agent, None, |seat| gate::resolve_input(seat, &open.id, resolution, now))?;
    Ok(Reply::Prompt { prompt, is_new: true, cursor: staging.head })
}

/// An open input request; what is the matter where there is none of this id.
fn open(staging: &Staging<'_>, agent: &AgentId, id: &str) -> Result<OpenPrompt, Refusal> {
    let seat = staging.seat(agent);
    let open = seat.as_ref().and_then(|seat| seat.prompts.iter().find(|open| open.id == id));
    match open {
        Some(open) if open.input.is_some() => Ok(open.clone()),
        Some(_) => Err(Refusal::TerminalOnly),
        None if staging.is_resolved(id)? => Err(Refusal::AlreadyResolved),
        None => Err(Refusal::NoSuchPrompt),
    }
}

pub(super) fn notice(staging: &mut Staging<'_>, noticed: &Noticed) -> Answer {
    let Noticed { agent, prompt, via, seen } = noticed;
    let seat = staging.seat(agent).ok_or(Refusal::NoSuchPrompt)?;
    if seat.prompts.iter().all(|open| open.id != *prompt) {
        // Whoever looks at what has just ended has done nothing wrong.
        let over = staging.is_resolved(prompt)?;
        return if over { Ok(done(staging, agent)) } else { Err(Refusal::NoSuchPrompt) };
    }
    let now = staging.now;
    staging.change(agent, None, |seat| gate::mark_input(seat, prompt, *via, *seen, now))?;
    Ok(done(staging, agent))
}

/// The agent knows the answer.
pub(super) fn brought(staging: &mut Staging<'_>, agent: &AgentId, prompt: &str) -> Answer {
    staging.change(agent, None, |seat| gate::mark_told(seat, prompt))?;
    Ok(done(staging, agent))
}

/// The deadlines of a seat that have passed.
pub(super) fn expire(staging: &mut Staging<'_>, agent: &AgentId) -> Answer {
    let wall = staging.wall;
    time_out(staging, agent, wall)?;
    Ok(done(staging, agent))
}

fn time_out(
    staging: &mut Staging<'_>,
    agent: &AgentId,
    wall: headsup_core::time::UnixMs,
) -> Result<(), Refusal> {
    let now = staging.now;
    staging.change(agent, None, |seat| all(gate::time_out(seat, wall, now)))?;
    Ok(())
}

/// The wall clock was set by so much.
pub(super) fn shift(staging: &mut Staging<'_>, by_ms: i64) -> Answer {
    let waiting = staging.board.with_expiries();
    let now = staging.now;
    for agent in waiting {
        staging.change(&agent, None, |seat| gate::shift_deadlines(seat, by_ms, now))?;
    }
    Ok(Reply::Done { agent: None, cursor: staging.head })
}

/// Several decisions as one.
fn all(decisions: Vec<Decision>) -> Decision {
    let mut whole = Decision::default();
    for decision in decisions {
        whole.changed |= decision.changed;
        whole.events.extend(decision.events);
    }
    whole
}
