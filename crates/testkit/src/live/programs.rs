//! The agent programs, and what a driver has to know of each.

pub(super) mod claude_code;
pub(super) mod codex;
mod copilot_cli;
mod gemini_cli;
mod opencode;
mod qwen_code;

use super::stage::Stage;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(super) use claude_code::CLAUDE_CODE;
pub(super) use codex::CODEX;
pub(super) use copilot_cli::COPILOT_CLI;
pub(super) use gemini_cli::GEMINI_CLI;
pub(super) use opencode::OPENCODE;
pub(super) use qwen_code::QWEN_CODE;

/// One agent program.
#[derive(Clone, Copy)]
pub struct Program {
    /// As headsup calls it.
    pub kind: &'static str,
    /// As its makers do.
    pub title: &'static str,
    /// The version that the fixtures were recorded with.
    pub version: &'static str,
    /// What is typed to start it.
    pub(super) command: &'static str,
    pub(super) npm: Npm,
    /// It is started by `headsup run`, which hears its terminal, not by hand.
    pub(super) by_run: bool,
    pub(super) screen: Screen,
    /// Writes its settings, as somebody has left them who knows it.
    pub(super) configure: fn(&Stage),
    /// Its environment beside what all get.
    pub(super) env: fn(&Stage) -> Vec<(&'static str, String)>,
    /// What it is always started with, and what is asked for.
    pub(super) arguments: fn(&[&str]) -> Vec<String>,
    /// What makes it work at one prompt without a terminal.
    pub(super) headless: fn(&str) -> Vec<String>,
    /// How it is noted when it calls its hooks.
    pub(super) noted: Noted,
    pub(super) tells: Tells,
    /// What it cannot be in, or what no witness tells of it, and why: for the page.
    pub(super) silences: &'static [(&'static str, &'static str)],
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// Headlines, and the hooks by which a program tells of them: one of these is called, and headsup's own
/// time begins.
pub(super) type Tells = &'static [(&'static str, &'static [&'static str])];

/// How the moments are noted at which a program calls its hooks, in plays that are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Noted {
    /// By a second hook, which takes down all that a recording of its own has.
    SecondHook,
    /// By what stands where its hooks expect `headsup`.
    Launcher,
    /// By a plugin in this file, below the home folder: it runs no command.
    Plugin(&'static str),
}

/// Where it is had from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Npm {
    /// The package for this machine, with its version; `None` where there is no build for it.
    pub(super) package: fn() -> Option<String>,
    /// Below the folder in which that is installed.
    pub(super) binary: fn() -> String,
    /// It is a script for this program.
    pub(super) on_node: bool,
}

/// What is to be seen of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Screen {
    /// When its prompt box takes a prompt.
    pub(super) ready: &'static str,
    /// While it works.
    pub(super) working: &'static str,
    /// The answer of a dialog that is chosen. What the dialog is about can stand on the screen
    /// before it.
    pub(super) choice: &'static str,
    /// How long a dialog wants to have been seen before it takes a key.
    pub(super) settle: Duration,
    /// What it is started with so that commands run without being asked for.
    pub(super) lets: &'static [&'static str],
    /// In the dialog that asks whether a command may run.
    pub(super) permission: &'static str,
    /// In the dialog that asks a question of the script's.
    pub(super) question: &'static str,
    /// The keys that grant it, that refuse it, and that give the first answer to a question.
    pub(super) yes: &'static [&'static str],
    pub(super) no: &'static [&'static str],
    pub(super) answer: &'static [&'static str],
    /// The keys that stop a turn.
    pub(super) interrupt: &'static [&'static str],
    /// What asks for the next of these keys, where it wants several: two at once can be read as one.
    pub(super) again: Option<&'static str>,
    /// When a turn has failed.
    pub(super) failed: &'static str,
    /// What is typed to sum the conversation up, and what is shown when it is.
    pub(super) compact: &'static str,
    pub(super) compacted: &'static str,
    /// What is typed to leave.
    pub(super) exit: &'static str,
    /// What is typed to begin a new conversation.
    pub(super) new: &'static str,
    /// What it is started with to go on with the last conversation, to copy it, and to have its
    /// memory full soon.
    pub(super) resume: &'static [&'static str],
    pub(super) fork: &'static [&'static str],
    pub(super) little_memory: &'static [&'static str],
    /// What SIGTERM does to it: `ended` where it says goodbye, else `crashed`.
    pub(super) terminated: &'static str,
    /// The key that sends a prompt into a running turn so that it waits for its own.
    pub(super) queue: &'static str,
    /// What empties its box after a turn was stopped: the prompt may have gone back there.
    pub(super) clear: Option<&'static str>,
    /// What asks for the key that leaves once more, where it wants it twice.
    pub(super) leave_again: Option<&'static str>,
    /// In the dialog that asks whether a helper may start, where that is what is asked.
    pub(super) helper: Option<&'static str>,
    /// Where it is started by hand or goes on with a conversation, nothing tells that its prompt box is open before the
    /// first prompt.
    pub(super) silent_start: bool,
}

