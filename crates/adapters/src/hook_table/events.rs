//! The events of each kind that a hook is registered for. This file needs nothing but `core`: it is also read
//! where there is nothing else (`crates/front`).

/// Of one kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Events {
    kind: &'static str,
    pub(crate) all: &'static [&'static str],
    /// Those of them that only confirm.
    confirming: &'static [&'static str],
}

impl Events {
    /// `None`: whether an event of this kind changes a status does not stand here.
    pub(crate) fn of(kind: &[u8]) -> Option<&'static Self> {
        EVENTS.iter().find(|events| events.kind.as_bytes() == kind)
    }

    /// Whether this event can change a status.
    pub(crate) fn change(&self, event: &[u8]) -> bool {
        let has = |list: &[&str]| list.iter().any(|name| name.as_bytes() == event);
        has(self.all) && !has(self.confirming)
    }
}

/// What only confirms: it comes 6 s late, and its name does not tell its kind (measured).
const CONFIRMS: &str = "Notification";

/// The events a hook is registered for. `PostToolBatch` alone ends a call that was denied in print
/// mode; tasks, configuration and message display are activity and not asked for. Never
/// `WorktreeCreate`, which takes the making of worktrees over, nor `MessageDisplay`, which holds
/// up what is streamed (Claude Code 2.1.330, measured).
pub(crate) const CLAUDE_CODE_EVENTS: &[&str] = &[
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "PermissionRequest",
    "PermissionDenied",
    "Elicitation",
    "ElicitationResult",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "Stop",
    "StopFailure",
    CONFIRMS,
];

/// All but the two of each request to the model, which say nothing of the status and would hold
/// every request up (Codex 0.169.0, measured). A person has to trust each of them, so the list is
/// not to grow later.
pub(crate) const CODEX_EVENTS: &[&str] = &[
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PermissionRequest",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "Stop",
    "Interrupt",
];

/// Of Qwen Code's 22 events those that say something of the status (0.24.4). `MessageDisplay` comes
/// with every piece of an answer.
pub(crate) const QWEN_CODE_EVENTS: &[&str] = &[
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PermissionRequest",
    "PermissionDenied",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "Stop",
    "StopFailure",
    "Notification",
];

/// The events of Gemini CLI that say something of the status. Never those of the model: each is a process of its
/// own, in series, for every piece of an answer (0.61.0, measured). Seven would do but for `/compress`: no other
/// event tells that it begins, and its title then says no more than with a person's own command (`!`), which is no
/// turn. The entry of the eighth matches `manual` alone, so that it is no process at any call of the model.
pub(crate) const GEMINI_CLI_EVENTS: &[&str] = &[
    "SessionStart",
    "SessionEnd",
    "BeforeAgent",
    "AfterAgent",
    "BeforeTool",
    "AfterTool",
    "Notification",
    "PreCompress",
];

/// Of Copilot CLI's events those that say something of the status (1.0.102).
pub(crate) const COPILOT_CLI_EVENTS: &[&str] = &[
    "sessionStart",
    "sessionEnd",
    "userPromptSubmitted",
    "preToolUse",
    "postToolUse",
    "notification",
    "agentStop",
    "errorOccurred",
    "subagentStart",
    "subagentStop",
];

/// What the plugin in OpenCode and in Kilo tells; the names are those of the program's own bus, but for
/// the first two and `dispose`.
const OPENCODE_EVENTS: &[&str] = &[
    "plugin.init",
    "session.started",
    "session.created",
    "session.status",
    "session.compacted",
    "session.idle",
    "session.deleted",
    "permission.asked",
    "permission.replied",
    "question.asked",
    "question.replied",
    "question.rejected",
    TOOL,
    TITLE,
    "dispose",
];

/// A tool of OpenCode begins or ends.
const TOOL: &str = "message.part.updated";
/// A conversation of OpenCode has another title or another model.
const TITLE: &str = "session.updated";

const EVENTS: &[Events] = &[
    Events { kind: "claude-code", all: CLAUDE_CODE_EVENTS, confirming: &[CONFIRMS] },
    Events { kind: "codex", all: CODEX_EVENTS, confirming: &[] },
    Events { kind: "copilot-cli", all: COPILOT_CLI_EVENTS, confirming: &[] },
    // Its notice alone tells of a dialog.
    Events { kind: "gemini-cli", all: GEMINI_CLI_EVENTS, confirming: &[] },
    Events { kind: "kilo", all: OPENCODE_EVENTS, confirming: &[TOOL, TITLE] },
    Events { kind: "opencode", all: OPENCODE_EVENTS, confirming: &[TOOL, TITLE] },
    // Its notice alone tells that Esc was pressed.
    Events { kind: "qwen-code", all: QWEN_CODE_EVENTS, confirming: &[] },
];
