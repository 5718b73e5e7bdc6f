//! The real agent program, in a real terminal, against a scripted model: is what the hub tells true,
//! in order, and in time?
//!
//! A [`Case`] is one situation. It plays on a [`Stage`]: a home of its own, a hub with hooks that
//! `headsup hooks install` has put there, a [`crate::model::Model`], and the program in tmux. The
//! driver knows what is true from its own acts (a key that was pressed, a signal that was sent) and
//! from the model's marks (an answer that was finished), writes it down, and
//! a [`Verdict`] compares it with what the hub told.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

mod captured;
pub mod cases;
mod eyes;
mod figures;
pub mod install;
mod judge;
mod moments;
mod page;
mod pane;
mod programs;
#[cfg(test)]
mod promised;
mod record;
mod stage;
mod truth;
mod watcher;

pub use cases::{Case, With, all, named, play};
pub use figures::Figures;
pub use judge::{Span, Verdict};
pub use page::{Alone, Row, page};
pub use pane::has_tmux;
pub use programs::{ALL as PROGRAMS, Installed, Program, of_kind};
pub use stage::{Agent, Hooks, Stage};
pub use truth::Class;

use std::io;
use std::path::PathBuf;

/// Where cargo builds, as the running program's own place shows it.
pub fn target_folder() -> io::Result<PathBuf> {
    let exe = std::env::current_exe()?;
    let profile = exe.parent().map(|folder| match folder.ends_with("deps") {
        true => folder.parent().unwrap_or(folder),
        false => folder,
    });
    let target = profile.and_then(|folder| folder.parent());
    target.map(PathBuf::from).ok_or_else(|| io::Error::other("this program has no folder"))
}

/// What a machine must have to play.
///
/// # Errors
/// What is missing, in words.
pub fn install(program: &Program) -> Result<Installed, String> {
    if !has_tmux() {
        return Err("tmux is not installed on this machine".to_owned());
    }
    program.install()
}
