//! Claude Code 2.1.330 in every situation, in groups.

mod background;
mod dialogs;
mod ends;
mod errors;
mod first_run;
mod forms;
mod headless;
mod hub;
mod interrupts;
mod makers;
mod prompts;
mod sessions;
mod turns;

use super::Case;

/// All of them, in the order of a table.
pub(super) fn all() -> Vec<Case> {
    [
        turns::CASES,
        prompts::CASES,
        forms::CASES,
        first_run::CASES,
        dialogs::CASES,
        interrupts::CASES,
        background::CASES,
        errors::CASES,
        sessions::CASES,
        headless::CASES,
        ends::CASES,
        hub::CASES,
    ]
    .concat()
}
