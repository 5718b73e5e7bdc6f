//! From a hook event to a fact: the one table.
//!
//! Gemini CLI 0.61.0. "measured": seen in recordings; "read": not provoked.
//!
//! | event | fact | |
//! |---|---|---|
//! | `SessionStart` | session started; it comes also while the program asks for a login, or for a key | measured, with `--resume` read |
//! | `SessionEnd` | session ended, told three times; with `clear` the process goes on, without a reason its process tells, and a word that is not known is a goodbye only of a process that is gone in a moment. TERM and HUP are told as well. Where its terminal is closed its screen's next line ends it, with code 1 (`write EIO`): then it is told now and then alone, and never where that comes without HUP | measured |
//! | `BeforeAgent` | prompt submitted: a person's, or the program's own, which asks its model once more behind a call | measured |
//! | `AfterAgent` | turn ended, also by Esc while it streamed, which the log has told before; without any text, or with blanks alone, the turn is over unanswered: an API error, an Esc before the first word, and an empty answer to a tool, upon which the program asks once more by itself with a `BeforeAgent` of its own (180 ms later), look alike here, and the log alone tells which | measured, the second Esc read |
//! | `BeforeTool` | tool started: before the approval, so never blocked | measured |
//! | `AfterTool` | tool ended | measured |
//! | `Notification` of `ToolPermission` | dialog shown, which does not name the call, but for a command, which it repeats; one of any other type is not understood. Of several at once they come in another order than their calls | measured |
//! | `PreCompress` | by a person (`manual`): compaction started, whose end the log tells; else nothing: it comes with every call of the model, and is not registered for that | measured |
//! | `BeforeModel`, `AfterModel`, `BeforeToolSelection` | nothing; never registered: they come with every call of the model and every piece of an answer | measured |

use super::payload::{Details, Payload};
use crate::json::Raw;
use crate::payload::{ANY, COMPACTS, Reasons, Wanted};
use crate::text::{self, TITLE};
use crate::{FactExt, asks, calls, payload};
use headsup_core::observation::{Background, Fact, Submitter};
use headsup_core::prompt::{Actor, NewPrompt, PromptKind};
use headsup_core::status::BlockedReason;

/// What stands in the place of an answer without text.
const NO_TEXT: &str = "[no response text]";

/// How it asks once more by itself, where its model has said nothing behind a call (0.61.0, measured).
const ASKS_AGAIN: &str =
    "[System: You successfully executed a tool but returned an empty response.";

/// All words of its list (measured: `exit`, `clear`; read).
const REASONS: Reasons = Reasons {
    clears: &["clear"],
    exits: &["exit", "logout", "prompt_input_exit", "other"],
    either: &[],
};

/// How a session starts (measured: `startup`, `clear`; read).
const SOURCES: &[&str] = &["startup", "resume", "clear"];

pub(super) fn fact(event: &str, payload: &Payload<'_>) -> Fact {
    match event {
        "SessionStart" => {
            let how = payload::early(payload::session_start(payload.source));
            Fact::SessionStarted { how, attach: None }
        }
        "SessionEnd" => payload::session_end(payload.reason, &REASONS),
        "BeforeAgent" => {
            let by = if asks_again(payload) { Submitter::Program } else { Submitter::Person };
            Fact::PromptSubmitted { by, turn_ref: None }
        }
        "AfterAgent" if !is_answered(payload) => Fact::TurnUnanswered,
        "AfterAgent" => Fact::TurnEnded { background: Background::default(), turn_ref: None },
        "BeforeTool" => {
            Fact::ToolStarted { actor: Actor::Main, tool: payload.call(), turn_ref: None }
        }
        "AfterTool" => Fact::ToolsEnded {
            actor: Actor::Main,
            tools: vec![payload.call()],
            interrupted: false,
            turn_ref: None,
        },
        "Notification" => notification(payload),
        "PreCompress" if payload.trigger.text().as_deref() == Some("manual") => {
            Fact::CompactionStarted
        }
        "PreCompress" | "BeforeModel" | "AfterModel" | "BeforeToolSelection" => Fact::Nothing,
        other => payload::unknown(other),
    }
}

/// Is it a prompt of the program's own, which goes on with the turn?
pub(super) fn asks_again(payload: &Payload<'_>) -> bool {
    payload.prompt.text().is_some_and(|prompt| prompt.starts_with(ASKS_AGAIN))
}

/// An answer that cannot be read tells no more than none, and so does one of the blanks that join empty pieces.
fn is_answered(payload: &Payload<'_>) -> bool {
    let says = |answer: &str| !answer.trim().is_empty() && answer != NO_TEXT;
    payload.prompt_response.text().is_some_and(|answer| says(&answer))
}

/// What a notice is of.
const NOTICES: &[&str] = &["ToolPermission"];

/// What an event lacks that it has in this version, or what word of it is new.
pub(super) fn strange(event: &str, payload: &Payload<'_>) -> Option<&'static str> {
    let wanted: Wanted<'_> = match event {
        "SessionStart" => ("source", payload.source, SOURCES),
        "BeforeTool" | "AfterTool" => ("tool_name", payload.tool_name, ANY),
        "Notification" => {
            let details: Details<'_> = payload.details.object();
            let notice = ("notification_type", payload.notification_type, NOTICES);
            return payload::any_strange([notice, ("details.type", details.kind, DIALOGS)]);
        }
        "BeforeAgent" => ("prompt", payload.prompt, ANY),
        "AfterAgent" => ("prompt_response", payload.prompt_response, ANY),
        "SessionEnd" => return payload::strange_end(payload.reason, &REASONS),
        "PreCompress" => ("trigger", payload.trigger, COMPACTS),
        _ => return None,
    };
    payload::strange(wanted)
}

fn notification(payload: &Payload<'_>) -> Fact {
    match payload.notification_type.text().as_deref() {
        Some("ToolPermission") => Fact::DialogShown { actor: Actor::Main, prompt: asked(payload) },
        // It may be a dialog all the same: nothing else is told by it.
        Some(_) => Fact::not_understood("unknown notification_type"),
        None => Fact::not_understood("a notice without a notification_type"),
    }
}

/// What its dialogs are of: `details.type` (measured: the first two; read).
const DIALOGS: &[&str] =
    &["exec", "ask_user", "edit", "info", "mcp", "exit_plan_mode", "sandbox_expansion"];

/// A dialog of a type that nobody knows waits all the same, and is counted.
fn asked(payload: &Payload<'_>) -> NewPrompt {
    let details: Details<'_> = payload.details.object();
    let said = details.title.text().or_else(|| payload.message.text());
    let telling = calls::telling(payload.details);
    let title = match (said, telling) {
        (Some(said), Some(telling)) => format!("{said}: {telling}"),
        (Some(said), None) => said.into_owned(),
        (None, _) => String::new(),
    };
    let title = text::line(&title, TITLE);
    let (kind, reason) = match details.kind.text().as_deref() {
        Some("ask_user") => (PromptKind::Question, BlockedReason::Question),
        Some("exit_plan_mode") => (PromptKind::PlanApproval, BlockedReason::PlanApproval),
        _ => (PromptKind::Permission, BlockedReason::Permission),
    };
    let title = if title.is_empty() { "Action required".to_owned() } else { title };
    let is_command = details.kind.text().as_deref() == Some("exec");
    let command = Some(details.command).filter(|command| is_command && command.text().is_some());
    // It does not name its tool.
    let tool = command.map(|command| calls::call(None, Raw::default(), command));
    NewPrompt { tool, ..asks::prompt(kind, reason, title) }
}
