//! What one launch brings: hooks and tools that the agent's own command line or environment names.

mod bring;
mod tools;

use crate::cli::{Context, hooks};
use crate::error::{CommandError, Kind};
use crate::output::line::Line;
use crate::setup::status::{State, status};
use crate::setup::{self, Site, edit, version};
use headsup_adapters::inject::{Launch, Recipe};
use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// What one launch has that was not typed.
#[derive(Clone, Debug)]
pub(crate) struct Launched {
    pub(crate) arguments: Vec<OsString>,
    /// Variables of its environment, and their values.
    pub(crate) variables: Vec<(&'static str, String)>,
}

impl Launched {
    pub(crate) fn with(arguments: Vec<OsString>) -> Self {
        Self { arguments, variables: Vec::new() }
    }

    /// A variable as the agent will find it.
    fn variable(&self, name: &str) -> Option<OsString> {
        let own = self.variables.iter().find(|(of, _)| *of == name);
        match own {
            Some((_, value)) => Some(OsString::from(value)),
            None => std::env::var_os(name).filter(|value| !value.is_empty()),
        }
    }

    fn set(mut self, name: &'static str, value: String) -> Self {
        self.variables.retain(|(of, _)| *of != name);
        self.variables.push((name, value));
        self
    }
}

/// A launch of an agent.
#[derive(Clone, Copy)]
pub(crate) struct What<'a> {
    pub(crate) recipe: &'static Recipe,
    /// Where its program is.
    pub(crate) program: &'a Path,
    /// The folder for what is brought.
    pub(crate) launch: &'a Path,
    /// The agent's own: what it is given may name files as seen from there.
    pub(crate) folder: &'a Path,
    pub(crate) id: &'a str,
    /// The lines that it writes are read along.
    pub(crate) is_read: bool,
    pub(crate) context: &'a Context,
}

/// The arguments and the environment with our hooks in them, and our tools where they are wanted, where
/// the agent allows that, and with what else a launch needs. Whatever settings they bring stay in force.
pub(crate) fn inject(
    what: &What<'_>,
    arguments: &[OsString],
    with_tools: bool,
) -> Result<Launched, CommandError> {
    let launched = Launched::with(arguments.to_vec());
    // Hooks come last, and so first on the command line.
    let launched = if with_tools { tools::add(what, launched) } else { launched };
    hooks(what, launched)
}

fn hooks(what: &What<'_>, launched: Launched) -> Result<Launched, CommandError> {
    let recipe = what.recipe;
    // It reports if hooks are installed.
    if let Launch::WithArguments { arguments, package, since } = recipe.launch {
        if let Ok(site) = hooks::site(recipe, what.context) {
            revive(&site)?;
        }
        if !version::knows(what.program, package, since) {
            return Ok(launched);
        }
        let arguments = arguments(&launched.arguments);
        return Ok(Launched { arguments, ..launched });
    }
    let site = hooks::site(recipe, what.context)?;
    let installed = status(&site);
    revive(&site)?;
    if !recipe.takes_settings() {
        if !installed.is_installed() {
            let (title, kind) = (recipe.title, recipe.kind);
            let says = match what.is_read {
                true => "the lines that it writes",
                false => "what it says to its terminal",
            };
            what.context.output.say(&Line::plain(format!(
                "headsup: {title} takes no hooks for one launch alone: `headsup hooks install {kind}` has \
                 it report; until then its process and {says} are all that is seen"
            )));
        }
        return Ok(launched);
    }
    // Commands of a plugin and of settings are run beside each other, those of two settings
    // files only once; so a plugin that is there reports alone, unless something keeps the program from it.
    // Any other file that is installed is run beside ours, and both would report.
    let reports_once = matches!(recipe.launch, Launch::WithSettings { is_run_once: true, .. });
    let version = recipe.package().and_then(|package| version::of(what.program, package));
    let has_plugin = installed.plugin == State::Complete && !installed.is_kept_out;
    if (has_plugin && recipe.finds_plugin(version))
        || (!reports_once && installed.settings.is_installed())
    {
        return Ok(launched);
    }
    link(&site)?;
    let recipe = recipe.of_version(version);
    bring::add(recipe, launched, what, &site.launcher).map_err(|why| match why {
        bring::Refused::Unchanged(at, why) => {
            CommandError::new(Kind::Refused, format!("hooks cannot be added to {at}: {why}"))
        }
        bring::Refused::Other(error) => error,
    })
}

/// What is installed names the launcher, and fires nothing once the program behind that has moved.
fn revive(site: &Site) -> Result<(), CommandError> {
    let is_dead = fs::metadata(&site.launcher).is_err();
    if is_dead && status(site).is_installed() { link(site) } else { Ok(()) }
}

/// Entries name the launcher, installed or not.
fn link(site: &Site) -> Result<(), CommandError> {
    edit::perform(&setup::launcher(site, &hooks::binary()?), &mut edit::no_fault)
        .map_err(|error| CommandError::internal(error.to_string()))
}
