//! From a hook event to a fact: the one table.
//!
//! Qwen Code 0.24.4. "measured": seen in recordings; "read": not provoked.
//!
//! | event | fact | |
//! |---|---|---|
//! | `SessionStart` | session started; it comes some time after the program, also while that asks whether to trust the folder, or for a login | measured |
//! | `SessionEnd` | session ended, also by a signal it hears; with `clear` the process goes on, and with the word for leaving, too, where it begins anew because its folder has been trusted | measured, `clear` read |
//! | `UserPromptSubmit` | prompt submitted: a person's has `submitted_prompt`, the program's own after each step of tools has an empty `prompt`. Where no event names its turn, as in 0.21.2, that one is nothing: it would pass for another turn | measured, the last from how 0.21.2 was told |
//! | `PermissionRequest` | prompt opened: permission, question or plan | measured |
//! | `PreToolUse` | tool granted: it comes after the approval | measured |
//! | `PostToolUse`, `PostToolBatch` | tools ended; where all of a step were cancelled, by a denial or by Esc, so has the turn. With a result among them it goes on, but after an Esc while they run, which the notice of rest tells | measured, the last read |
//! | `PostToolUseFailure`, `PermissionDenied` | tool ended | read |
//! | `Notification` | `idle_prompt`: the prompt is free again, within a second, also after Esc and after a denial: the turn is over, and may be told before the hook that says how; `permission_prompt`: prompt confirmed | measured |
//! | `Stop` | turn ended, with what goes on in the background | measured, background read |
//! | `StopFailure` | turn failed | measured |
//! | `SubagentStart`, `SubagentStop` | helper started, ended | measured |
//! | `PreCompact`, `PostCompact` | by a person: compaction started, ended; else nothing: the turn goes on, and one that fails has no end. One of a person's that comes to nothing has none either: the notice of rest tells, or the title that works and rests behind it | read |
//! | `MessageDisplay`, `InstructionsLoaded`, `UserPromptExpansion`, `TodoCreated`, `TodoCompleted`, `SessionDelete` | nothing | measured, the last four read |
//!
//! Of a helper that has lost its id its start and end are counted, and nothing that it says is the main agent's.

use super::payload::Payload;
use crate::payload::{ANY, COMPACTS, Reasons, Wanted};
use crate::text::{self, DETAIL, NAME};
use crate::{FactExt, asks, background, calls, payload};
use headsup_core::observation::{Fact, Submitter};

/// With the words for leaving it may also begin anew (measured: `prompt_input_exit`; read).
const REASONS: Reasons = Reasons {
    clears: &["clear"],
    exits: &[],
    either: &["logout", "prompt_input_exit", "bypass_permissions_disabled", "other"],
};

/// How a session starts (measured: `startup`; read).
const SOURCES: &[&str] = &["startup", "resume", "clear", "compact", "branch"];

/// The tools that ask a person: a question, and whether a plan will do.
const QUESTION: &str = "ask_user_question";
const PLAN: &str = "exit_plan_mode";

/// What a helper asks for is granted without a word, once the person has let it start; the hook
/// comes before that (measured: 208 ms, on a very busy machine 1.2 s).
const HELPERS_MS: u32 = 1_500;

pub(super) fn fact(event: &str, payload: &Payload<'_>) -> Fact {
    match event {
        "PermissionRequest" => requested(payload),
        "PreToolUse" => Fact::ToolGranted {
            actor: payload.actor(),
            tool: payload.call(),
            turn_ref: payload.turn_ref(),
        },
        "PostToolUse" | "PostToolUseFailure" | "PermissionDenied" => Fact::ToolsEnded {
            actor: payload.actor(),
            tools: vec![payload.call()],
            interrupted: payload.is_interrupt.is_true() && !payload.is_helpers(),
            turn_ref: payload.turn_ref(),
        },
        "PostToolBatch" => Fact::ToolsEnded {
            actor: payload.actor(),
            tools: payload.batch(),
            interrupted: payload.is_cancelled() && !payload.is_helpers(),
            turn_ref: payload.turn_ref(),
        },
        "SubagentStart" | "SubagentStop" => {
            let starts = event == "SubagentStart";
            payload::helper(payload.actor(), payload.is_nameless(), starts)
        }
        "Notification" => notification(payload),
        "UserPromptExpansion"
        | "MessageDisplay"
        | "InstructionsLoaded"
        | "TodoCreated"
        | "TodoCompleted"
        | "SessionDelete" => Fact::Nothing,
        "SessionStart" | "SessionEnd" | "UserPromptSubmit" | "Stop" | "StopFailure"
        | "PreCompact" | "PostCompact" => of_main(event, payload),
        other => payload::unknown(other),
    }
}

