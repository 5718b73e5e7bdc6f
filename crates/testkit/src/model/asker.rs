//! Who asks, by what each program says of itself.
//!
//! | program | conversation | sub-agent |
//! |---|---|---|
//! | Claude Code 2.1.330 | `x-claude-code-session-id` | `x-claude-code-agent-id` |
//! | Codex 0.169.0 | `session-id` | `thread-id`, where it is another one |
//! | OpenCode 1.18.33 | `x-session-id` | `x-parent-session-id` |
//! | the others | nothing | nothing: known by the prompt that the script gave it |

use super::request::{Asker, Request};

/// The conversation, if the program names it.
pub(super) fn session(request: &Request) -> Option<&str> {
    let names = ["x-claude-code-session-id", "session-id", "x-session-id"];
    names.iter().find_map(|name| request.header(name))
}

/// The sub-agent, if the program names it.
pub(super) fn agent(request: &Request) -> Option<&str> {
    let thread = request.header("thread-id").filter(|id| request.header("session-id") != Some(id));
    let child = request.header("x-parent-session-id").and_then(|_| request.header("x-session-id"));
    request.header("x-claude-code-agent-id").or(thread).or(child)
}

/// How the programs ask for a summary: Claude Code 2.1.330; Codex 0.169.0; OpenCode 1.18.33; Qwen Code
/// 0.24.4; Gemini CLI 0.61.0, which has it looked over in a second request.
const SUMMARY: [&str; 6] = [
    "create a detailed summary of",
    "CONTEXT CHECKPOINT COMPACTION",
    "anchored summary",
    "Then, produce the <state_snapshot>",
    "Then, generate the updated <state_snapshot>",
    "evaluate the <state_snapshot> you just generated",
];

pub(super) fn of(request: &Request) -> Asker {
    let last = request.last_said();
    if SUMMARY.iter().any(|words| last.contains(words)) {
        return Asker::Compaction;
    }
    if request.tools().is_empty() || request.body["max_tokens"] == 1 {
        return Asker::Side;
    }
    match request.helps || request.agent().is_some() {
        true => Asker::Helper,
        false => Asker::Main,
    }
}
