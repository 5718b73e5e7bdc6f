//! What a person is asked, in its own words. They are told behind the level that it blocks, and say no more
//! than a hook would: an older hub hears the same level again.

use crate::calls::tool_name;
use crate::json::{Raw, skim};
use crate::{asks, text};
use headsup_core::prompt::{Choice, NewPrompt, ToolRef};
use headsup_core::status::BlockedReason;
use serde_json::{Value, json};

/// Options that are read.
const OPTIONS: usize = 20;

skim! {
    /// What is told: the call that it is about, and the words.
    Ask {
        tool: "tool",
        call: "call",
        input: "input",
        body: "body",
        options: "options",
        several: "multi_select",
    }
}

skim! {
    Answer { label: "label", value: "value", description: "description" }
}

pub(super) fn told(ask: &NewPrompt) -> Value {
    let tool = ask.tool.as_ref();
    json!({
        "tool": tool.map(|tool| tool.name.as_str()),
        "call": tool.and_then(|tool| tool.id.as_deref()),
        "input": tool.and_then(|tool| tool.input),
        "body": ask.body, "options": ask.options, "multi_select": ask.multi_select,
    })
}

/// The prompt that was told so; `None` where no call is named by which it would be known again.
pub(super) fn read(told: Raw<'_>, reason: BlockedReason, title: Option<&str>) -> Option<NewPrompt> {
    let ask: Ask<'_> = told.object();
    let id = ask.call.text().and_then(|id| text::id(&id));
    let input = ask.input.json().and_then(|digest| digest.parse().ok());
    let tool = ToolRef { name: tool_name(ask.tool)?, id, input };
    let options = ask.options.items().into_iter().filter_map(answer).take(OPTIONS);
    Some(NewPrompt {
        tool: Some(tool),
        body: ask.body.text().and_then(|body| asks::block(&body)),
        options: options.collect(),
        multi_select: ask.several.is_true(),
        ..NewPrompt::plain(reason, title)
    })
}

fn answer(told: Raw<'_>) -> Option<Choice> {
    let Answer { label, value, description } = told.object();
    let line = |raw: Raw<'_>| raw.text().map(|text| text::line(&text, text::NAME));
    let description = description.text().map(|text| text::line(&text, text::DETAIL));
    Some(Choice { label: line(label)?, value: line(value)?, description })
}
