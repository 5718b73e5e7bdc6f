//! Tool calls: which one it is, and its input in a few words.

use super::payload::{self, Payload};
use crate::digest::digest;
use crate::json::{Raw, skim};
use crate::text;
use headsup_core::prompt::ToolRef;
use std::borrow::Cow;

pub(crate) const QUESTION: &str = "AskUserQuestion";
pub(crate) const PLAN: &str = "ExitPlanMode";

/// For a tool call whose payload does not name the tool.
const UNNAMED: &str = "unknown";

skim! {
    /// The members of a tool's input that tell a person most, first the ones that tell more.
    Telling {
        command: "command",
        file_path: "file_path",
        notebook_path: "notebook_path",
        url: "url",
        query: "query",
        pattern: "pattern",
        path: "path",
        skill: "skill",
        subject: "subject",
        description: "description",
        prompt: "prompt",
        message: "message",
        name: "name",
        questions: "questions",
    }
}

/// The input's most telling member, raw.
pub(crate) fn telling(input: Raw<'_>) -> Option<Cow<'_, str>> {
    let input: Telling = input.object();
    let first = || input.questions.items().first()?.object::<Question>().words.text();
    [
        input.command,
        input.file_path,
        input.notebook_path,
        input.url,
        input.query,
        input.pattern,
        input.path,
        input.skill,
        input.subject,
        input.description,
        input.prompt,
        input.message,
        input.name,
    ]
    .into_iter()
    .find_map(Raw::text)
    .or_else(first)
}

skim! {
    /// One question of `AskUserQuestion`.
    Question {
        words: "question",
        header: "header",
        options: "options",
        multi_select: "multiSelect",
    }
}

/// The call that an event is about.
pub(crate) fn of(payload: &Payload<'_>) -> ToolRef {
    tool_ref(payload.tool(), payload.tool_use_id, payload.tool_input)
}

/// All calls of a step (`PostToolBatch`).
pub(crate) fn batch(payload: &Payload<'_>) -> Vec<ToolRef> {
    let call = |call: Raw<'_>| {
        let call: payload::Call = call.object();
        tool_ref(payload::tool_name(call.name), call.id, call.input)
    };
    payload.tool_calls.items().into_iter().map(call).collect()
}

fn tool_ref(name: Option<String>, id: Raw<'_>, input: Raw<'_>) -> ToolRef {
    let name = name.unwrap_or_else(|| UNNAMED.to_owned());
    let input = digest(asked(&name, input));
    ToolRef { name, id: id.text().and_then(|id| text::id(&id)), input }
}

/// The part of an input that is the same at a call's start and at its end: an answered question
/// comes back with `answers` and `annotations` beside its `questions` (measured).
fn asked<'a>(tool: &str, input: Raw<'a>) -> Raw<'a> {
    let questions = || input.object::<Telling>().questions;
    let asked = (tool == QUESTION).then(questions);
    asked.filter(|questions| questions.json().is_some()).unwrap_or(input)
}
