//! The timeline's line for an event.

use super::event::Event;
use super::payload::Payload;
use crate::text::{self, ACTION};
use crate::{Activity, calls};

/// What a person reads of this event; `None` for the many that say nothing new.
pub(crate) fn of(event: Event, payload: &Payload<'_>) -> Option<Activity> {
    let action = match event {
        Event::PreToolUse => return Some(calls::activity(payload.tool(), payload.tool_input)),
        _ if payload.is_helpers() => return None,
        Event::UserPromptSubmit => {
            format!("prompt: {}", payload.prompt.text().unwrap_or_default())
        }
        Event::Stop => {
            let said = payload.last_assistant_message.text();
            said.map_or_else(|| "turn ended".to_owned(), |said| format!("said: {said}"))
        }
        Event::Interrupt => "interrupted".to_owned(),
        _ => return None,
    };
    Some(Activity { tool: None, action: Some(text::line(&action, ACTION)) })
}
