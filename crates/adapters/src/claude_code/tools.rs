//! Tool calls, and the two tools that ask a person.

use super::payload::{self, Payload};
use crate::calls::{call, questions, tool_name};
use crate::json::Raw;
use headsup_core::prompt::ToolRef;

pub(crate) const QUESTION: &str = "AskUserQuestion";
pub(crate) const PLAN: &str = "ExitPlanMode";

/// The call that an event is about.
pub(crate) fn of(payload: &Payload<'_>) -> ToolRef {
    tool_ref(payload.tool(), payload.tool_use_id, payload.tool_input)
}

/// All calls of a step (`PostToolBatch`).
pub(crate) fn batch(payload: &Payload<'_>) -> Vec<ToolRef> {
    let call = |call: Raw<'_>| {
        let call: payload::Call = call.object();
        tool_ref(tool_name(call.name), call.id, call.input)
    };
    payload.tool_calls.items().into_iter().map(call).collect()
}

pub(super) fn tool_ref(name: Option<String>, id: Raw<'_>, input: Raw<'_>) -> ToolRef {
    let input = asked(name.as_deref(), input);
    call(name, id, input)
}

/// The part of an input that is the same at a call's start and at its end: an answered question
/// comes back with `answers` and `annotations` beside its `questions` (measured).
fn asked<'a>(tool: Option<&str>, input: Raw<'a>) -> Raw<'a> {
    let asked = (tool == Some(QUESTION)).then(|| questions(input));
    asked.filter(|questions| questions.json().is_some()).unwrap_or(input)
}
