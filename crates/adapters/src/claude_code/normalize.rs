//! From a hook event to a fact: the one table.
//!
//! Claude Code 2.1.330. "measured": seen in recordings; "read": not provoked.
//!
//! | event | fact | |
//! |---|---|---|
//! | `SessionStart` | session started; not working, and in mid-turn after a compaction | measured |
//! | `SessionEnd` | session ended; with `clear` and `resume` the process goes on, without a reason its process tells, and a word that is not known is a goodbye only of a process that is gone in a moment | measured, `resume` read |
//! | `UserPromptSubmit` | prompt submitted, by the program if a background task woke it | measured |
//! | `PreToolUse` | tool started: before the permission, so never blocked | measured |
//! | `PostToolUse`, `PostToolBatch` | tools ended | measured |
//! | `PostToolUseFailure` | tool ended; with `is_interrupt` a person stopped the turn | measured, interrupt read |
//! | `PermissionRequest` | prompt opened: permission, question or plan | measured |
//! | `PermissionDenied` | tool ended: the automatic mode refused it | read |
//! | `Elicitation`, `ElicitationResult` | prompt opened, resolved | measured |
//! | `Notification` | `idle_prompt`: idle notice of the turn that it names, 60 s late; dialogs: prompt confirmed, 6 s late | measured |
//! | `Stop` | turn ended, with what goes on in the background | measured |
//! | `StopFailure` | turn failed | measured |
//! | `SubagentStart`, `SubagentStop` | helper started, ended; one without a type is the compaction's own | measured |
//! | `PreCompact`, `PostCompact` | compaction started, ended; a manual one has a `prompt_id` of its own, and no `Stop` after it; helpers go on beside it, and what ends meanwhile wakes the agent behind it | measured |
//! | `TaskCreated`, `TaskCompleted` | nothing: they are to-do items | measured |
//! | `MessageDisplay`, `ConfigChange`, `PreModelSwitch`, `PostModelSwitch` | nothing | measured |
//! | all others | nothing | read |
//!
//! Events of a helper touch nothing but its own tools and prompts: the other ones have no
//! `agent_id` in any recording, and would speak of the helper alone.

use super::event::Event;
use super::payload::Payload;
use super::{attach, prompts, tools};
use crate::background;
use crate::payload::{ANY, COMPACTS, Reasons, Wanted};
use crate::text::{self, DETAIL, NAME};
use crate::{FactExt, HookContext, payload};
use headsup_core::observation::{Fact, Submitter};

/// `resume` within a running program puts another conversation in place of this one, as `clear` does
/// (read). Measured: `prompt_input_exit`, `other`.
const REASONS: Reasons = Reasons {
    clears: &["clear", "resume"],
    exits: &["logout", "prompt_input_exit", "other", "bypass_permissions_disabled"],
    either: &[],
};

/// How a session starts (all measured but `fork`: read).
const SOURCES: &[&str] = &["startup", "resume", "clear", "compact", "fork"];

pub(crate) fn fact(event: Event, payload: &Payload<'_>, context: &HookContext) -> Fact {
    match event {
        Event::PreToolUse => Fact::ToolStarted {
            actor: payload.actor(),
            tool: tools::of(payload),
            turn_ref: payload.turn_ref(),
        },
        Event::PostToolUse | Event::PermissionDenied => tool_ended(payload, false),
        // Esc stops a helper's tool and not the main agent's turn.
        Event::PostToolUseFailure => {
            let interrupted = payload.is_interrupt.is_true() && !payload.is_helpers();
            tool_ended(payload, interrupted)
        }
        Event::PostToolBatch => Fact::ToolsEnded {
            actor: payload.actor(),
            tools: tools::batch(payload),
            interrupted: false,
            turn_ref: payload.turn_ref(),
        },
        Event::PermissionRequest => prompts::requested(payload, context),
        Event::Elicitation => prompts::elicited(payload, context),
        Event::ElicitationResult => prompts::elicitation_result(payload),
        Event::SubagentStart => helper(payload, |id| Fact::SubagentStarted { id }),
        Event::SubagentStop => helper(payload, |id| Fact::SubagentEnded { id }),
        Event::Notification => notification(payload),
        _ if payload.is_helpers() => Fact::Nothing,
        Event::Stop | Event::StopFailure | Event::SessionEnd
            if payload.unreadable_end().is_some() =>
        {
            Fact::not_understood(&payload.unreadable_end().unwrap_or_default())
        }
        Event::SessionStart => Fact::SessionStarted {
            how: payload::session_start(payload.source),
            attach: attach(context),
        },
        Event::SessionEnd => payload::session_end(payload.reason, &REASONS),
        Event::UserPromptSubmit => {
            let by = if is_woken(payload) { Submitter::Program } else { Submitter::Person };
            Fact::PromptSubmitted { by, turn_ref: payload.turn_ref() }
        }
        Event::Stop => {
            let background = background::of(payload.background_tasks);
            Fact::TurnEnded { background, turn_ref: payload.turn_ref() }
        }
        Event::StopFailure => failed(payload),
        Event::PreCompact => payload::compaction(payload.turn_ref()),
        Event::PostCompact => Fact::CompactionEnded { manual: payload::by_person(payload.trigger) },
        Event::UserPromptExpansion
        | Event::PreModelSwitch
        | Event::PostModelSwitch
        | Event::TaskCreated
        | Event::TaskCompleted
        | Event::TeammateIdle
        | Event::MessageDisplay
        | Event::ConfigChange
        | Event::CwdChanged
        | Event::FileChanged
        | Event::DirectoryAdded
        | Event::InstructionsLoaded
        | Event::Setup
        | Event::WorktreeCreate
        | Event::WorktreeRemove => Fact::Nothing,
    }
}

