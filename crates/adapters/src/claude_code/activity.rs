//! The timeline's line for an event.

use super::event::Event;
use super::normalize::is_woken;
use super::payload::Payload;
use crate::Activity;
use crate::calls;
use crate::text::{self, ACTION};

/// What a person reads of this event; `None` for the many that say nothing new.
pub(crate) fn of(event: Event, payload: &Payload<'_>) -> Option<Activity> {
    let action = match event {
        Event::PreToolUse => return Some(calls::activity(payload.tool(), payload.tool_input)),
        _ if payload.is_helpers() => return None,
        Event::UserPromptSubmit => prompt(payload),
        Event::Stop => {
            let said = payload.last_assistant_message.text();
            said.map_or_else(|| "turn ended".to_owned(), |said| format!("said: {said}"))
        }
        Event::StopFailure => {
            let code = payload.error.text();
            format!("failed: {}", code.as_deref().unwrap_or("unknown"))
        }
        _ => return None,
    };
    Some(Activity { tool: None, action: Some(text::line(&action, ACTION)) })
}

fn prompt(payload: &Payload<'_>) -> String {
    let prompt = payload.prompt.text().unwrap_or_default();
    if !is_woken(payload) {
        return format!("prompt: {prompt}");
    }
    // `<summary>Background command "Background job" completed (exit code 0)</summary>` (measured)
    let summary =
        prompt.split_once("<summary>").and_then(|(_, rest)| rest.split_once("</summary>"));
    summary.map_or_else(|| "woken".to_owned(), |(summary, _)| format!("woken: {summary}"))
}
