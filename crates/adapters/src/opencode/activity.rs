//! The timeline's line for an event.

use super::payload::Payload;
use crate::text::{self, ACTION};
use crate::{Activity, calls};

/// What a person reads of this event; `None` for the many that say nothing new.
pub(super) fn of(event: &str, payload: &Payload<'_>) -> Option<Activity> {
    let status = payload.status.text();
    let status = status.as_deref().unwrap_or_default();
    if event == "message.part.updated" && status == "running" {
        return Some(calls::activity(payload.tool(), payload.tool_input));
    }
    if !payload.actor().is_main() {
        return None;
    }
    let action = match event {
        "session.status" if status == "retry" => {
            format!("retries: {}", payload.message.text()?)
        }
        "session.status" => format!("prompt: {}", payload.prompt.text()?),
        "session.idle" if status == "failed" => format!("failed: {}", payload.message.text()?),
        "session.idle" if status == "ended" => "turn ended".to_owned(),
        _ => return None,
    };
    Some(Activity { tool: None, action: Some(text::line(&action, ACTION)) })
}
