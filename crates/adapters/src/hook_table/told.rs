//! What a hook of each kind tells of the place it runs in. This file needs nothing but `core`: it is also
//! read where there is nothing else (`crates/front`).

/// Of one kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    pub(crate) kind: &'static str,
    /// The variables that it may report, and no others.
    pub(crate) environment: &'static [&'static str],
    /// The variable in which it tells its hooks its own process id.
    pub(crate) pid_variable: Option<&'static str>,
    /// The event at which its command line is looked at.
    pub(crate) start: Option<&'static str>,
}

const PANE: &[&str] = &["TMUX", "TMUX_PANE"];

/// Of every other kind.
pub(crate) const OTHERS: Told =
    Told { kind: "", environment: PANE, pid_variable: None, start: None };

pub(crate) const TOLD: &[Told] = &[
    Told {
        kind: "claude-code",
        // Claude Code 2.1.330 gives its hooks these. It also gives them CLAUDE_CODE_MESSAGING_TOKEN,
        // a secret: nothing but this list ever leaves the hook's environment.
        environment: &[
            "CLAUDE_PID",
            "CLAUDE_CODE_ENTRYPOINT",
            "CLAUDE_CODE_SESSION_ATTENDED",
            "CLAUDE_CODE_SESSION_ID",
            "TMUX",
            "TMUX_PANE",
        ],
        pid_variable: Some("CLAUDE_PID"),
        start: Some("SessionStart"),
    },
    Told {
        kind: "codex",
        // Codex 0.169.0 gives its hooks no variable of its own: what is above them tells the process.
        environment: PANE,
        pid_variable: None,
        start: Some("SessionStart"),
    },
    Told {
        kind: "copilot-cli",
        environment: &["COPILOT_HOOK_DIR", "COPILOT_HOME", "HOME", "TMUX", "TMUX_PANE"],
        pid_variable: None,
        start: Some("sessionStart"),
    },
    Told {
        kind: "gemini-cli",
        environment: &["GEMINI_SESSION_ID", "TMUX", "TMUX_PANE"],
        pid_variable: None,
        start: Some("SessionStart"),
    },
    Told {
        kind: "qwen-code",
        // Qwen Code 0.24.4 also gives its hooks QWEN_CODE_MESSAGING_TOKEN, a secret.
        environment: &["QWEN_CODE_LAUNCHER_PID", "QWEN_CODE_SESSION_ID", "TMUX", "TMUX_PANE"],
        // The outermost of its processes, with the command line that was typed: it starts the agent, and waits for it.
        pid_variable: Some("QWEN_CODE_LAUNCHER_PID"),
        start: Some("SessionStart"),
    },
];
