//! The agent's or a person's own word.

use super::{
    Effect, Refusal, Rule, STALE_MS, Step, beside, guard, late, level, process, prompts, refuse,
    turn,
};
use crate::observation::{Level, Reported, ReportedTurn};
use crate::prompt::{Actor, NewPrompt, OpenPrompt, PromptKind};
use crate::seat::{Claim, HeldFact, Seat};
use crate::source::{Source, Tier};
use crate::status::{IdleReason, OutcomeKind, Process, Turn};
use crate::time::UnixMs;

pub(super) fn phrase(reported: &Reported) -> Option<String> {
    Some(match reported.turn? {
        ReportedTurn::Unknown => "unknown".to_owned(),
        ReportedTurn::Idle | ReportedTurn::Rests => "idle".to_owned(),
        ReportedTurn::Working(reason) => Turn::Working(reason).phrase(),
        ReportedTurn::Blocked(reason) => Turn::Blocked(reason).phrase(),
    })
}

pub(super) fn said(step: &mut Step<'_>, reported: &Reported) -> Result<Effect, Refusal> {
    if reported.turn == Some(ReportedTurn::Rests) && is_told_better(step.seat, step.now) {
        return refuse(Rule::Rank, "another witness tells what it does, and when that ends");
    }
    let rests = matches!(reported.turn, Some(ReportedTurn::Idle | ReportedTurn::Rests));
    let stays = reported.process.is_none_or(|fact| !process::is_end(&fact));
    if rests && stays && goes_on_exactly(step) {
        return refuse(Rule::Rank, "the protocol that it is driven by tells when it rests");
    }
    // An end is told of a process that has done all the rest before.
    let end = reported.process.filter(process::is_end);
    let before = step.seat.turn.detail.clone();
    let mut effect = Effect::Confirms;
    if let Some(fact) = reported.process.filter(|fact| !process::is_end(fact)) {
        effect = process::said(step, fact, None)?;
    }
    if let Some(turn) = reported.turn {
        effect = turn_said(step, turn, reported);
    }
    if let Some(fact) = end {
        effect = process::said(step, fact, None)?;
    }
    step.announce |= step.seat.turn.detail != before;
    Ok(effect)
}

fn turn_said(step: &mut Step<'_>, turn: ReportedTurn, reported: &Reported) -> Effect {
    if !matches!(step.seat.process.state, Process::Starting { .. }) {
        step.ensure_running(None);
    }
    if matches!(turn, ReportedTurn::Idle | ReportedTurn::Blocked(_)) {
        level::explain_own_work(step);
    }
    let detail = reported.detail.as_deref();
    match turn {
        ReportedTurn::Unknown => {
            prompts::withdraw(step, |asked| asked.source == Source::Report);
            step.set_base(Turn::Unknown, detail);
        }
        ReportedTurn::Working(reason) => {
            prompts::withdraw(step, |asked| asked.source != Source::Acp);
            if !step.seat.turn.open {
                turn::start(step, None);
            }
            step.set_base(Turn::Working(reason), detail);
        }
        ReportedTurn::Blocked(reason) => {
            let prompt = NewPrompt::plain(reason, detail);
            if let Some(open) = step.seat.prompts.iter_mut().find(|open| is_reported(open)) {
                if open.ask.reason == reason {
                    if open.ask.title != prompt.title {
                        open.ask.title = prompt.title;
                        step.changed = true;
                        step.announce = true;
                    }
                    return Effect::Confirms;
                }
                prompts::withdraw(step, |asked| asked.source == Source::Report);
            }
            prompts::open(step, &Actor::Main, &prompt);
        }
        ReportedTurn::Idle | ReportedTurn::Rests => {
            // A program that rests has come up.
            step.ensure_running(None);
            prompts::withdraw_all(step);
            step.seat.subagents.clear();
            beside::all_over(step, None);
            match &reported.outcome {
                Some((kind, code)) => {
                    if !step.seat.turn.open && !is_repeated(step, *kind, code.as_deref()) {
                        // Its start was not told.
                        turn::start(step, None);
                    }
                    if step.seat.turn.open {
                        turn::rest(step, *kind, code.as_deref());
                    }
                }
                None if step.seat.turn.open => late::rest_as_shown(step, OutcomeKind::Interrupted),
                None => {}
            }
            if !matches!(step.seat.turn.base, Turn::Idle(_)) {
                step.set_base(Turn::Idle(IdleReason::Ready), detail);
            } else if detail.is_some() {
                let base = step.seat.turn.base;
                step.set_base(base, detail);
            }
        }
    }
    Effect::Decides
}

