//! Starting an agent with its id and its hooks, for this launch alone.

pub(crate) mod acp;
pub(crate) mod begin;
pub(crate) mod name;
pub(crate) mod order;
pub(crate) mod seat;
pub(crate) mod settings;
pub(crate) mod shim;
mod signals;
pub(crate) mod stream;
pub(crate) mod tend;
pub(crate) mod tmux;

use crate::error::CommandError;
use crate::setup::{is_program, on_path};
use headsup_adapters::inject::{Recipe, recipes};
use headsup_adapters::support;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The kind of a program that nobody knows.
pub(crate) const CUSTOM: &str = "custom";

/// A program as it was asked for, found.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    /// As it was typed: it becomes the program's own name.
    pub(crate) name: OsString,
    pub(crate) recipe: Option<&'static Recipe>,
    /// What it is without one.
    kind: &'static str,
}

impl Program {
    pub(crate) fn find(name: &OsStr, folder: &Path) -> Result<Self, CommandError> {
        let path = if name.as_bytes().contains(&b'/') {
            let path = folder.join(name);
            if path.exists() && !is_program(&path) {
                return Err(not_a_program(&path));
            }
            path.exists().then_some(path)
        } else {
            let path = std::env::var_os("PATH").map(PathBuf::from);
            name.to_str().and_then(|name| on_path(name, path))
        };
        let Some(path) = path else {
            let name = name.to_string_lossy();
            return Err(CommandError::usage(format!("there is no program {name:?} to run"))
                .hint("write what you would type in a shell behind `--`"));
        };
        Ok(Self::at(path, name))
    }

    /// The program in this file.
    pub(crate) fn at(path: PathBuf, name: &OsStr) -> Self {
        let base = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let recipe = recipes().iter().copied().find(|recipe| recipe.runs(base));
        let kind = support::of_program(base).map_or(CUSTOM, |row| row.kind);
        Self { path, name: name.to_owned(), recipe, kind }
    }

    pub(crate) fn kind(&self) -> &'static str {
        self.recipe.map_or(self.kind, |recipe| recipe.kind)
    }
}

fn not_a_program(path: &Path) -> CommandError {
    let shown = path.display();
    if path.is_dir() {
        return CommandError::usage(format!("{shown} is a folder"))
            .hint("name the program in it, behind `--`");
    }
    CommandError::usage(format!("{shown} is not executable"))
        .hint(format!("`chmod +x {shown}`, or name what runs it: `-- sh {shown}`"))
}