/// What else a notification may be about: nothing that says something of the status (read, `auth_success`
/// and `elicitation_response` measured).
const NOTICES: &[&str] = &[
    "idle_prompt",
    "permission_prompt",
    "elicitation_dialog",
    "agent_needs_input",
    "worker_permission_prompt",
    "elicitation_url_dialog",
    "auth_success",
    "elicitation_response",
    "elicitation_complete",
    "agent_completed",
    "push_notification",
    "computer_use_enter",
    "computer_use_exit",
    "model_refusal_fallback",
    "auth_storage_failure",
    "plugin_notification",
];
/// Of these there are several.
const QUOTA: &str = "quota_auto_resume_";

/// What an event lacks that it has in this version, or what word of it is new.
pub(crate) fn strange(event: Event, payload: &Payload<'_>) -> Option<&'static str> {
    let turn: Wanted<'_> = ("prompt_id", payload.prompt_id, ANY);
    let tool: Wanted<'_> = ("tool_name", payload.tool_name, ANY);
    let wanted: Wanted<'_> = match event {
        Event::SessionStart => ("source", payload.source, SOURCES),
        Event::PreToolUse | Event::PostToolUse | Event::PostToolUseFailure => {
            return payload::any_strange([tool, ("tool_use_id", payload.tool_use_id, ANY)]);
        }
        Event::PermissionRequest => tool,
        Event::PostToolBatch => return payload::unlisted("tool_calls", payload.tool_calls),
        Event::Notification => {
            let said = payload.notification_type;
            if said.text().is_some_and(|said| said.starts_with(QUOTA)) {
                return None;
            }
            ("notification_type", said, NOTICES)
        }
        Event::SessionEnd => return payload::strange_end(payload.reason, &REASONS),
        Event::UserPromptSubmit => {
            return payload::any_strange([turn, ("prompt", payload.prompt, ANY)]);
        }
        Event::Stop => {
            let strange = background::strange(payload.background_tasks, true);
            return strange.or_else(|| payload::strange(turn));
        }
        Event::StopFailure => {
            return payload::any_strange([("error", payload.error, ANY), turn]);
        }
        // Without it that of the compaction would be one like any other.
        Event::SubagentStart | Event::SubagentStop => ("agent_type", payload.agent_type, ANY),
        Event::PreCompact | Event::PostCompact => {
            return payload::any_strange([("trigger", payload.trigger, COMPACTS), turn]);
        }
        _ => return None,
    };
    payload::strange(wanted)
}

/// A finished background task wakes the session with a prompt of the program's own (measured).
/// `source` is `system` for such a prompt in versions that send it (read).
pub(super) fn is_woken(payload: &Payload<'_>) -> bool {
    let prompt = payload.prompt.text();
    prompt.is_some_and(|prompt| prompt.trim_start().starts_with("<task-notification>"))
        || payload.source.text().as_deref() == Some("system")
}

fn tool_ended(payload: &Payload<'_>, interrupted: bool) -> Fact {
    Fact::ToolsEnded {
        actor: payload.actor(),
        tools: vec![tools::of(payload)],
        interrupted,
        turn_ref: payload.turn_ref(),
    }
}

/// `auth_success`, `elicitation_response` and the like say nothing of the status.
fn notification(payload: &Payload<'_>) -> Fact {
    match payload.notification_type.text().as_deref() {
        Some("idle_prompt") if !payload.is_helpers() => {
            Fact::IdleNotice { turn_ref: payload.turn_ref() }
        }
        Some(
            "permission_prompt"
            | "elicitation_dialog"
            | "agent_needs_input"
            | "worker_permission_prompt"
            | "elicitation_url_dialog",
        ) => Fact::PromptConfirmed,
        _ => Fact::Nothing,
    }
}

/// `error` is one of the program's twelve words, such as `rate_limit` (measured: four of them).
fn failed(payload: &Payload<'_>) -> Fact {
    let code = payload.error.text().map(|code| text::line(&code, NAME));
    let detail = payload.last_assistant_message.text();
    Fact::TurnFailed {
        code: code.filter(|code| !code.is_empty()).unwrap_or_else(|| "unknown".to_owned()),
        detail: detail.map(|detail| text::line(&detail, DETAIL)),
        turn_ref: payload.turn_ref(),
    }
}

/// Compaction's own helper has the type `""` and was never announced (measured).
fn helper(payload: &Payload<'_>, fact: impl Fn(String) -> Fact) -> Fact {
    if payload.agent_type.json() == Some("\"\"") {
        return Fact::Nothing;
    }
    let id = payload.agent_id.text().and_then(|id| text::id(&id));
    id.map_or_else(|| Fact::not_understood("a helper without an agent_id"), fact)
}