/// Does the protocol that an agent is driven by say that its turn is open, or that a person is asked? No report gives such a
/// turn its name. Of one that has been silent for long nobody tells any more; but whoever waits for an answer is silent.
fn goes_on_exactly(step: &Step<'_>) -> bool {
    let seat = &*step.seat;
    let is_fresh = seat.turn.evidence.confirmed_at >= step.now.plus(-STALE_MS);
    let asks = seat.own_prompts().any(|open| open.source == Source::Acp);
    let is_open = seat.turn.open && seat.turn.reference.is_some();
    guard::is_told_exactly(step) && (asks || is_open && is_fresh)
}

/// Does another witness than reports tell of the open turn? It tells of its end, too.
pub fn has_other_witness(seat: &Seat, now: UnixMs) -> bool {
    let turn = &seat.turn;
    let own = seat.fresh_claim(Tier::Own, now.plus(-STALE_MS));
    let is_shown = own.is_some_and(|claim| claim.word == "working");
    let calls = seat.open_tools.iter().any(|open| open.actor.is_main());
    let is_told = turn.reference.is_some() || is_anothers(turn.evidence.source);
    // Of one that has been silent for long nobody tells any more.
    turn.open && matches!(turn.base, Turn::Working(_)) && (is_told || is_shown || calls)
}

/// Has a report told something else since a source shows this level? Where that still only stands it is no news.
pub fn has_told_since(seat: &Seat, source: Source, level: &Level) -> bool {
    let told = &seat.turn.evidence;
    let has_failed = seat.outcome.as_ref().map(|outcome| outcome.kind) == Some(OutcomeKind::Failed);
    let agrees = match (level, seat.turn()) {
        (Level::Idle { .. } | Level::Done, Turn::Idle(_))
        | (Level::Working { .. }, Turn::Working(_))
        | (Level::Blocked { .. }, Turn::Blocked(_)) => true,
        (Level::Failed { .. }, Turn::Idle(_)) => has_failed,
        _ => false,
    };
    let is_older = |claim: &Claim| {
        claim.source == source && claim.word == level.word() && claim.since <= told.observed_at
    };
    told.source == Source::Report && !agrees && seat.claims.iter().any(is_older)
}

/// Does another witness tell of the turn, of what goes on behind it, or of what a person is asked?
fn is_told_better(seat: &Seat, now: UnixMs) -> bool {
    let asks = seat.own_prompts().any(|open| is_anothers(open.source));
    let mut held = seat.held.iter().filter(|held| is_anothers(held.source));
    let settles = held.any(|held| matches!(held.what, HeldFact::Prompt { .. }));
    let is_known = seat.turn.base != Turn::Unknown;
    let goes_on = is_known && !(seat.subagents.is_empty() && seat.turn.beside.is_empty());
    asks || settles || goes_on || has_other_witness(seat, now)
}

fn is_anothers(source: Source) -> bool {
    source != Source::Report && source.tier() >= Tier::Edge
}

/// The same end told again. One with another code is another one, where the last was told by a report, too.
fn is_repeated(step: &Step<'_>, kind: OutcomeKind, code: Option<&str>) -> bool {
    let (turn, last) = (&step.seat.turn, step.seat.outcome.as_ref());
    let has_other_code = |code| last.is_some_and(|last| last.code.as_deref() != Some(code));
    let is_other = turn.evidence.source == Source::Report && code.is_some_and(has_other_code);
    let is_same = last.is_some_and(|last| last.kind == kind) && !is_other;
    is_same && matches!(turn.base, Turn::Idle(_))
}

fn is_reported(open: &OpenPrompt) -> bool {
    open.source == Source::Report && open.ask.kind != PromptKind::Input
}
