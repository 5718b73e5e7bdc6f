//! The timeline's line for an event.

use super::payload::Payload;
use crate::text::{self, ACTION};
use crate::{Activity, calls};

/// What a person reads of this event; `None` for the many that say nothing new.
pub(super) fn of(event: &str, payload: &Payload<'_>) -> Option<Activity> {
    let action = match event {
        "PreToolUse" => return Some(calls::activity(payload.tool(), payload.tool_input)),
        _ if payload.is_helpers() => return None,
        "UserPromptSubmit" => format!("prompt: {}", payload.submitted_prompt.text()?),
        "Stop" => {
            let said = payload.last_assistant_message.text();
            said.map_or_else(|| "turn ended".to_owned(), |said| format!("said: {said}"))
        }
        "StopFailure" => {
            let code = payload.error.text();
            format!("failed: {}", code.as_deref().unwrap_or("unknown"))
        }
        _ => return None,
    };
    Some(Activity { tool: None, action: Some(text::line(&action, ACTION)) })
}
