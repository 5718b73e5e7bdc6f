//! What lines of a transcript say that no version has said that is known: it is counted, so that somebody
//! looks whether it means something.
//!
//! Claude Code 2.1.330. Most of these lines say nothing of the status, and are not read any further. Read in
//! the program; those of the recordings are among them.

use crate::json::{self, Raw, skim};
use crate::payload;

skim! {
    Line {
        kind: "type",
        subtype: "subtype",
        message: "message",
    }
}

skim! {
    Message {
        content: "content",
        stop_reason: "stop_reason",
    }
}

skim! {
    Block {
        kind: "type",
    }
}

/// The member that is news, if the line is one.
pub(crate) fn strange(line: &[u8]) -> Option<&'static str> {
    let text = json::decode(line);
    let text = json::trim(&text);
    let line: Line<'_> = json::walked(text)?;
    let kind = line.kind.text()?;
    let news = payload::strange(("type", line.kind, TYPES)).or_else(|| match &*kind {
        "system" => payload::strange(("subtype", line.subtype, SUBTYPES)),
        "user" | "assistant" => of_message(line.message.walked()),
        _ => None,
    });
    // Of a line that is not whole nothing is believed.
    news.filter(|_| json::is_whole(text))
}

fn of_message(message: Message<'_>) -> Option<&'static str> {
    // There is none before the answer's end.
    let stop = Some(message.stop_reason).filter(|stop| stop.json().is_some());
    let stop = stop.and_then(|stop| payload::strange(("stop_reason", stop, STOPS)));
    let is_news = |block: Raw<'_>| {
        let block: Block<'_> = block.walked();
        payload::strange(("content", block.kind, BLOCKS)).is_some()
    };
    stop.or_else(|| message.content.walked_items().any(is_news).then_some("content"))
}

/// Its own table of what it writes.
const TYPES: &[&str] = &[
    "agent-color",
    "agent-name",
    "agent-setting",
    "ai-title",
    "api-request",
    "api-request-blob",
    "api-request-resumed",
    "api-request-shape",
    "artifact-autoreact-ledger",
    "artifact-comment-monitor",
    "assistant",
    "atis-latch",
    "attachment",
    "attribution-snapshot",
    "bridge-session",
    "content-replacement",
    "continued-in",
    "cost-state",
    "custom-title",
    "data-flow-incomplete",
    "data-flow-records",
    "derived-from",
    "dev-mods",
    "ended-by-model",
    "file-history-delta",
    "file-history-snapshot",
    "fork-context-ref",
    "frame-link",
    "history-suppression",
    "isolation-latch",
    "last-prompt",
    "memory-mode",
    "mode",
    "observer-ref",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "relocated",
    "resume-head-vouch",
    "session-owner",
    "summary",
    "system",
    "tag",
    "tools-used",
    "user",
    "worktree-state",
];

/// Of `system`, also those that it says to its client alone.
pub(super) const SUBTYPES: &[&str] = &[
    "account_memory_saved",
    "agents_killed",
    "api_error",
    "api_retry",
    "away_summary",
    "background_tasks_changed",
    "bridge_state",
    "bridge_status",
    "checkpoint_done",
    "cloud_session_delta",
    "cloud_session_status",
    "code_change_published",
    "commands_changed",
    "compact_boundary",
    "control_request_progress",
    "dev_intent",
    "elicitation_complete",
    "feedback_draft_queued",
    "file_attachments_missing",
    "file_snapshot",
    "files_persisted",
    "hook_progress",
    "hook_response",
    "hook_started",
    "informational",
    "inherited_asks_settled",
    "init",
    "init_milestone",
    "instruction_size_warning",
    "late_allow_not_run",
    "local_command",
    "local_command_output",
    "memory_recall",
    "memory_saved",
    "microcompact_boundary",
    "mirror_error",
    "model_consent_fallback",
    "model_fallback",
    "model_refusal_fallback",
    "model_refusal_no_fallback",
    "notification",
    "peer_message_hold",
    "per_turn_effort_changed",
    "permission_check_status",
    "permission_denied",
    "permission_retry",
    "placed",
    "plugin_install",
    "post_turn_summary",
    "read_divider",
    "rewind_stand_in",
    "scheduled_task_fire",
    "session_metadata",
    "session_state_changed",
    "session_title_changed",
    "session_writes_lost",
    "shell_cwd",
    "start_folder",
    "status",
    "stop_hook_summary",
    "task_notification",
    "task_progress",
    "task_started",
    "task_summary",
    "task_updated",
    "thinking",
    "thinking_tokens",
    "tool_host_result",
    "turn_began_before_init",
    "turn_duration",
    "turn_handoff",
    "turn_handoff_available",
    "turn_preempted",
    "turn_starting",
    "vcs_state_changed",
    "voice_call_talk",
    "worker_shutting_down",
];

/// Why an answer ended.
const STOPS: &[&str] = &[
    "compaction",
    "end_turn",
    "max_tokens",
    "model_context_window_exceeded",
    "pause_turn",
    "refusal",
    "stop_sequence",
    "tool_deferred",
    "tool_use",
];

/// What messages are made of.
const BLOCKS: &[&str] = &[
    "advisor_tool_result",
    "bash_code_execution_tool_result",
    "browser_state",
    "code_execution_tool_result",
    "compaction",
    "connector_text",
    "container_upload",
    "document",
    "fallback",
    "image",
    "mcp_tool_listing",
    "mcp_tool_result",
    "mcp_tool_use",
    "mid_conv_system",
    "redacted_thinking",
    "search_result",
    "server_tool_use",
    "text",
    "text_editor_code_execution_tool_result",
    "thinking",
    "tool_addition",
    "tool_reference",
    "tool_removal",
    "tool_result",
    "tool_search_tool_result",
    "tool_use",
    "web_fetch_tool_result",
    "web_search_tool_result",
];
