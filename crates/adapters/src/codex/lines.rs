//! What lines of the log say that no version has said that is known: it is counted, so that somebody looks
//! whether it means something.
//!
//! Codex 0.169.0. Most of these lines say nothing of the status, and are not read any further. Read in its
//! source, with older words that a log may still begin with; those of the recordings are among them.

use crate::json::{self, skim};
use crate::payload;

skim! {
    Line { kind: "type", payload: "payload" }
}

skim! {
    Payload { kind: "type" }
}

/// The member that is news, if the line is one: of what a payload is, the kind of its line.
pub(crate) fn strange(line: &[u8]) -> Option<&'static str> {
    let text = json::decode(line);
    let text = json::trim(&text);
    let line: Line<'_> = json::walked(text)?;
    let kind = line.kind.text()?;
    let of = || line.payload.walked::<Payload<'_>>().kind;
    let news = payload::strange(("type", line.kind, TYPES)).or_else(|| match &*kind {
        "event_msg" => payload::strange(("event_msg", of(), EVENTS)),
        "response_item" => payload::strange(("response_item", of(), ITEMS)),
        _ => None,
    });
    // Of a line that is not whole nothing is believed.
    news.filter(|_| json::is_whole(text))
}

const TYPES: &[&str] = &[
    "agent_response_observation",
    "compacted",
    "event_msg",
    "inter_agent_communication",
    "inter_agent_communication_metadata",
    "realtime_item",
    "response_item",
    "retained_context",
    "rollout_reference",
    "security_risk_score",
    "session_meta",
    "token_usage_record",
    "turn_context",
    "world_state",
];

const EVENTS: &[&str] = &[
    "agent_message",
    "agent_message_content_delta",
    "agent_message_delta",
    "agent_reasoning",
    "agent_reasoning_delta",
    "agent_reasoning_raw_content",
    "agent_reasoning_raw_content_delta",
    "agent_reasoning_section_break",
    "apply_patch_approval_request",
    "background_event",
    "collab_agent_interaction_begin",
    "collab_agent_interaction_end",
    "collab_agent_spawn_begin",
    "collab_agent_spawn_end",
    "collab_close_begin",
    "collab_close_end",
    "collab_resume_begin",
    "collab_resume_end",
    "collab_waiting_begin",
    "collab_waiting_end",
    "context_compacted",
    "deprecation_notice",
    "dynamic_tool_call_request",
    "dynamic_tool_call_response",
    "elicitation_request",
    "entered_review_mode",
    "error",
    "exec_approval_request",
    "exec_command_begin",
    "exec_command_end",
    "exec_command_output_delta",
    "exited_review_mode",
    "guardian_assessment",
    "guardian_warning",
    "hook_completed",
    "hook_started",
    "image_generation_begin",
    "image_generation_end",
    "item_completed",
    "item_started",
    "mcp_startup_complete",
    "mcp_startup_update",
    "mcp_tool_call_begin",
    "mcp_tool_call_end",
    "model_reroute",
    "model_verification",
    "patch_apply_begin",
    "patch_apply_end",
    "patch_apply_updated",
    "plan_delta",
    "plan_update",
    "raw_response_completed",
    "raw_response_item",
    "realtime_conversation_closed",
    "realtime_conversation_realtime",
    "realtime_conversation_sdp",
    "realtime_conversation_started",
    "reasoning_content_delta",
    "reasoning_raw_content_delta",
    "request_permissions",
    "request_user_input",
    "session_configured",
    "shutdown_complete",
    "skills_update_available",
    "stream_error",
    "sub_agent_activity",
    "task_complete",
    "task_started",
    "terminal_interaction",
    "thread_goal_cleared",
    "thread_goal_updated",
    "thread_name_updated",
    "thread_rolled_back",
    "thread_settings_applied",
    "token_count",
    "turn_aborted",
    "turn_diff",
    "turn_moderation_metadata",
    "undo_completed",
    "undo_started",
    "user_message",
    "view_image_tool_call",
    "warning",
    "web_search_begin",
    "web_search_end",
];

const ITEMS: &[&str] = &[
    "additional_tools",
    "agent_message",
    "compaction",
    "compaction_summary",
    "compaction_trigger",
    "configuration_update",
    "context_compaction",
    "custom_tool_call",
    "custom_tool_call_output",
    "function_call",
    "function_call_output",
    "ghost_snapshot",
    "image_generation_call",
    "local_shell_call",
    "message",
    "other",
    "reasoning",
    "tool_search_call",
    "tool_search_output",
    "web_search_call",
];
