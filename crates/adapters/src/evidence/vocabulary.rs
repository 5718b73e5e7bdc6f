//! Which members of payloads, status files and logs hold the program's own words, and which hold
//! names of things. Whatever stands in neither list is somebody's text.
//!
//! Claude Code 2.1.330, Codex 0.169.0, Copilot CLI 1.0.102, Gemini CLI 0.61.0, OpenCode 1.18.33, Qwen Code
//! 0.24.4 (measured); what is documented of others as far as their maps name it.

/// Members whose values are the program's own words.
const WORDS: &[&str] = &[
    "hook_event_name",
    "event",
    "source",
    "reason",
    "notification_type",
    "trigger",
    "permission_mode",
    "permissionMode",
    "tool_name",
    "error",
    "status",
    "waitingFor",
    "type",
    "subtype",
    "kind",
    "entrypoint",
    "version",
    "model",
    "to_model",
    "from_model",
    "stop_reason",
    "role",
    "action",
    "procStart",
    "timestamp",
    "agent_type",
    "level",
    "userType",
    "hookName",
    "toolName",
    "errorContext",
    "stopReason",
    "turn_trigger",
    "codex_error_info",
    "mode",
    "reply",
    "activeFlags",
    "codexErrorInfo",
    "notificationType",
    "agent_stop_cause",
    "permission_kind",
    "decision",
    "error_type",
    "errorType",
    "subagentType",
    "responseKind",
    "state",
    "method",
    "from",
    "operation",
    "toolDenialKind",
    "pendingRewriteSources",
];

/// Members whose values name a session, a call, a message.
const IDS: &[&str] = &[
    "session_id",
    "sessionId",
    "tool_use_id",
    "toolUseID",
    "agent_id",
    "agentId",
    "prompt_id",
    "promptId",
    "turn_id",
    "root_turn_id",
    "thread_id",
    "threadId",
    "elicitation_id",
    "interruptedMessageId",
    "id",
    "uuid",
    "parentUuid",
    "messageId",
    "requestId",
    "call_id",
    "tool_call_id",
    "toolCallId",
    "toolUseId",
    "conversation_id",
    "generation_id",
    "taskId",
    "run_id",
    "parent_session_id",
    "parent_agent_id",
    "subagentId",
];

/// Members whose values are paths, whatever characters they have.
const PATHS: &[&str] = &[
    "cwd",
    "new_cwd",
    "old_cwd",
    "transcript_path",
    "agent_transcript_path",
    "file_path",
    "transcriptPath",
    "workspaceRoot",
    "workspace_roots",
    "workspaceRoots",
    "working_dir",
];

/// What calls of tools are made of; any other member of a call may be named by the agent.
const OF_CALLS: &[&str] = &[
    "command",
    "file_path",
    "notebook_path",
    "url",
    "query",
    "pattern",
    "path",
    "skill",
    "subject",
    "description",
    "prompt",
    "message",
    "name",
    "questions",
    "question",
    "header",
    "options",
    "label",
    "multiSelect",
    "plan",
    "run_in_background",
    "timeout",
    "answers",
    "annotations",
    "subagent_type",
];

/// What tools gave out.
const OUTPUT: &[&str] = &[
    "tool_response",
    "toolResult",
    "toolUseResult",
    "tool_result",
    "content_blocks",
    "tool_output",
    "aggregated_output",
];

/// What the agent itself made up, whatever its members are called.
const FREE: &[&str] =
    &["tool_input", "toolArgs", "toolInput", "input", "requested_schema", "content", "answers"];

/// Sentences of the program that decide what a line means.
const SENTENCES: &[&str] = &[
    // What stands in the place of an answer without text.
    "[no response text]",
    "[Request interrupted by user for tool use]",
    "[Request interrupted by user]",
    "<local-command-stderr>Error: Compaction canceled.</local-command-stderr>",
    "<local-command-stderr>Error during compaction</local-command-stderr>",
];

/// How texts begin that the program writes in a person's place.
const BEGINNINGS: &[&str] = &["<task-notification>", "Stop hook feedback:"];

pub(super) fn is_word(member: &str) -> bool {
    WORDS.contains(&member)
}

pub(super) fn is_id(member: &str) -> bool {
    IDS.contains(&member)
}

pub(super) fn is_path(member: &str) -> bool {
    PATHS.contains(&member)
}

pub(super) fn is_of_calls(member: &str) -> bool {
    OF_CALLS.contains(&member)
}

pub(super) fn is_output(member: &str) -> bool {
    OUTPUT.contains(&member)
}

/// Below it, no member is believed. A message's `content` is a list of the program's parts.
pub(super) fn is_free(member: &str, is_list: bool) -> bool {
    FREE.contains(&member) && !(member == "content" && is_list)
}

/// What the program itself says with this text, as far as it decides anything.
pub(super) fn sentence(text: &str) -> Option<&'static str> {
    let exact = SENTENCES.iter().find(|sentence| text == **sentence);
    let thrown = text.starts_with("<local-command-stderr>");
    let stopped = thrown && text.contains("Compaction canceled.");
    let failed = thrown && text.contains("Error during compaction");
    let interrupted = text.starts_with("[Request interrupted by user");
    let thrown = stopped.then_some(&SENTENCES[3]).or(failed.then_some(&SENTENCES[4]));
    exact.or(thrown).or(interrupted.then_some(&SENTENCES[2])).copied()
}

/// The beginning of a text that the program wrote in a person's place.
pub(super) fn beginning(text: &str) -> Option<&'static str> {
    BEGINNINGS.iter().find(|beginning| text.trim_start().starts_with(**beginning)).copied()
}

/// Folders that say nothing of anybody.
const FOLDERS: &[&str] = &[
    ".claude", ".codex", ".copilot", ".gemini", ".qwen", "projects", "sessions", "tmp", "usr",
    "var", "bin", "home", "opt", "etc", "dev",
];

pub(super) fn is_folder(name: &str) -> bool {
    FOLDERS.contains(&name)
}

/// Processes that say nothing of anybody.
const PROCESSES: &[&str] = &[
    "sh",
    "bash",
    "dash",
    "zsh",
    "fish",
    "ksh",
    "env",
    "timeout",
    "node",
    "MainThread",
    "bun",
    "claude",
    "codex",
    "copilot",
    "gemini",
    "qwen",
    "tmux: server",
    "systemd",
    "init",
    "login",
    "sshd",
    "headsup",
];

pub(super) fn is_process(name: &str) -> bool {
    PROCESSES.contains(&name)
}
