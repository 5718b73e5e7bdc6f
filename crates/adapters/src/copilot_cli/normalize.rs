//! From a hook event to a fact: the one table.
//!
//! Copilot CLI 1.0.102. "measured": seen in recordings; "read": not provoked.
//!
//! | event | fact | |
//! |---|---|---|
//! | `sessionStart` | session started; it comes with the first prompt, before or after it | measured |
//! | `sessionEnd` | session ended, also by SIGHUP; `user_exit` is the reason of `/exit` and of `/clear`, after which the program goes on; in mid-turn that is over with either: what the model still answers is not acted on; `error` that of `-p` whose turn has failed: the log tells that too late | measured |
//! | `userPromptSubmitted` | prompt submitted, by the program if the end of a shell in the background woke it; a helper's is nothing | measured |
//! | `preToolUse` | tool started: before the approval, so never blocked. `ask_user` asks a question: prompt opened, once its notice is there. `exit_plan_mode` asks whether its plan will do, but where the program approves that itself, and nothing else tells of its dialog: prompt opened | measured, who approves read |
//! | `permissionRequest` | nothing: it comes before the program's own policy | read |
//! | `notification` of `permission_prompt`, `elicitation_dialog` | dialog shown, which does not name the call | measured |
//! | `postToolUse` | tool ended; none comes of a call that fails, as of a plan that is refused: the log tells | measured |
//! | `agentStop` | turn ended, but for helpers, which it does not list; a helper's is nothing. With another `stopReason` than known, or without one, the main agent rests, and how its turn has ended the log may tell | measured, other reasons not |
//! | `errorOccurred` of `model_call` | nothing if it is `recoverable`: each try of a call that is tried again has one, and so has the last (measured at 400, 401, 429); whether the turn failed, the log tells. With `recoverable: false` turn failed. All other errors are nothing | measured, others read |
//! | `subagentStart`, `subagentStop` | helper started, ended | measured |
//! | `preCompact` | nothing: the turn goes on | read |

use super::payload::{Asked, Failure, Payload};
use super::transcript::SETTLE_MS;
use crate::json::Raw;
use crate::payload::{ANY, Reasons, Wanted};
use crate::text::{self, DETAIL, NAME, TITLE};
use crate::{FactExt, asks, payload};
use headsup_core::observation::{Background, Fact, SessionEnd, SessionStart, Submitter};
use headsup_core::prompt::{NewPrompt, PromptKind};
use headsup_core::status::BlockedReason;

/// Measured: `complete`, `error`, `user_exit`, which stands for `/exit` and for `/clear`; read.
const REASONS: Reasons =
    Reasons { clears: &[], exits: &["complete", FAILED, "abort", "timeout"], either: &[LEFT] };

/// A person leaves the program, or its conversation. The turn ends with that: no call of it is run any more (measured:
/// `/clear` while it streams, and while a tool runs).
const LEFT: &str = "user_exit";

/// It leaves because its turn has failed.
const FAILED: &str = "error";

/// The tool that asks whether a plan will do.
const PLAN: &str = "exit_plan_mode";

/// The tool that asks a question. The notice of its dialog does not say which.
const QUESTION: &str = "ask_user";

/// How a prompt of the program's own begins, and how it ends.
pub(super) const NOTICE: &str = "<system_notification>";
pub(super) const NOTICE_END: &str = "</system_notification>";

/// How a turn comes to its own end (measured: no other reason).
const STOPS: &[&str] = &["end_turn"];

/// Why nobody knows whose a helper's event is.
const NAMELESS: &str = "a helper without an agentId";

pub(super) fn fact(event: &str, payload: &Payload<'_>) -> Fact {
    match event {
        "preToolUse" if payload.tool().as_deref() == Some(PLAN) => Fact::PromptOpened {
            actor: payload.actor(),
            prompt: NewPrompt { tool: Some(payload.call()), ..asks::plan(payload.tool_args) },
            settle_ms: SETTLE_MS,
            turn_ref: None,
        },
        "preToolUse" if payload.tool().as_deref() == Some(QUESTION) => Fact::PromptOpened {
            actor: payload.actor(),
            prompt: question(payload),
            settle_ms: SETTLE_MS,
            turn_ref: None,
        },
        "preToolUse" => {
            Fact::ToolStarted { actor: payload.actor(), tool: payload.call(), turn_ref: None }
        }
        "postToolUse" => Fact::ToolsEnded {
            actor: payload.actor(),
            tools: vec![payload.call()],
            interrupted: false,
            turn_ref: None,
        },
        "subagentStart" | "subagentStop" => {
            let starts = event == "subagentStart";
            payload::helper(payload.actor(), payload.is_nameless(), starts)
        }
        "notification" | "Notification" => notification(payload),
        _ if payload.is_nameless() => Fact::not_understood(NAMELESS),
        "permissionRequest" | "preCompact" => Fact::Nothing,
        "sessionStart" | "sessionEnd" | "userPromptSubmitted" | "agentStop" | "errorOccurred"
            if payload.is_helpers() =>
        {
            Fact::Nothing
        }
        // A resumed one, too, is told with its first prompt, and perhaps after it.
        "sessionStart" => Fact::SessionStarted { how: SessionStart::Startup, attach: None },
        "sessionEnd" | "agentStop" if payload.session_id.is_other_than('"') => {
            Fact::not_understood("sessionId is not a string")
        }
        "sessionEnd" if payload.reason.text().as_deref() == Some(FAILED) => {
            Fact::SessionEnded { how: SessionEnd::Failed }
        }
        "sessionEnd" if payload.reason.text().as_deref() == Some(LEFT) => {
            Fact::SessionEnded { how: SessionEnd::Closed }
        }
        "sessionEnd" => payload::session_end(payload.reason, &REASONS),
        "userPromptSubmitted" => {
            let by = if is_woken(payload) { Submitter::Program } else { Submitter::Person };
            Fact::PromptSubmitted { by, turn_ref: None }
        }
        "agentStop" => stopped(payload),
        "errorOccurred" => failed(payload),
        other => payload::unknown(other),
    }
}

