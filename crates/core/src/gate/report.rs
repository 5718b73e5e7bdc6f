//! The agent's or a person's own word.

use super::{Effect, Refusal, Step, process, prompts, turn};
use crate::observation::{Reported, ReportedTurn};
use crate::prompt::{Actor, Answerable, NewPrompt, PromptKind};
use crate::source::Source;
use crate::status::{BlockedReason, IdleReason, OutcomeKind, Process, Turn};

pub(super) fn phrase(reported: &Reported) -> Option<String> {
    Some(match reported.turn? {
        ReportedTurn::Unknown => "unknown".to_owned(),
        ReportedTurn::Idle => "idle".to_owned(),
        ReportedTurn::Working(reason) => Turn::Working(reason).phrase(),
        ReportedTurn::Blocked(reason) => Turn::Blocked(reason).phrase(),
    })
}

pub(super) fn said(step: &mut Step<'_>, reported: &Reported) -> Result<Effect, Refusal> {
    let mut effect = Effect::Confirms;
    if let Some(fact) = reported.process {
        effect = process::said(step, fact, None)?;
    }
    let Some(turn) = reported.turn else {
        return Ok(effect);
    };
    if !matches!(step.seat.process.state, Process::Starting { .. }) {
        step.ensure_running(None);
    }
    let detail = reported.detail.as_deref();
    match turn {
        ReportedTurn::Unknown => {
            prompts::clear_own(step, is_reported);
            step.set_base(Turn::Unknown, detail);
        }
        ReportedTurn::Working(reason) => {
            prompts::clear_own(step, |_| true);
            if !step.seat.turn.open {
                turn::start(step, None);
            }
            step.set_base(Turn::Working(reason), detail);
        }
        ReportedTurn::Blocked(reason) => {
            let prompt = reported_prompt(reason, detail);
            if let Some(open) = step.seat.prompts.iter_mut().find(|open| is_reported(open)) {
                if open.ask.reason == reason {
                    if open.ask.title != prompt.title {
                        open.ask.title = prompt.title;
                        step.changed = true;
                    }
                    return Ok(Effect::Confirms);
                }
                prompts::clear_own(step, is_reported);
            }
            prompts::open(step, &Actor::Main, &prompt);
        }
        ReportedTurn::Idle => {
            prompts::clear_own(step, |_| true);
            step.seat.subagents.clear();
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
    Ok(Effect::Decides)
}

/// The same end told again.
fn is_repeated(step: &Step<'_>, kind: OutcomeKind) -> bool {
    let outcome = step.seat.outcome.as_ref().map(|outcome| outcome.kind);
    outcome == Some(kind) && matches!(step.seat.turn.base, Turn::Idle(_))
}

fn is_reported(open: &crate::prompt::OpenPrompt) -> bool {
    open.source == Source::Report && open.ask.kind != PromptKind::Input
}

fn reported_prompt(reason: BlockedReason, detail: Option<&str>) -> NewPrompt {
    let kind = match reason {
        BlockedReason::Permission => PromptKind::Permission,
        BlockedReason::Question => PromptKind::Question,
        BlockedReason::Elicitation => PromptKind::Elicitation,
        BlockedReason::PlanApproval => PromptKind::PlanApproval,
        _ => PromptKind::Dialog,
    };
    NewPrompt {
        kind,
        reason,
        key: None,
        tool: None,
        title: detail.map_or_else(|| reason.word().replace('_', " "), str::to_owned),
        body: None,
        options: Vec::new(),
        multi_select: false,
        answerable: vec![Answerable::Terminal],
    }
}
