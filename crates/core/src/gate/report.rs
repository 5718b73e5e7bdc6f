//! The agent's or a person's own word.

use super::{Effect, Refusal, Step, beside, process, prompts, turn};
use crate::observation::{Reported, ReportedTurn};
use crate::prompt::{Actor, NewPrompt, OpenPrompt, PromptKind};
use crate::source::Source;
use crate::status::{IdleReason, OutcomeKind, Process, Turn};

pub(super) fn phrase(reported: &Reported) -> Option<String> {
    Some(match reported.turn? {
        ReportedTurn::Unknown => "unknown".to_owned(),
        ReportedTurn::Idle => "idle".to_owned(),
        ReportedTurn::Working(reason) => Turn::Working(reason).phrase(),
        ReportedTurn::Blocked(reason) => Turn::Blocked(reason).phrase(),
    })
}

pub(super) fn said(step: &mut Step<'_>, reported: &Reported) -> Result<Effect, Refusal> {
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
    let detail = reported.detail.as_deref();
    match turn {
        ReportedTurn::Unknown => {
            prompts::withdraw(step, |asked| asked.source == Source::Report);
            step.set_base(Turn::Unknown, detail);
        }
        ReportedTurn::Working(reason) => {
            prompts::withdraw_all(step);
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
        ReportedTurn::Idle => {
            prompts::withdraw_all(step);
            step.seat.subagents.clear();
            beside::all_over(step, None);
            match &reported.outcome {
                Some((kind, code)) => {
                    if !step.seat.turn.open && !is_repeated(step, *kind) {
                        // Its start was not told.
                        turn::start(step, None);
                    }
                    if step.seat.turn.open {
                        turn::rest(step, *kind, code.as_deref());
                    }
                }
                None if step.seat.turn.open => turn::rest(step, OutcomeKind::Interrupted, None),
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

/// The same end told again.
fn is_repeated(step: &Step<'_>, kind: OutcomeKind) -> bool {
    let outcome = step.seat.outcome.as_ref().map(|outcome| outcome.kind);
    outcome == Some(kind) && matches!(step.seat.turn.base, Turn::Idle(_))
}

fn is_reported(open: &OpenPrompt) -> bool {
    open.source == Source::Report && open.ask.kind != PromptKind::Input
}
