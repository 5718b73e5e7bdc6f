//! What the hook client has to know of each agent program before the hub can be asked.
//!
//! The hook runs at every event of every agent: a look-up here is a scan of a short constant.

mod told;

use crate::mapped;
use told::{OTHERS, TOLD, Told};

struct Row {
    kind: &'static str,
    events: &'static [&'static str],
    /// Those of them that only confirm.
    confirming: &'static [&'static str],
    headless: Option<Headless>,
    /// Its session's end is told also after a run that nobody can type to.
    parts_with_a_word: bool,
}

/// How a run that nobody can type to is told from how its program was started, where its hooks do not
/// say so.
#[derive(Clone, Copy, Debug)]
pub struct Headless {
    /// One of these is among the words of its command line.
    words: &'static [&'static str],
    /// It also runs so when its input is no terminal.
    by_input: bool,
    /// It also runs so when the first word of its command line is no option.
    by_question: bool,
}

impl Headless {
    /// `words`: the command line, which begins with the runtime, its options and the program's path
    /// where a runtime runs it. `terminal`: whether its input is one.
    pub fn is(&self, words: &[&str], terminal: bool) -> bool {
        let own = words.get(1..).unwrap_or_default();
        let is_one = |word: &&str| {
            let name = word.split_once('=').map_or(*word, |(name, _)| name);
            self.words.contains(&name)
        };
        let is_option = |word: &&&str| word.starts_with('-');
        let asks = own.iter().skip_while(is_option).nth(1).is_some_and(|word| !is_option(&word));
        own.iter().any(is_one) || (self.by_input && !terminal) || (self.by_question && asks)
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

/// The eight events of Gemini CLI that say something of the status. Never those of the model: each is a
/// process of its own, in series, for every piece of an answer (0.61.0, measured).
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
pub(crate) const OPENCODE_EVENTS: &[&str] = &[
    "plugin.init",
    "session.started",
    "session.created",
    "session.status",
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

/// What most programs agree on.
const PRINTS: Headless =
    Headless { words: &["-p", "--prompt"], by_input: true, by_question: false };

const CLAUDE_CODE: Row = Row {
    kind: "claude-code",
    events: CLAUDE_CODE_EVENTS,
    confirming: &[CONFIRMS],
    // A variable says it.
    headless: None,
    parts_with_a_word: true,
};

const CODEX: Row = Row {
    kind: "codex",
    events: CODEX_EVENTS,
    confirming: &[],
    headless: Some(Headless { words: &["exec"], by_input: false, ..PRINTS }),
    parts_with_a_word: true,
};

const QWEN_CODE: Row = Row {
    kind: "qwen-code",
    events: QWEN_CODE_EVENTS,
    // It alone tells that Esc was pressed.
    confirming: &[],
    // `qwen "a question"` as well (0.24.4, read).
    headless: Some(Headless { by_question: true, ..PRINTS }),
    // The last hook of `qwen -p` is `Stop` (0.24.4, measured).
    parts_with_a_word: false,
};

const GEMINI_CLI: Row = Row {
    kind: "gemini-cli",
    events: GEMINI_CLI_EVENTS,
    // It alone tells of a dialog.
    confirming: &[],
    headless: Some(PRINTS),
    parts_with_a_word: true,
};

const COPILOT_CLI: Row = Row {
    kind: "copilot-cli",
    events: COPILOT_CLI_EVENTS,
    confirming: &[],
    headless: Some(Headless { by_input: false, ..PRINTS }),
    parts_with_a_word: true,
};

const OPENCODE: Row = Row {
    kind: "opencode",
    events: OPENCODE_EVENTS,
    confirming: &[TOOL, TITLE],
    // The plugin says it.
    headless: None,
    // The end of `opencode run` its process alone tells (1.18.33, measured).
    parts_with_a_word: false,
};

const KILO: Row = Row { kind: "kilo", ..OPENCODE };

const TABLE: &[Row] = &[CLAUDE_CODE, CODEX, COPILOT_CLI, GEMINI_CLI, KILO, OPENCODE, QWEN_CODE];

fn told(kind: &str) -> &'static Told {
    TOLD.iter().find(|told| told.kind == kind).unwrap_or(&OTHERS)
}

fn row(kind: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.kind == kind)
}

/// Names of the environment variables that a hook of this kind may report, and no others.
pub fn hook_environment(kind: &str) -> &'static [&'static str] {
    told(kind).environment
}

/// The variable in which this kind tells its hooks its own process id.
pub fn pid_variable(kind: &str) -> Option<&'static str> {
    told(kind).pid_variable
}

