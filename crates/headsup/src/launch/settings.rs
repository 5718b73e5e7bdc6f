//! The hooks of one launch: settings that the agent's own command line or environment names.

use super::order::write_private;
use crate::cli::{Context, hooks};
use crate::error::{CommandError, Kind};
use crate::setup::status::{State, status};
use crate::setup::{self, edit};
use headsup_adapters::inject::{Launch, Recipe, Unchanged};
use std::ffi::OsString;
use std::path::Path;

/// What one launch has that was not typed.
#[derive(Debug)]
pub(crate) struct Launched {
    pub(crate) arguments: Vec<OsString>,
    /// A variable of its environment, and its value.
    pub(crate) variable: Option<(&'static str, String)>,
}

impl Launched {
    pub(crate) fn with(arguments: Vec<OsString>) -> Self {
        Self { arguments, variable: None }
    }
}

/// The arguments and the environment with our hooks in them, where the agent allows that, and with
/// what else a launch needs. Whatever settings they bring stay in force.
pub(crate) fn inject(
    recipe: &'static Recipe,
    arguments: &[OsString],
    launch: &Path,
    id: &str,
    context: &Context,
) -> Result<Launched, CommandError> {
    let as_typed = || Ok(Launched::with(arguments.to_vec()));
    // It reports if hooks are installed.
    if let Launch::WithArguments(with) = recipe.launch {
        return Ok(Launched::with(with(arguments)));
    }
    if !recipe.takes_settings() {
        return as_typed();
    }
    let site = hooks::site(recipe, context)?;
    let installed = status(&site);
    // Commands of a plugin and of settings are run beside each other, those of two settings
    // files only once; so a plugin that is there reports alone.
    if installed.plugin == State::Complete {
        return as_typed();
    }
    // The entries name the launcher, installed hooks or not.
    edit::perform(&setup::launcher(&site, &hooks::binary()?), &mut edit::no_fault)
        .map_err(|error| CommandError::internal(error.to_string()))?;
    let refused = |what: String, why: Unchanged| {
        CommandError::new(Kind::Refused, format!("hooks cannot be added to {what}: {why}"))
    };
    match &recipe.launch {
        Launch::WithSettings { arguments: with, given } => {
            let given = given(arguments);
            let own = given.as_ref().map(read).transpose()?.unwrap_or_default();
            let text = recipe.append(&own, &site.launcher).map_err(|why| {
                let given = given.unwrap_or_default();
                refused(format!("the settings {}", given.display()), why)
            })?;
            let path = launch.join(format!("{id}.json"));
            write_private(&path, text.as_bytes())?;
            Ok(Launched::with(with(arguments, &path.into_os_string())))
        }
        // A file that is installed is run beside this one, and both would report.
        Launch::WithVariable { .. } if installed.settings != State::Absent => as_typed(),
        Launch::WithVariable { variable, ending, value } => {
            let path = launch.join(format!("{id}.{ending}"));
            let given = std::env::var_os(variable).unwrap_or_default();
            let texts = given.to_str().zip(path.to_str());
            let (given, file) = texts.ok_or_else(|| {
                let message = format!("{variable} and {} are to be UTF-8", path.display());
                CommandError::new(Kind::Refused, message)
            })?;
            let what = || format!("the configuration in {variable}");
            let value = value(given, file).map_err(|why| refused(what(), why))?;
            let text = recipe.append("", &site.launcher).map_err(|why| refused(what(), why))?;
            write_private(&path, text.as_bytes())?;
            Ok(Launched { arguments: arguments.to_vec(), variable: Some((*variable, value)) })
        }
        Launch::WithArguments(_) | Launch::AsTyped => as_typed(),
    }
}

/// Settings stand on the command line as JSON, or as the name of a file.
fn read(given: &OsString) -> Result<String, CommandError> {
    if let Some(text) = given.to_str().filter(|text| text.trim_start().starts_with('{')) {
        return Ok(text.to_owned());
    }
    std::fs::read_to_string(given).map_err(|error| {
        CommandError::usage(format!("cannot read the settings {}: {error}", given.display()))
    })
}
