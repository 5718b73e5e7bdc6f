//! The programs whose recordings can be played, as far as a player has to know them.

use serde_json::Value;

/// One agent program.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) kind: &'static str,
    /// Its process's name.
    pub(super) name: &'static str,
    /// A variable that its hooks have and no other program sets.
    pub(super) mark: Option<&'static str>,
    /// The variable in which its hooks get its process id.
    pub(super) pid_variable: Option<&'static str>,
    /// Its own folder below the home folder.
    pub(super) config: &'static str,
    /// Where its transcripts are, below that folder.
    pub(super) transcripts: &'static str,
    /// Events that are recorded and that no hook of ours is ever registered for.
    pub(super) unregistered: &'static [&'static str],
}

pub(super) const PROGRAMS: [Program; 5] = [
    Program {
        kind: "claude-code",
        name: "claude",
        mark: None,
        pid_variable: Some("CLAUDE_PID"),
        config: ".claude",
        transcripts: "projects",
        unregistered: &["MessageDisplay"],
    },
    Program {
        kind: "codex",
        name: "codex",
        mark: None,
        pid_variable: None,
        config: ".codex",
        transcripts: "sessions",
        unregistered: &[],
    },
    Program {
        kind: "gemini-cli",
        name: "node",
        mark: Some("GEMINI_SESSION_ID"),
        pid_variable: None,
        config: ".gemini",
        transcripts: "tmp",
        unregistered: &["PreCompress", "BeforeModel", "AfterModel", "BeforeToolSelection"],
    },
    Program {
        kind: "copilot-cli",
        name: "MainThread",
        mark: Some("COPILOT_CLI"),
        pid_variable: None,
        config: ".copilot",
        transcripts: "session-state",
        unregistered: &["permissionRequest"],
    },
    Program {
        kind: "qwen-code",
        name: "node",
        mark: Some("QWEN_CODE_SESSION_ID"),
        pid_variable: None,
        config: ".qwen",
        transcripts: "projects",
        unregistered: &["MessageDisplay", "InstructionsLoaded"],
    },
];

impl Program {
    /// By the environment of one of its hooks.
    pub(super) fn marked(env: &Value) -> Option<&'static Self> {
        PROGRAMS.iter().find(|program| program.mark.is_some_and(|mark| env.get(mark).is_some()))
    }

    /// By the name that it is started with, or that its process has.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        let name = name.rsplit('/').next().unwrap_or(name);
        PROGRAMS.iter().find(|program| program.name == name)
    }
}
