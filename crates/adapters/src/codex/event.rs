//! The names of the hook events.

use crate::events::events;

events! {
    /// The 14 events that Codex 0.169.0 knows (the list is the program's own).
    SessionStart,
    SessionEnd,
    UserPromptSubmit,
    PreModelRequest,
    PostModelRequest,
    PreToolUse,
    PostToolUse,
    PermissionRequest,
    SubagentStart,
    SubagentStop,
    PreCompact,
    PostCompact,
    Stop,
    Interrupt,
}