/// The end of a shell in the background wakes the session with a prompt of the program's own (measured).
pub(super) fn is_woken(payload: &Payload<'_>) -> bool {
    payload.prompt.text().is_some_and(|prompt| prompt.starts_with(NOTICE))
}

/// What an event lacks that it has in this version, or what word of it is new.
pub(super) fn strange(event: &str, payload: &Payload<'_>) -> Option<&'static str> {
    // But for the dialogs they are of what runs in the background, and of rest (documented).
    const NOTICES: &[&str] = &[
        "permission_prompt",
        "elicitation_dialog",
        "shell_completed",
        "shell_detached_completed",
        "agent_completed",
        "agent_idle",
    ];
    if payload.is_unread_helpers() {
        return Some("agentId");
    }
    let wanted: Wanted<'_> = match event {
        "userPromptSubmitted" => ("prompt", payload.prompt, ANY),
        "preToolUse" | "postToolUse" => ("toolName", payload.tool_name, ANY),
        "subagentStart" | "subagentStop" => ("agentId", payload.agent_id, ANY),
        "notification" | "Notification" => {
            ("notification_type", payload.notification_type, NOTICES)
        }
        "sessionEnd" => return payload::strange_end(payload.reason, &REASONS),
        "agentStop" if !payload.is_helpers() => ("stopReason", payload.stop_reason, STOPS),
        "errorOccurred" => ("errorContext", payload.error_context, ANY),
        _ => return None,
    };
    payload::strange(wanted)
}

/// What a call asks, with the title of its dialog where that cannot be read.
fn question(payload: &Payload<'_>) -> NewPrompt {
    let asked: Asked<'_> = payload.tool_args.object();
    let words = [asked.message, asked.question].into_iter().find_map(Raw::text);
    let title = words.map(|words| text::line(&words, TITLE)).filter(|title| !title.is_empty());
    let title = title.unwrap_or_else(|| "Information requested".to_owned());
    let prompt = asks::prompt(PromptKind::Question, BlockedReason::Question, title);
    NewPrompt { tool: Some(payload.call()), ..prompt }
}

/// A title for what is shown: `message` says what is asked, but for a question (measured).
fn notification(payload: &Payload<'_>) -> Fact {
    let (kind, reason) = match payload.notification_type.text().as_deref() {
        Some("permission_prompt") => (PromptKind::Permission, BlockedReason::Permission),
        Some("elicitation_dialog") => (PromptKind::Question, BlockedReason::Question),
        _ => return Fact::Nothing,
    };
    let message = payload.message.text().map(|message| text::line(&message, TITLE));
    let title = message.filter(|title| !title.is_empty());
    let title = title.unwrap_or_else(|| "Action required".to_owned());
    Fact::DialogShown { actor: payload.actor(), prompt: asks::prompt(kind, reason, title) }
}

/// Only a turn that has come to its own end is completed. Whether it has failed the log tells, and so it does of one that
/// ends for a reason that nobody knows, or without any.
fn stopped(payload: &Payload<'_>) -> Fact {
    let reason = payload.stop_reason.text();
    if !reason.is_some_and(|said| STOPS.contains(&&*said)) {
        return Fact::TurnUnanswered;
    }
    // It goes on by itself when the last helper that it has left behind has ended (measured).
    let background = Background { wakes: true, ..Background::unlisted() };
    Fact::TurnEnded { background, turn_ref: None }
}

fn failed(payload: &Payload<'_>) -> Fact {
    let context = payload.error_context.text();
    if payload.error_context.is_other_than('"') {
        return Fact::not_understood("errorContext is not a string");
    }
    if context.as_deref() != Some("model_call") || payload.recoverable.is_true() {
        return Fact::Nothing;
    }
    if payload.recoverable.json() != Some("false") {
        return Fact::not_understood("recoverable is neither true nor false");
    }
    let error: Failure<'_> = payload.error.object();
    let code = error.name.text().map(|name| text::line(&name, NAME));
    Fact::TurnFailed {
        code: code.filter(|code| !code.is_empty()).unwrap_or_else(|| "unknown".to_owned()),
        detail: error.message.text().map(|message| text::line(&message, DETAIL)),
        turn_ref: None,
    }
}
