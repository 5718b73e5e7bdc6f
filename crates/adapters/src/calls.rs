//! Tool calls: which one it is, and its input in a few words. Most programs mean the same by the
//! same member.

use crate::Activity;
use crate::digest::digest;
use crate::json::{Raw, skim};
use crate::text;
use headsup_core::prompt::ToolRef;
use std::borrow::Cow;

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

skim! {
    /// One question of a call that asks a person.
    Question {
        words: "question",
        header: "header",
        options: "options",
        multi_select: "multiSelect",
    }
}

/// The questions in the input of a call that asks a person.
pub(crate) fn questions(input: Raw<'_>) -> Raw<'_> {
    input.object::<Telling>().questions
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

/// A tool's name, cleaned, so that it can be shown; `None` if nothing is left.
pub(crate) fn tool_name(name: Raw<'_>) -> Option<String> {
    let name = text::line(&name.text()?, text::NAME);
    (!name.is_empty()).then_some(name)
}

/// The timeline's line for a call.
pub(crate) fn activity(name: Option<String>, input: Raw<'_>) -> Activity {
    let action = telling(input).map(|telling| text::line(&telling, text::ACTION));
    Activity { tool: name, action }
}

/// The call that a prompt is about. Of one whose tool is not named the rest must tell which it is.
pub(crate) fn asked(call: ToolRef) -> Option<ToolRef> {
    let is_told = !call.is_unnamed() || call.id.is_some() || call.input.is_some();
    is_told.then_some(call)
}

/// A call by its tool, its id, if it has one, and the part of its input that is the same at its
/// start and at its end.
pub(crate) fn call(name: Option<String>, id: Raw<'_>, input: Raw<'_>) -> ToolRef {
    let name = name.unwrap_or_else(|| ToolRef::UNNAMED.to_owned());
    ToolRef { name, id: id.text().and_then(|id| text::id(&id)), input: digest(input) }
}