impl Screen {
    /// Nothing but the least.
    pub(super) const BARE: Self = Self {
        ready: "",
        working: "",
        choice: "",
        settle: Duration::from_millis(500),
        lets: &[],
        permission: "",
        question: "Take Red",
        yes: &["1"],
        no: &["Escape"],
        answer: &["1"],
        interrupt: &["Escape"],
        again: None,
        failed: "",
        compact: "/compact",
        compacted: "ompress",
        exit: "/quit",
        new: "/new",
        resume: &[],
        fork: &[],
        little_memory: &[],
        terminated: "ended",
        queue: "Enter",
        clear: None,
        leave_again: Some("again to exit"),
        helper: None,
        silent_start: false,
    };
}

/// In the order of a table.
pub const ALL: [&Program; 6] =
    [&CLAUDE_CODE, &CODEX, &OPENCODE, &GEMINI_CLI, &QWEN_CODE, &COPILOT_CLI];

/// The one of this kind.
pub fn of_kind(kind: &str) -> Option<&'static Program> {
    ALL.into_iter().find(|program| program.kind == kind)
}

/// What a play needs of a program: its own file, and what it runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    pub(super) program: PathBuf,
    pub(super) node: Option<PathBuf>,
}

impl Installed {
    /// Puts both into a folder under the names by which they are called.
    pub(super) fn link_into(&self, bin: &Path, command: &str) {
        std::fs::create_dir_all(bin).expect("a folder");
        let link = |name: &OsStr, to: &Path| {
            let link = bin.join(name);
            if !link.exists() {
                std::os::unix::fs::symlink(to, &link).expect("a link");
            }
        };
        link(OsStr::new(command), &self.program);
        if let Some(node) = &self.node {
            link(OsStr::new("node"), node);
        }
    }
}

/// The name that npm gives to this machine's processor.
fn arch() -> Option<&'static str> {
    match std::env::consts::ARCH {
        "x86_64" => Some("x64"),
        "aarch64" => Some("arm64"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// What is measured from a name that no version has is never measured.
    #[test]
    fn programs_tell_by_hooks_that_their_recordings_have() {
        for program in ALL {
            let folder = format!("../adapters/fixtures/{}/{}", program.kind, program.version);
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            let plays = fs::read_dir(&folder).unwrap().flatten();
            let timeline =
                |play: fs::DirEntry| fs::read_to_string(play.path().join("timeline.jsonl"));
            let recorded: String = plays.filter_map(|play| timeline(play).ok()).collect();
            for headline in ["working", "blocked", "done"] {
                let told = program.tells.iter().filter(|(of, _)| *of == headline).count();
                assert_eq!(told, 1, "{}: {headline}", program.kind);
            }
            for event in program.tells.iter().flat_map(|(_, events)| *events) {
                for word in event.split('/') {
                    let is_known = recorded.contains(&format!("\"{word}\""));
                    assert!(is_known, "{}: {event}", program.kind);
                }
            }
        }
    }
}
