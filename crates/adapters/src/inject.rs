//! How our hooks get into an agent program's configuration: text in, text out.
//!
//! A [`Recipe`] is all that whoever edits files has to know of a program. It reads and writes
//! nothing itself.

mod command;
pub(crate) mod entries;
#[cfg(test)]
mod recipes;

use crate::{claude_code, copilot_cli, gemini_cli, qwen_code};
#[cfg(test)]
pub(crate) use command::{around_before, command};
use std::ffi::OsString;

/// A file, by its path below some folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub path: &'static str,
    pub text: String,
}

/// Why a configuration is left as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unchanged {
    #[error("it is not JSON: {0}")]
    NotJson(String),
    #[error("the key {0:?} stands more than once, so it is not clear which one counts")]
    Twice(String),
    #[error("{0} is not {1}")]
    Shape(String, &'static str),
}

/// What of ours a configuration holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Event and command of each entry that is as it should be.
    pub entries: Vec<(String, String)>,
    /// Events without an entry that is as it should be.
    pub missing: Vec<&'static str>,
    /// Entries of ours that are not as they should be.
    pub outdated: usize,
    /// Other commands that report to headsup: pasted by hand, or of another state folder.
    pub others: usize,
    /// Those of them that were pasted by hand.
    pub pasted: usize,
    /// The state folders of the rest, each once.
    pub elsewhere: Vec<String>,
    /// What keeps hooks from firing, whoever put it there.
    pub problems: Vec<String>,
    /// Every hook is switched off, wherever it stands.
    pub is_off: bool,
    /// The program does not read this very text.
    pub is_ignored: bool,
}

impl Found {
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty() && self.outdated == 0
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.outdated == 0
    }

    /// Whether its entries fire, if nothing is switched off elsewhere.
    pub fn fires(&self) -> bool {
        !self.is_empty() && !self.is_ignored && !self.is_off
    }
}

/// The arguments of one launch, and a settings file to be put among them.
type PutSettings = fn(&[OsString], &OsString) -> Vec<OsString>;

/// One agent program. `launcher` is always the path that the entries name: it stays the same for
/// ever, and an entry is ours by naming it.
#[derive(Debug)]
pub struct Recipe {
    pub kind: &'static str,
    /// As people call it.
    pub title: &'static str,
    /// The names its program is started by.
    pub programs: &'static [&'static str],
    /// The variable that moves its configuration folder.
    pub folder_variable: &'static str,
    /// The configuration folder below the home folder.
    pub folder: &'static str,
    /// The same below the folder that the variable names.
    pub moved_folder: &'static str,
    /// The plugin folder, below the configuration folder; empty where there is only one way, the
    /// settings.
    pub plugin: &'static str,
    /// The settings file, below the configuration folder.
    pub settings: &'static str,
    /// The machine's own settings files, and folders of them: only read.
    pub managed: &'static [&'static str],
    /// The plugin's file that holds the entries.
    pub plugin_entries: &'static str,
    /// What a person should know after each way of installing.
    pub after_plugin: &'static str,
    pub after_settings: &'static str,
    /// What no file shows and keeps hooks from firing.
    pub advice: &'static str,
    pub(crate) plugin_files: fn(launcher: &str) -> Vec<File>,
    pub(crate) owns_plugin: fn(path: &str, text: &str) -> bool,
    pub(crate) append: fn(text: &str, launcher: &str) -> Result<String, Unchanged>,
    pub(crate) remove: fn(&str, &str, Option<&str>) -> Result<String, Unchanged>,
    pub(crate) inspect: fn(text: &str, launcher: &str) -> Result<Found, Unchanged>,
    pub(crate) is_all_ours: fn(text: &str) -> bool,
    pub(crate) arguments: Option<PutSettings>,
    pub(crate) given: fn(&[OsString]) -> Option<OsString>,
    pub(crate) probe: fn(session: &str, folder: &str) -> (&'static str, String),
}

impl Recipe {
    /// The plugin, below its folder.
    pub fn plugin_files(&self, launcher: &str) -> Vec<File> {
        (self.plugin_files)(launcher)
    }

    /// Whether a plugin folder with this file in it is one that we have made.
    pub fn owns_plugin(&self, path: &str, text: &str) -> bool {
        (self.owns_plugin)(path, text)
    }

    /// The settings with all our entries in them, and otherwise as they are: comments, order and
    /// other people's hooks stay. The same text again where nothing is missing.
    pub fn append(&self, text: &str, launcher: &str) -> Result<String, Unchanged> {
        (self.append)(text, launcher)
    }

    /// The settings without our entries, wherever they have been moved to. What holds nothing
    /// any more goes too, unless `original`, the settings before we came, had it.
    pub fn remove(
        &self,
        text: &str,
        launcher: &str,
        original: Option<&str>,
    ) -> Result<String, Unchanged> {
        (self.remove)(text, launcher, original)
    }

    /// What of ours is in there.
    pub fn inspect(&self, text: &str, launcher: &str) -> Result<Found, Unchanged> {
        (self.inspect)(text, launcher)
    }

    /// Whether there is nothing in there but entries of ours, of whatever state folders.
    pub fn is_all_ours(&self, text: &str) -> bool {
        (self.is_all_ours)(text)
    }

    /// Whether there is a plugin folder of our own.
    pub fn has_plugin(&self) -> bool {
        !self.plugin.is_empty()
    }

    /// Whether one launch can bring hooks of its own.
    pub fn takes_settings(&self) -> bool {
        self.arguments.is_some()
    }

    /// The arguments of one launch, with the settings file `path` among them.
    pub fn arguments(&self, arguments: &[OsString], path: &OsString) -> Vec<OsString> {
        self.arguments.map_or_else(|| arguments.to_vec(), |put| put(arguments, path))
    }

    /// The settings that the arguments bring themselves: JSON, or a file.
    pub fn given_settings(&self, arguments: &[OsString]) -> Option<OsString> {
        (self.given)(arguments)
    }

    /// An event, and a payload of it that does no harm.
    pub fn probe(&self, session: &str, folder: &str) -> (&'static str, String) {
        (self.probe)(session, folder)
    }

    /// Whether a program of this name is this agent.
    pub fn runs(&self, program: &str) -> bool {
        self.programs.contains(&program)
    }
}

const RECIPES: &[&Recipe] =
    &[&claude_code::RECIPE, &copilot_cli::RECIPE, &gemini_cli::RECIPE, &qwen_code::RECIPE];

/// All programs that hooks can be installed into.
pub fn recipes() -> &'static [&'static Recipe] {
    RECIPES
}

/// The recipe of a kind, or of the program that people know it by.
pub fn recipe(name: &str) -> Option<&'static Recipe> {
    RECIPES.iter().copied().find(|recipe| recipe.kind == name || recipe.runs(name))
}

/// `text` as one word of a POSIX shell.
pub fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The text that was quoted like that at the beginning of `shell`.
pub(crate) fn unquote(shell: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = shell.strip_prefix('\'')?;
    loop {
        let (piece, behind) = rest.split_once('\'')?;
        text.push_str(piece);
        match behind.strip_prefix(r"\''") {
            Some(more) => rest = more,
            None => return Some(text),
        }
        text.push('\'');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_read_again() {
        for text in ["", "/a b/c", "it's", "''", "a\\'b\"$c\n"] {
            assert_eq!(unquote(&format!("{} && x 'y'", quote(text))).as_deref(), Some(text));
        }
        for broken in ["", "x", "'x", r"'x'\''"] {
            assert_eq!(unquote(broken), None, "{broken}");
        }
    }
}
