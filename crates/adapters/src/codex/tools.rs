//! Tool calls, and the one tool that asks a person.

use super::payload::Payload;
use crate::calls;
use crate::json::{Raw, skim};
use headsup_core::prompt::ToolRef;

/// Asks in a dialog, in plan mode. Nothing but the start of this call tells of it (measured).
pub(crate) const QUESTION: &str = "request_user_input";

/// What hooks call a command (measured).
pub(crate) const SHELL: &str = "Bash";

skim! {
    /// The input of a command or a patch.
    Command { command: "command" }
}

/// The call that an event is about.
pub(crate) fn of(payload: &Payload<'_>) -> ToolRef {
    calls::call(payload.tool(), payload.tool_use_id, asked(payload.tool_input))
}

/// The part of an input that is the same at a call's start and in its request: that one carries a
/// `description` as well (measured).
fn asked(input: Raw<'_>) -> Raw<'_> {
    let command = input.object::<Command>().command;
    if command.json().is_some() { command } else { input }
}
