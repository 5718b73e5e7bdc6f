//! What is known of each kind, and how: the one table of it.

use crate::{is_kind, mapped};
use std::fmt::Write as _;
use std::sync::LazyLock;

/// How what is said of a kind was shown to be so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The program itself is played by the tests, in every situation.
    Live,
    /// Recordings of the program are played by the tests.
    Replay,
    /// It is what its documentation says; nobody has run it.
    Documented,
    /// No program is meant: the tests say themselves what one may.
    Protocol,
}

impl Shown {
    pub fn word(self) -> &'static str {
        match self {
            Self::Live => "live-tested",
            Self::Replay => "replay-tested",
            Self::Documented => "documented",
            Self::Protocol => "by protocol",
        }
    }
}

/// One kind.
#[derive(Clone, Copy, Debug)]
pub struct Support {
    pub kind: &'static str,
    /// As people call it.
    pub title: &'static str,
    pub shown: Shown,
    /// The version that it was shown with.
    pub version: &'static str,
    /// What tells of it.
    pub witnesses: &'static str,
    /// What nothing tells: there it is `unknown` or stale, or shown late.
    pub cannot: &'static str,
    /// Why hooks cannot be installed, and what to do instead.
    pub instead: Option<&'static str>,
}

const WRITTEN: &[Support] = &[
    Support {
        kind: "claude-code",
        title: "Claude Code",
        shown: Shown::Live,
        version: "2.1.330",
        witnesses: "hooks, status file, status reports, log, screen, process",
        cannot: "the dialog that asks whether to leave while background work runs, but where `/exit` opens it and no helper works; dialogs before the first event only in a tmux pane that may be read; in versions before 2.0.45, which have no hook for it, that a permission is asked, which is shown as working",
        instead: None,
    },
    Support {
        kind: "codex",
        title: "Codex",
        shown: Shown::Live,
        version: "0.169.0",
        witnesses: "hooks, status reports, log, the shared process's server, title, screen, process",
        cannot: "dialogs before its first status report, but in a tmux pane that may be read; anything before the first prompt, without status reports; errors, without its log; without hooks, a helper that goes on after the main agent has stopped; terminals that it leaves running in the background, which are counted as no shells; that a tool server which takes more than 12 s to start is no turn, as its terminal shows work before the first prompt; without hooks, for 12 s or until it is over, a prompt on its command line or one that is typed while such servers start",
        instead: None,
    },
    Support {
        kind: "opencode",
        title: "OpenCode",
        shown: Shown::Live,
        version: "1.18.33",
        witnesses: "plugin, its own server, process",
        cannot: "anything with --pure, which runs no plugin, unless it has a port without a password",
        instead: None,
    },
    Support {
        kind: "kilo",
        title: "Kilo",
        shown: Shown::Replay,
        version: "7.7.9",
        witnesses: "plugin, its own server, process",
        cannot: "anything with --pure, which runs no plugin, unless it has a port without a password",
        instead: None,
    },
    Support {
        kind: "gemini-cli",
        title: "Gemini CLI",
        shown: Shown::Live,
        version: "0.61.0",
        witnesses: "hooks, title, log, screen, process",
        cannot: "errors and Esc, without its log: a turn that ends without a word is shown as unknown then; a grant or a refusal, and at rest a command of the person's own (`!`), without its title; that a /compress came to nothing; which of its helpers works or asks, as its hooks name none; the dialog of a quota that is used up, which is shown as working, but in a tmux pane that may be looked at for as long as it lives; that `gemini -p` has failed, where nobody knows its exit code (`headsup run` does, and of one that says no goodbye the kernel from Linux 6.15 on) or all that is known is 1 without a goodbye (`-o json`), which it returns when it is killed, too; without its hooks, and of a command of the person's own (`!`), that a command which has printed something and is then silent for 30 s goes on: its title says that a person is wanted, and so it is shown as blocked",
        instead: None,
    },
    Support {
        kind: "qwen-code",
        title: "Qwen Code",
        shown: Shown::Live,
        version: "0.24.4",
        witnesses: "hooks, title, process",
        cannot: "a kill, but by its process; the end of `qwen -p`, whose last hook is `Stop`: once its turn has ended, its process is gone because it is done; that `qwen -p` has failed, where nobody knows its exit code (`headsup run` does, and from Linux 6.15 on the kernel); a command of the person's own (`!`); that the report of a second helper wakes it, too: behind its answer to the first it is shown as done until its title has shown work for 4 s",
        instead: None,
    },
    Support {
        kind: "copilot-cli",
        title: "Copilot CLI",
        shown: Shown::Live,
        version: "1.0.102",
        witnesses: "hooks, log, title, process",
        cannot: "anything before the first prompt, and that one as long as it waits for its tool servers (MCP: up to 60 s), which is shown as starting: that its prompt box is open the title of a new conversation tells `headsup run`, which is believed where neither its trust in the folder nor tool servers can be open (`explain` says which); a form of a tool server (MCP) as long as it is open, and a command of the person's own (`!`), which it writes nowhere; that a turn was stopped in the middle of an answer, where its log has no word of it; shells in the background (`bash` with `mode: async`), which are not counted: behind its answer it is done",
        instead: None,
    },
    Support {
        kind: "acp:NAME",
        title: "any speaker of the Agent Client Protocol",
        shown: Shown::Replay,
        version: "protocol 1; 2 by its draft",
        witnesses: "the protocol, process",
        cannot: "agents that are not started with `headsup acp`; helpers, but where the agent lists what goes on behind it",
        instead: Some(
            "it needs no hooks: `headsup acp -- AGENT` stands between it and its client, and hears all it says",
        ),
    },
    Support {
        kind: "custom",
        title: "anything else",
        shown: Shown::Protocol,
        version: "any",
        witnesses: "`headsup report`, status reports (OSC 7501), process",
        cannot: "what it does not report itself",
        instead: Some(
            "it has no hooks that are known: have it call `headsup report`, or start it with `headsup run`",
        ),
    },
];

