//! The timeline's line for an event.

use super::normalize::asks_again;
use super::payload::Payload;
use crate::text::{self, ACTION};
use crate::{Activity, calls};

/// What a person reads of this event. Not the answer: it comes with words twice (measured).
pub(super) fn of(event: &str, payload: &Payload<'_>) -> Option<Activity> {
    let action = match event {
        "BeforeTool" => return Some(calls::activity(payload.tool(), payload.tool_input)),
        "BeforeAgent" if asks_again(payload) => return None,
        "BeforeAgent" => format!("prompt: {}", payload.prompt.text()?),
        "AfterAgent" => "turn ended".to_owned(),
        _ => return None,
    };
    Some(Activity { tool: None, action: Some(text::line(&action, ACTION)) })
}
