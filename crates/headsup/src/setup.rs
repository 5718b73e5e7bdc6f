//! Our hooks in other programs' configuration: shown first, written whole or not at all, and
//! taken out again to the byte.
//!
//! A plan ([`plan`]) is worked out from what is there; [`edit`] is the only module that changes
//! a file of somebody else's, and [`guard`] says which it may. What was there before stands in a
//! [`record`] in our own folder.

mod attributes;
pub(crate) mod diff;
pub(crate) mod edit;
pub(crate) mod guard;
mod install;
mod lock;
mod names;
mod places;
pub(crate) mod plan;
mod record;
pub(crate) mod ruled;
mod sharers;
mod site;
pub(crate) mod status;
mod strays;
mod temporary;
mod uninstall;
pub(crate) mod version;
mod yours;

#[cfg(test)]
mod tests;

pub(crate) use install::{install, launcher};
pub(crate) use plan::Plan;
pub(crate) use site::{Site, is_program, on_path};
pub(crate) use uninstall::uninstall;

use guard::Denied;
use headsup_adapters::inject::Unchanged;
use std::io;
use std::path::{Path, PathBuf};

/// Where the entries go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// A folder of our own, which the program finds at its next start.
    Plugin,
    /// Appended to the settings file, which running sessions follow.
    Settings,
}

/// Why a configuration was not changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SetupError {
    #[error("{} is left as it is: {why}", path.display())]
    Denied { path: PathBuf, why: Denied },
    #[error("{} is left as it is: {why}", path.display())]
    Unclear { path: PathBuf, why: Unchanged },
    #[error("{} is left as it is: the path turns back (`..`) from a folder that is not there", .0.display())]
    Astray(PathBuf),
    #[error("{} changed while it was being edited", .0.display())]
    Changed(PathBuf),
    #[error("cannot find {folder}: HOME is not set, or is no whole path")]
    Homeless { folder: &'static str, variable: &'static str },
    #[error("another program has locked {}, and does not let go of it", .0.display())]
    Busy(PathBuf),
    #[error("cannot read {}: {why}", path.display())]
    Damaged { path: PathBuf, why: String },
    #[error("cannot {what} {}: {source}", path.display())]
    Io { what: &'static str, path: PathBuf, source: io::Error },
}

impl SetupError {
    fn denied(path: &Path, why: Denied) -> Self {
        Self::Denied { path: path.to_owned(), why }
    }

    fn unclear(path: &Path, why: Unchanged) -> Self {
        Self::Unclear { path: path.to_owned(), why }
    }

    fn damaged(path: &Path, why: &dyn std::error::Error) -> Self {
        Self::Damaged { path: path.to_owned(), why: why.to_string() }
    }

    fn io(what: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { what, path: path.to_owned(), source }
    }
}