/// How it is told at this event whether a person can type to a program of this kind; `None` where its
/// start is not to be looked at.
pub fn headless(kind: &str, event: &str) -> Option<Headless> {
    row(kind).and_then(|row| row.headless).filter(|_| told(kind).start == Some(event))
}

/// Whether a program of this kind tells the end of its session also after a run that nobody can type
/// to. Of one that does not, or is not known, that run is over once its turn has ended.
pub fn parts_with_a_word(kind: &str) -> bool {
    row(kind).is_some_and(|row| row.parts_with_a_word)
}

/// Whether an event can change a status. Only a full spool asks: it drops the others first.
pub fn is_transition(kind: &str, event: &str) -> bool {
    if crate::acp::is_kind(kind) {
        return crate::acp::Event::named(event).is_some_and(crate::acp::Event::is_transition);
    }
    let changes = |row: &Row| row.events.contains(&event) && !row.confirming.contains(&event);
    match row(kind) {
        Some(row) => changes(row),
        None => mapped::of(kind).is_some_and(|map| map.is_transition(event)),
    }
}

/// The events a hook is to be registered for: those that can change a status, and the notice
/// that confirms one.
pub fn events_to_register(kind: &str) -> &'static [&'static str] {
    row(kind).map_or(&[], |row| row.events)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_on_a_list_and_every_pid_variable_is() {
        for told in TOLD {
            for name in told.environment {
                for word in ["TOKEN", "KEY", "SECRET", "PASSWORD", "AUTH"] {
                    assert!(!name.contains(word), "{name}");
                }
            }
            assert!(told.pid_variable.is_none_or(|name| told.environment.contains(&name)));
            // It is looked at where there is something to look for, and the kind is known.
            let row = row(told.kind).unwrap();
            assert_eq!(told.start.is_some(), row.headless.is_some(), "{}", told.kind);
        }
        for row in TABLE {
            assert!(row.headless.is_none() || told(row.kind).start.is_some(), "{}", row.kind);
        }
    }

    #[test]
    fn a_run_that_nobody_can_type_to_is_told_by_its_command_line_or_its_input() {
        let is = |kind: &str, words: &[&str], terminal: bool| {
            let event = if kind == "copilot-cli" { "sessionStart" } else { "SessionStart" };
            headless(kind, event).unwrap().is(words, terminal)
        };
        for (kind, words) in [
            ("qwen-code", ["node", "/bin/qwen", "-p", "do it"]),
            ("qwen-code", ["node", "/bin/qwen", "--prompt=do it", "-y"]),
            ("qwen-code", ["node", "/bin/qwen", "do it", "-y"]),
            ("qwen-code", ["node", "--max-old-space-size=9", "/bin/qwen", "do it"]),
            ("gemini-cli", ["node", "/bin/gemini", "-m", "--prompt"]),
            ("copilot-cli", ["node", "/bin/copilot", "-p", "do it"]),
            ("codex", ["codex", "-m", "x", "exec"]),
        ] {
            assert!(is(kind, &words, true), "{kind} {words:?}");
        }
        for (kind, words) in [
            ("qwen-code", ["node", "/bin/qwen", "-i", "do it"]),
            ("qwen-code", ["node", "--max-old-space-size=9", "/bin/qwen", "-y"]),
            ("qwen-code", ["node", "/bin/qwen", "--prompt-interactive", "-p it"]),
            ("gemini-cli", ["node", "/bin/gemini", "do it", "-y"]),
            ("copilot-cli", ["node", "/bin/copilot", "-i", "do it"]),
            ("codex", ["codex", "-m", "x", "do exec"]),
        ] {
            assert!(!is(kind, &words, true), "{kind} {words:?}");
        }
        assert!(is("qwen-code", &["node", "/bin/qwen"], false), "its input is a pipe");
        assert!(!is("codex", &["codex", "app-server"], false));
        assert!(!is("qwen-code", &[], true));
        for (kind, event) in [("qwen-code", "Stop"), ("claude-code", "SessionStart"), ("x", "")] {
            assert!(headless(kind, event).is_none(), "{kind} {event}");
        }
    }

    #[test]
    fn what_is_unknown_is_no_transition() {
        assert!(is_transition("claude-code", "Stop"));
        assert!(!is_transition("claude-code", "Notification"));
        assert!(!is_transition("claude-code", "MessageDisplay"));
        assert!(!is_transition("claude-code", ""));
        assert!(!is_transition("some-agent", "Stop"));
        assert_eq!(hook_environment("some-agent"), ["TMUX", "TMUX_PANE"]);
    }
}
