//! How our hooks get into an agent program's configuration: text in, text out.
//!
//! A [`Recipe`] is all that whoever edits files has to know of a program. It reads and writes
//! nothing itself.

mod command;
mod comments;
pub(crate) mod entries;
mod halves;
mod one_line;
#[cfg(test)]
mod recipes;
mod replaced;
pub(crate) mod script;
pub mod server;
pub(crate) mod settings_file;
pub mod skill;
mod statements;
mod strict;
mod tables;
mod trace;
mod trust;
pub(crate) mod variable;
pub(crate) mod versions;

use crate::mapped::map::Map;
use crate::{claude_code, codex, copilot_cli, gemini_cli, mapped, opencode, qwen_code};
pub(crate) use command::event_of;
#[cfg(test)]
pub(crate) use command::{around_before, command};
use entries::Form;
use script::Script;
pub use script::is_same_text;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::LazyLock;
pub use trace::names;
pub use trust::{Off, Switched, Trust};
pub use versions::Version;

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
    #[error("there is something of somebody else's in it")]
    Foreign,
    #[error("{0} runs headsup, but is not as it was installed")]
    Stray(String),
    #[error("it is not TOML: {0}")]
    NotToml(String),
    #[error("the path {0} cannot stand in a command of it; set HEADSUP_HOME to a plainer one")]
    Path(String),
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

/// A folder of our own, in which the program finds our entries.
#[derive(Debug)]
pub struct Plugin {
    /// Below the configuration folder.
    pub folder: &'static str,
    /// Its file that holds the entries.
    pub entries: &'static str,
    /// What a person should know after it was installed.
    pub after: &'static str,
    /// The member of the settings that switches plugins on and off, and this one's name in it.
    pub switch: (&'static str, &'static str),
    pub(crate) files: fn(launcher: &str) -> Vec<File>,
    pub(crate) owns: fn(path: &str, text: &str) -> bool,
    pub(crate) reads: fn(path: &str, text: &str) -> bool,
}

impl Plugin {
    /// Its files, below its folder.
    pub fn files(&self, launcher: &str) -> Vec<File> {
        (self.files)(launcher)
    }

    /// Whether a plugin folder with this file in it is one that we have made.
    pub fn owns(&self, path: &str, text: &str) -> bool {
        (self.owns)(path, text)
    }

    /// Whether the program loads a plugin of which this file says this.
    pub fn reads(&self, path: &str, text: &str) -> bool {
        (self.reads)(path, text)
    }

    /// Whether these settings switch it on; `None`: they say nothing of it that the program reads.
    pub fn switched(&self, settings: &str) -> Option<bool> {
        let plain = settings.strip_prefix(entries::BOM).unwrap_or(settings);
        let settings: serde_json::Value = serde_json::from_str(plain).ok()?;
        let (plugins, name) = self.switch;
        Some(settings.get(plugins)?.get(name)?.as_bool() != Some(false))
    }
}

