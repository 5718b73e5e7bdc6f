//! Every situation, in groups.

mod background;
mod dialogs;
mod ends;
mod errors;
mod forms;
mod hub;
mod interrupts;
mod prompts;
mod sessions;
mod turns;

use super::Verdict;
use super::stage::{Hooks, Stage};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// One situation.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub name: &'static str,
    hooks: Hooks,
    play: fn(&Stage),
}

impl Case {
    const fn new(name: &'static str, play: fn(&Stage)) -> Self {
        Self { name, hooks: Hooks::Installed, play }
    }
}

/// All of them, in the order of a table.
pub fn all() -> Vec<Case> {
    [
        turns::CASES,
        prompts::CASES,
        forms::CASES,
        dialogs::CASES,
        interrupts::CASES,
        background::CASES,
        errors::CASES,
        sessions::CASES,
        ends::CASES,
        hub::CASES,
    ]
    .concat()
}

/// The one of this name.
pub fn named(name: &str) -> Option<Case> {
    all().into_iter().find(|case| case.name == name)
}

/// What a case is played with.
#[derive(Clone, Copy, Debug)]
pub struct With<'a> {
    /// The `headsup` to be judged.
    pub binary: &'a Path,
    /// The agent's.
    pub program: &'a Path,
    /// Goes on only when the hub has told what is true, however late: for tests, which assert no
    /// times.
    pub patient: bool,
    /// The play is written there as a recording.
    pub record: Option<&'a Path>,
}

/// Plays one and judges it. A play that cannot go on is a wrong one.
pub fn play(case: &Case, with: With<'_>) -> Verdict {
    let stage = Stage::new(with, case.hooks);
    let played = catch_unwind(AssertUnwindSafe(|| (case.play)(&stage)));
    let mut verdict = stage.judge(case.name);
    if let Err(panic) = played {
        let why = panic.downcast_ref::<String>().cloned();
        let why = why.or_else(|| panic.downcast_ref::<&str>().map(|&why| why.to_owned()));
        verdict.disorder.insert(0, why.unwrap_or_else(|| "it panicked".to_owned()));
    }
    if let Some(folder) = with.record
        && let Err(error) = stage.write(&folder.join(case.name))
    {
        verdict.disorder.push(format!("cannot write the recording: {error}"));
    }
    verdict
}
