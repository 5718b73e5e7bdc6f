//! The timeline's line for an event.

use super::normalize::{NOTICE, NOTICE_END, is_woken};
use super::payload::{Failure, Payload};
use crate::text::{self, ACTION};
use crate::{Activity, calls};

/// What a person reads of this event; `None` for the many that say nothing new.
pub(super) fn of(event: &str, payload: &Payload<'_>) -> Option<Activity> {
    let action = match event {
        "preToolUse" => return Some(calls::activity(payload.tool(), payload.tool_args)),
        _ if payload.is_helpers() => return None,
        "userPromptSubmitted" if is_woken(payload) => {
            let notice = payload.prompt.text()?;
            let notice = notice.trim_start_matches(NOTICE).trim_end();
            format!("woken: {}", notice.trim_end_matches(NOTICE_END).trim())
        }
        "userPromptSubmitted" => format!("prompt: {}", payload.prompt.text()?),
        "agentStop" => "turn ended".to_owned(),
        "errorOccurred" => {
            format!("failed: {}", payload.error.object::<Failure<'_>>().message.text()?)
        }
        _ => return None,
    };
    Some(Activity { tool: None, action: Some(text::line(&action, ACTION)) })
}