/// An environment, by name.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// How one launch is different from what the person has typed: by hooks, or by the server of the tools.
#[derive(Clone, Debug)]
pub enum Launch {
    /// It gets hooks by a settings file that its arguments name.
    WithSettings {
        /// The arguments with this file among them.
        arguments: fn(&[OsString], &OsString) -> Vec<OsString>,
        /// The settings that the arguments bring themselves: JSON, or a file.
        given: fn(&[OsString]) -> Option<OsString>,
        /// What names such a file where no argument does.
        variable: Option<&'static str>,
        /// Of the same command there and in the settings that are installed it runs one.
        is_run_once: bool,
    },
    /// It gets hooks by a file of ours that its arguments name.
    WithFile {
        /// The ending of that file's name.
        ending: &'static str,
        /// The arguments with this file among them.
        arguments: fn(&[OsString], &OsString) -> Vec<OsString>,
    },
    /// It gets hooks by a folder of ours that its arguments name.
    WithFolder {
        /// The file in it that tells what it is: its path and its text.
        manifest: (&'static str, &'static str),
        /// The one that holds the entries.
        entries: &'static str,
        /// The arguments with this folder among them.
        arguments: fn(&[OsString], &OsString) -> Vec<OsString>,
    },
    /// It gets hooks by defaults of the machine, which a variable puts elsewhere: a file of ours that
    /// has what those have.
    WithDefaults {
        variable: &'static str,
        /// Where they are otherwise, by the environment.
        path: fn(Variables<'_>) -> PathBuf,
    },
    /// It gets hooks by a file of ours that a variable names.
    WithVariable {
        variable: &'static str,
        /// The ending of that file's name.
        ending: &'static str,
        /// The variable's value, from what it was before (nothing, if it was not set) and the file.
        value: fn(given: &str, file: &str) -> Result<String, Unchanged>,
    },
    /// What it gets stands in its arguments, which name the launcher.
    WithText(fn(&[OsString], &str) -> Vec<OsString>),
    /// What it gets stands in the configuration that a variable holds.
    InVariable(&'static str),
    /// It gets no hooks; its arguments are these, since that version (major, minor) of its package.
    WithArguments {
        arguments: fn(&[OsString]) -> Vec<OsString>,
        package: &'static str,
        since: (u64, u64),
    },
    /// It gets no hooks, and nothing is different.
    AsTyped,
}

/// What a program fetches for itself, and waits for at its start once our part is in its configuration.
#[derive(Debug)]
pub struct Fetched {
    /// Where it is then, below the configuration folder.
    pub path: &'static str,
    /// What a person should know as long as it is not there.
    pub advice: &'static str,
}

/// What our part of a program's configuration is.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// Entries in JSON, among those of others.
    Entries(&'static Form),
    /// The same in TOML, as tables.
    Tables(&'static Form),
    /// A file of our own, which the program runs in its own process.
    Script(&'static Script),
    /// A server of tools, among those of others.
    Server(&'static server::Form),
    /// A text of our own, for models.
    Skill,
}

/// What makes the event of a [`Recipe::probe`].
#[derive(Clone, Debug)]
pub(crate) enum Probe {
    Written(fn(session: &str, folder: &str) -> (&'static str, String)),
    Mapped(&'static Map),
}

/// One agent program. `launcher` is always the path that the entries name: it stays the same for
/// ever, and an entry is ours by naming it.
#[derive(Clone, Debug)]
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
    /// None where the settings are the only way.
    pub plugin: Option<&'static Plugin>,
    /// The settings file, below the configuration folder.
    pub settings: &'static str,
    /// Other programs use that folder, too: it does not show that this one is here.
    pub folder_is_shared: bool,
    /// The machine's own settings files, and folders of them: only read.
    pub managed: &'static [&'static str],
    /// What a person should know after entries were put into the settings.
    pub after_settings: &'static str,
    /// What no file shows and keeps hooks from firing.
    pub advice: &'static str,
    pub trust: Option<&'static Trust>,
    /// What may switch all hooks off beside the settings, the word that counts most first.
    pub off: &'static [Off],
    pub fetched: Option<&'static Fetched>,
    pub launch: Launch,
    pub(crate) part: Part,
    pub(crate) probe: Probe,
}

impl Recipe {
    /// The settings with all our entries in them, and otherwise as they are: comments, order and
    /// other people's hooks stay. The same text again where nothing is missing.
    pub fn append(&self, text: &str, launcher: &str) -> Result<String, Unchanged> {
        if self.replaces_in(launcher) {
            return Err(Unchanged::Path(launcher.to_owned()));
        }
        match self.part {
            Part::Entries(form) => halves::kept(text, |text| entries::append(form, text, launcher)),
            Part::Tables(form) => tables::append(form, text, launcher),
            Part::Script(script) => script::append(script, text, launcher),
            Part::Server(form) => server::append(form, text, launcher),
            Part::Skill => skill::append(text),
        }
    }

    /// The settings without our entries, wherever they have been moved to. What holds nothing
    /// any more goes too, unless `original`, the settings before we came, had it.
    pub fn remove(
        &self,
        text: &str,
        launcher: &str,
        original: Option<&str>,
    ) -> Result<String, Unchanged> {
        match self.part {
            Part::Entries(form) => {
                halves::kept(text, |text| entries::remove(form, text, launcher, original))
            }
            Part::Tables(form) => tables::remove(form, text, launcher),
            Part::Script(_) => Ok(script::remove(text, launcher, original)),
            Part::Server(form) => server::remove(form, text, launcher, original),
            Part::Skill => Ok(skill::remove(text)),
        }
    }

    /// By name, what is in there that runs this launcher and that [`Recipe::remove`] does not know for ours: it
    /// was changed, or written by hand.
    pub fn strays(&self, text: &str, launcher: &str) -> Vec<String> {
        match self.part {
            Part::Entries(form) => entries::strays(form, text, launcher),
            Part::Tables(form) => tables::strays(form, text, launcher),
            Part::Server(form) => server::strays(form, text, launcher),
            Part::Script(_) | Part::Skill => Vec::new(),
        }
    }

    /// What of ours is in there.
    pub fn inspect(&self, text: &str, launcher: &str) -> Result<Found, Unchanged> {
        match self.part {
            Part::Entries(form) => entries::inspect(form, text, launcher),
            Part::Tables(form) => tables::inspect(form, text, launcher),
            Part::Script(script) => Ok(script::inspect(script, text, launcher)),
            Part::Server(form) => server::inspect(form, text, launcher),
            Part::Skill => Ok(skill::inspect(text)),
        }
    }

    /// Whether there is nothing in there but what is ours, of whatever state folders: entries, and a server
    /// where both stand in one file.
    pub fn is_all_ours(&self, text: &str) -> bool {
        match self.part {
            Part::Entries(form) => {
                entries::is_all_ours(form, text)
                    || server::beside(self).and_then(|of| server::without(of, text)).is_some_and(
                        |rest| entries::is_all_ours(form, &rest) || entries::is_bare(&rest),
                    )
            }
            Part::Tables(form) => tables::is_all_ours(form, text),
            Part::Script(_) => script::is_ours(text),
            Part::Server(form) => {
                let rest = server::without(form, text);
                let hooks = recipe(self.kind).filter(|hooks| hooks.settings == self.settings);
                let rest = rest.as_deref().unwrap_or(text);
                server::is_all_ours(form, text)
                    || hooks.is_some_and(|hooks| match hooks.part {
                        Part::Entries(form) => entries::is_all_ours(form, rest),
                        _ => false,
                    })
            }
            Part::Skill => skill::is_ours(text),
        }
    }

    /// Whether this is a file of ours as a whole, and not as this version writes it: an older one has written
    /// it, or somebody has changed it.
    pub fn is_altered(&self, text: &str) -> bool {
        match self.part {
            Part::Script(script) => script::is_altered(script, text),
            Part::Skill => skill::is_altered(text),
            Part::Entries(_) | Part::Tables(_) | Part::Server(_) => false,
        }
    }

    /// Whether our part is a file of its own, and nothing among what others have in one.
    pub fn is_own_file(&self) -> bool {
        matches!(self.part, Part::Script(_) | Part::Skill)
    }

    /// For a skill: the tools that it speaks of.
    pub fn tools(&self) -> Option<&'static Recipe> {
        match self.part {
            Part::Skill => server::of(self.kind),
            _ => None,
        }
    }

    /// What of ours it brings, in a word.
    pub fn subject(&self) -> &'static str {
        match self.part {
            Part::Server(_) => "tools",
            Part::Skill => "skill",
            _ => "hooks",
        }
    }

    /// Whether there is room for one state folder alone, so that ours takes the place of another one's.
    pub fn has_one_place(&self) -> bool {
        matches!(self.part, Part::Script(_) | Part::Server(_))
    }

    /// Under which name it is remembered what was there before.
    pub fn record(&self) -> String {
        match self.part {
            Part::Server(_) => format!("{}.mcp", self.kind),
            Part::Skill => format!("{}.skill", self.kind),
            _ => self.kind.to_owned(),
        }
    }

    /// What holds our entries where it is not a plugin folder, in a word or two.
    pub fn place(&self) -> &'static str {
        match self.part {
            Part::Entries(_) | Part::Tables(_) | Part::Server(_) => "settings",
            Part::Skill => "skill",
            Part::Script(_) => "plugin file",
        }
    }

    /// Whether one launch can bring hooks, or tools, of its own.
    pub fn takes_settings(&self) -> bool {
        !matches!(self.launch, Launch::WithArguments { .. } | Launch::AsTyped)
    }

    /// An event, and a payload of it that does no harm.
    pub fn probe(&self, session: &str, folder: &str) -> (&'static str, String) {
        match self.probe {
            Probe::Written(write) => write(session, folder),
            Probe::Mapped(map) => mapped::probe(map, session, folder),
        }
    }

    /// The configuration folder below `XDG_CONFIG_HOME`, where that moves it unless the program's own
    /// variable does.
    pub fn config_folder(&self) -> Option<&'static str> {
        match self.probe {
            Probe::Mapped(map) => map.install.as_ref()?.config_folder.as_deref(),
            Probe::Written(_) => None,
        }
    }

    /// Whether a program of this name is this agent.
    pub fn runs(&self, program: &str) -> bool {
        self.programs.contains(&program)
    }
}

const WRITTEN: &[&Recipe] = &[
    &claude_code::RECIPE,
    &codex::RECIPE,
    &copilot_cli::RECIPE,
    &gemini_cli::RECIPE,
    &opencode::KILO_RECIPE,
    &opencode::RECIPE,
    &qwen_code::RECIPE,
];

static RECIPES: LazyLock<Vec<&'static Recipe>> =
    LazyLock::new(|| WRITTEN.iter().copied().chain(mapped::recipes()).collect());

/// All programs that hooks can be installed into.
pub fn recipes() -> &'static [&'static Recipe] {
    &RECIPES
}

/// The recipe of a kind, or of the program that people know it by.
pub fn recipe(name: &str) -> Option<&'static Recipe> {
    recipes().iter().copied().find(|recipe| recipe.kind == name || recipe.runs(name))
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

/// The start of a session, which begins no turn, as most programs write it.
pub(crate) fn probe(session: &str, folder: &str) -> (&'static str, String) {
    let event = "SessionStart";
    let payload = serde_json::json!({
        "hook_event_name": event, "session_id": session, "cwd": folder, "source": "startup",
    });
    (event, payload.to_string())
}

#[cfg(test)]
mod tests;
