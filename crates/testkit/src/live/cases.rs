//! Every situation, by agent program.

mod claude_code;
mod codex;
mod common;
mod copilot_cli;
mod gemini_cli;
mod opencode;
mod qwen_code;
mod waits;

use super::Verdict;
use super::programs::{CLAUDE_CODE, Installed, Program};
use super::stage::{Hooks, Stage};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// One situation.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub program: &'static Program,
    pub name: &'static str,
    hooks: Hooks,
    play: fn(&Stage),
}

impl Case {
    /// One of Claude Code's.
    const fn new(name: &'static str, play: fn(&Stage)) -> Self {
        Self::of(&CLAUDE_CODE, name, play)
    }

    const fn of(program: &'static Program, name: &'static str, play: fn(&Stage)) -> Self {
        Self { program, name, hooks: Hooks::Installed, play }
    }

    /// Nothing is installed for it.
    const fn unhooked(self) -> Self {
        Self { hooks: Hooks::None, ..self }
    }

    /// Its name, with the program's before it.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.program.kind, self.name)
    }

    /// Whether its program writes a log that is read.
    pub fn has_log(&self) -> bool {
        !["opencode", "qwen-code"].contains(&self.program.kind)
    }

    /// Where in `folder` its recording is.
    pub fn recording(&self, folder: &Path) -> PathBuf {
        folder.join(self.program.kind).join(self.name)
    }
}

/// All of them, in the order of a table.
pub fn all() -> Vec<Case> {
    let others = [opencode::CASES, gemini_cli::CASES, qwen_code::CASES];
    let own = [claude_code::all(), codex::all(), others.concat(), copilot_cli::all()];
    own.into_iter().flatten().chain(waits::CASES.iter().copied()).collect()
}

/// The one of this program and name.
pub fn named(kind: &str, name: &str) -> Option<Case> {
    all().into_iter().find(|case| case.program.kind == kind && case.name == name)
}

/// What a case is played with.
#[derive(Clone, Copy, Debug)]
pub struct With<'a> {
    /// The `headsup` to be judged.
    pub binary: &'a Path,
    /// The agent's.
    pub program: &'a Installed,
    /// Goes on only when the hub has told what is true, however late: for tests, which assert no
    /// times.
    pub patient: bool,
    /// The play is written there as a recording.
    pub record: Option<&'a Path>,
}

/// Plays one and judges it. A play that cannot go on is a wrong one.
pub fn play(case: &Case, with: With<'_>) -> Verdict {
    let stage = Stage::new(case.program, with, case.hooks);
    let played = catch_unwind(AssertUnwindSafe(|| (case.play)(&stage)));
    let mut verdict = stage.judge(&case.full_name());
    if let Err(panic) = played {
        let why = panic.downcast_ref::<String>().cloned();
        let why = why.or_else(|| panic.downcast_ref::<&str>().map(|&why| why.to_owned()));
        verdict.disorder.insert(0, why.unwrap_or_else(|| "it panicked".to_owned()));
        verdict.events.extend(stage.screens());
    }
    if let Some(folder) = with.record
        && let Err(error) = stage.write(&case.recording(folder))
    {
        verdict.disorder.push(format!("cannot write the recording: {error}"));
    }
    verdict
}
