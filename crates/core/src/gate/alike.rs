//! Calls at once of one tool with one input, and the requests about them: where these carry no id nothing but their number
//! and their order tells which call each of them is about (G4). Of one that is told twice the second is taken for the other
//! call's.

use super::Step;
use crate::prompt::{Actor, NewPrompt, OpenPrompt};
use crate::seat::OpenTool;

/// Is a request about another call than those like it that are open, or are held (so many)?
pub(super) fn asks_of_another(
    step: &Step<'_>,
    actor: &Actor,
    request: &NewPrompt,
    held: usize,
) -> bool {
    calls_like(step, actor, request) > prompts_like(step, actor, request) + held
}

/// How many open calls have the tool and the input that a prompt is about.
fn calls_like(step: &Step<'_>, actor: &Actor, prompt: &NewPrompt) -> usize {
    let Some(tool) = prompt.tool.as_ref() else { return 0 };
    let alike = |open: &&OpenTool| open.actor == *actor && open.tool.is_like(tool);
    step.seat.open_tools.iter().filter(alike).count()
}

/// How many open prompts ask about that same tool and input. At least 1, because a prompt is not
/// asked for every call.
fn prompts_like(step: &Step<'_>, actor: &Actor, prompt: &NewPrompt) -> usize {
    let Some(tool) = prompt.tool.as_ref() else { return 1 };
    let about = |open: &&OpenPrompt| open.ask.tool.as_ref().is_some_and(|t| t.is_like(tool));
    let asked = step.seat.own_prompts().filter(|open| open.actor == *actor);
    asked.filter(about).count().max(usize::from(calls_like(step, actor, prompt) < 2))
}

/// The prompt with the id of the open call it is about: that call's end will clear it. Of several it is one that nobody has
/// asked about before: what was granted runs, and its end says nothing of the others.
pub(super) fn about_its_call(step: &mut Step<'_>, actor: &Actor, prompt: &NewPrompt) -> NewPrompt {
    let mut ask = prompt.clone();
    if let Some(tool) = &mut ask.tool
        && tool.id.is_none()
    {
        let asked: Vec<_> = step.seat.own_prompts().filter_map(|p| p.ask.tool.as_ref()).collect();
        let is_asked = |id: &Option<String>| id.is_some() && asked.iter().any(|t| t.id == *id);
        let is_its = |open: &OpenTool| {
            open.actor == *actor && open.tool.is_like(tool) && !is_asked(&open.tool.id)
        };
        let calls = &step.seat.open_tools;
        let first = calls.iter().position(|open| is_its(open) && !open.was_asked);
        let its = first.or_else(|| calls.iter().position(is_its));
        if let Some(at) = its
            && let Some(open) = step.seat.open_tools.get_mut(at)
        {
            open.was_asked = true;
            tool.id.clone_from(&open.tool.id);
        }
    }
    ask
}
