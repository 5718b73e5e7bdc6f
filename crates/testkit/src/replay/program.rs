//! The programs whose recordings can be played, as far as a player has to know them.

use serde_json::Value;

/// One agent program.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) kind: &'static str,
    /// What it is started with.
    pub(super) command: &'static str,
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
    /// The argument of a launch by us, where there is one: without it, its hooks may be those of a
    /// process that terminals share.
    pub(super) launched_with: Option<&'static str>,
    /// The socket on which it serves its conversations, below its own folder.
    pub(super) server: Option<&'static str>,
}

pub(super) const PROGRAMS: [Program; 7] = [
    Program {
        kind: "claude-code",
        command: "claude",
        name: "claude",
        mark: None,
        pid_variable: Some("CLAUDE_PID"),
        config: ".claude",
        transcripts: "projects",
        unregistered: &["MessageDisplay"],
        launched_with: None,
        server: None,
    },
    Program {
        kind: "codex",
        command: "codex",
        name: "codex",
        mark: None,
        pid_variable: None,
        config: ".codex",
        transcripts: "sessions",
        unregistered: &["PreModelRequest", "PostModelRequest"],
        launched_with: Some("--no-daemon"),
        server: Some("app-server-control/app-server-control.sock"),
    },
    Program {
        kind: "gemini-cli",
        command: "gemini",
        name: "node",
        mark: Some("GEMINI_SESSION_ID"),
        pid_variable: None,
        config: ".gemini",
        transcripts: "tmp",
        unregistered: &["BeforeModel", "AfterModel", "BeforeToolSelection"],
        launched_with: None,
        server: None,
    },
    Program {
        kind: "copilot-cli",
        command: "copilot",
        name: "MainThread",
        mark: Some("COPILOT_CLI"),
        pid_variable: None,
        config: ".copilot",
        transcripts: "session-state",
        unregistered: &["permissionRequest"],
        launched_with: None,
        server: None,
    },
    Program {
        kind: "qwen-code",
        command: "qwen",
        name: "node",
        mark: Some("QWEN_CODE_SESSION_ID"),
        pid_variable: None,
        config: ".qwen",
        transcripts: "projects",
        unregistered: &["MessageDisplay", "InstructionsLoaded"],
        launched_with: None,
        server: None,
    },
    Program::like_opencode("opencode", "OPENCODE", ".config/opencode"),
    Program::like_opencode("kilo", "KILO", ".config/kilo"),
];

/// An agent that is known by its protocol alone: nothing of it but its messages is played.
pub(super) const SPEAKER: Program = Program {
    kind: "acp:agent",
    command: "agent",
    name: "agent",
    mark: None,
    pid_variable: None,
    config: ".config/agent",
    transcripts: "log",
    unregistered: &[],
    launched_with: None,
    server: None,
};

impl Program {
    /// The fork is as the program that it was made of.
    const fn like_opencode(kind: &'static str, mark: &'static str, config: &'static str) -> Self {
        Self {
            kind,
            command: kind,
            name: kind,
            mark: Some(mark),
            pid_variable: None,
            config,
            transcripts: "log",
            unregistered: &[],
            launched_with: None,
            server: None,
        }
    }

    /// By the environment of one of its hooks.
    pub(super) fn marked(env: &Value) -> Option<&'static Self> {
        PROGRAMS.iter().find(|program| program.mark.is_some_and(|mark| env.get(mark).is_some()))
    }

    pub(super) fn of_kind(kind: &str) -> Option<&'static Self> {
        PROGRAMS.iter().find(|program| program.kind == kind)
    }

    /// By the name that it is started with, or that its process has.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        let name = name.rsplit('/').next().unwrap_or(name);
        PROGRAMS.iter().find(|program| program.name == name)
    }

    /// Was it started as a launch by us starts it?
    pub(super) fn is_launch(&self, args: &Value) -> bool {
        let mut args = args.as_array().into_iter().flatten();
        self.launched_with.is_some_and(|wanted| args.any(|arg| arg == wanted))
    }
}