/// What would speak of a helper alone, if it were a helper's.
fn of_main(event: &str, payload: &Payload<'_>) -> Fact {
    if payload.is_nameless() {
        return Fact::not_understood("a helper without an agent_id");
    }
    if payload.is_helpers() {
        return Fact::Nothing;
    }
    let ends = matches!(event, "Stop" | "StopFailure" | "SessionEnd");
    if let Some(why) = payload.unreadable_end().filter(|_| ends) {
        return Fact::not_understood(&why);
    }
    let manual = payload::by_person(payload.trigger);
    match event {
        "SessionStart" => {
            let how = payload::early(payload::session_start(payload.source));
            Fact::SessionStarted { how, attach: None }
        }
        "SessionEnd" => payload::session_end(payload.reason, &REASONS),
        "UserPromptSubmit" if payload.goes_on_unnamed() => Fact::Nothing,
        "UserPromptSubmit" => {
            let is_persons = payload.submitted_prompt.text().is_some();
            let by = if is_persons { Submitter::Person } else { Submitter::Program };
            Fact::PromptSubmitted { by, turn_ref: payload.turn_ref() }
        }
        "Stop" => Fact::TurnEnded {
            background: background::of(payload.background_tasks),
            turn_ref: payload.turn_ref(),
        },
        "StopFailure" => failed(payload),
        "PreCompact" if manual == Some(true) => Fact::CompactionStarted,
        "PostCompact" if manual != Some(false) => Fact::CompactionEnded { manual },
        _ => Fact::Nothing,
    }
}

/// What an event lacks that it has in this version, or what word of it is new.
pub(super) fn strange(event: &str, payload: &Payload<'_>) -> Option<&'static str> {
    const NOTICES: &[&str] =
        &["idle_prompt", "permission_prompt", "elicitation_dialog", "auth_success"];
    if payload.is_unread_helpers() {
        return Some("agent_id");
    }
    let wanted: Wanted<'_> = match event {
        "SessionStart" => ("source", payload.source, SOURCES),
        "UserPromptSubmit" => ("prompt", payload.prompt, ANY),
        "PermissionRequest" | "PreToolUse" | "PostToolUse" | "PostToolUseFailure" => {
            ("tool_name", payload.tool_name, ANY)
        }
        "PostToolBatch" => {
            let unlisted = payload::unlisted("tool_calls", payload.tool_calls);
            return unlisted.or_else(|| payload.ends_strangely().then_some("tool_calls.status"));
        }
        "SubagentStart" | "SubagentStop" => ("agent_id", payload.agent_id, ANY),
        "Notification" => ("notification_type", payload.notification_type, NOTICES),
        "SessionEnd" => return payload::strange_end(payload.reason, &REASONS),
        "Stop" => return background::strange(payload.background_tasks, false),
        "StopFailure" => ("error", payload.error, ANY),
        "PreCompact" | "PostCompact" => ("trigger", payload.trigger, COMPACTS),
        _ => return None,
    };
    payload::strange(wanted)
}

fn requested(payload: &Payload<'_>) -> Fact {
    let tool = payload.tool();
    let mut prompt = match tool.as_deref() {
        Some(QUESTION) => asks::question(payload.tool_input),
        Some(PLAN) => asks::plan(payload.tool_input),
        name => asks::permission(name, payload.tool_input),
    };
    prompt.tool = calls::asked(payload.call());
    Fact::PromptOpened {
        actor: payload.actor(),
        prompt,
        settle_ms: if payload.is_helpers() { HELPERS_MS } else { 0 },
        turn_ref: payload.turn_ref(),
    }
}

fn notification(payload: &Payload<'_>) -> Fact {
    match payload.notification_type.text().as_deref() {
        Some("idle_prompt") if !payload.is_helpers() => Fact::TurnOver,
        Some("permission_prompt" | "elicitation_dialog") => Fact::PromptConfirmed,
        _ => Fact::Nothing,
    }
}

/// `error` is a word of the program's own, `error_details` what the server said (measured).
fn failed(payload: &Payload<'_>) -> Fact {
    let code = payload.error.text().map(|code| text::line(&code, NAME));
    let detail = payload.last_assistant_message.text();
    Fact::TurnFailed {
        code: code.filter(|code| !code.is_empty()).unwrap_or_else(|| "unknown".to_owned()),
        detail: detail.map(|detail| text::line(&detail, DETAIL)),
        turn_ref: payload.turn_ref(),
    }
}