static ROWS: LazyLock<Vec<Support>> = LazyLock::new(|| {
    let documented = mapped::maps().iter().map(|map| Support {
        kind: &map.kind,
        title: &map.title,
        shown: Shown::Documented,
        version: &map.version,
        witnesses: &map.witnesses,
        cannot: &map.cannot,
        instead: map.instead.as_deref(),
    });
    let (others, programs): (Vec<_>, Vec<_>) =
        WRITTEN.iter().copied().partition(|row| row.instead.is_some());
    programs.into_iter().chain(documented).chain(others).collect()
});

/// Every kind: programs that were run first, then those that are only documented, then what is no program.
pub fn all() -> &'static [Support] {
    &ROWS
}

/// What is known of this kind, or of the program that people know it by.
pub fn of(name: &str) -> Option<&'static Support> {
    let kind = if is_kind(name) && name.starts_with("acp:") { "acp:NAME" } else { name };
    ROWS.iter().find(|row| row.kind == kind).or_else(|| of_program(name))
}

/// What is known of the kind whose program has this name, where no recipe tells its kind.
pub fn of_program(name: &str) -> Option<&'static Support> {
    let is_it = |map: &&mapped::map::Map| map.programs.iter().any(|one| one == name);
    let map = mapped::maps().iter().find(is_it)?;
    ROWS.iter().find(|row| row.kind == map.kind)
}

/// The table as a page.
pub fn page() -> String {
    let mut page = HEAD.to_owned();
    for row in all() {
        let Support { kind, title, version, witnesses, cannot, .. } = row;
        let shown = row.shown.word();
        writeln!(page, "| {title} | `{kind}` | {shown} | {version} | {witnesses} | {cannot} |")
            .ok();
    }
    page.push_str("\n## Where hooks are not installed\n\n");
    for row in all() {
        if let Some(instead) = row.instead {
            writeln!(page, "- **{}**: {}.", row.title, instead.trim_end_matches('.')).ok();
        }
    }
    page.push_str("\n## Where the facts of documented kinds stand\n\n");
    for map in mapped::maps() {
        writeln!(page, "- **{}** {}: {}", map.title, map.version, map.source).ok();
    }
    page
}

const HEAD: &str = "\
# Agents

Every kind of agent, how what headsup says of it was shown, and what nothing tells of it. The tests write this page.

- **live-tested**: the program itself is played; in which situations, and what was told wrong, is in [conformance](conformance.md).
- **replay-tested**: recordings of the program, with the truth beside them, are played by the tests.
- **documented**: read in its documentation or in the program. What its hooks say is a table in `crates/adapters/src/mapped/kinds`, which
  also says what little of it was tried.
- **by protocol**: it may be any program. That what it says itself is told as it was said the tests show with words of their own.

An event, a field or a version that nobody knows changes no status; `headsup doctor` names it with its count.

| agent | kind | shown | version | witnesses | what nothing tells |
|---|---|---|---|---|---|
";

#[cfg(test)]
mod tests;
