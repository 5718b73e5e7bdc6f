//! The hooks of one launch: settings that the agent's own command line names.

use super::order::write_private;
use crate::cli::{Context, hooks};
use crate::error::{CommandError, Kind};
use crate::setup::status::{State, status};
use crate::setup::{self, edit};
use headsup_adapters::inject::{Launch, Recipe};
use std::ffi::OsString;
use std::path::Path;

/// The arguments with our hooks in them, where the agent allows that, and with what else a launch
/// needs. Whatever settings the arguments bring stay in force.
pub(crate) fn inject(
    recipe: &'static Recipe,
    arguments: &[OsString],
    launch: &Path,
    id: &str,
    context: &Context,
) -> Result<Vec<OsString>, CommandError> {
    let (with, given) = match &recipe.launch {
        Launch::WithSettings { arguments, given } => (arguments, given),
        // It reports if hooks are installed.
        Launch::WithArguments(with) => return Ok(with(arguments)),
        Launch::AsTyped => return Ok(arguments.to_vec()),
    };
    let site = hooks::site(recipe, context)?;
    // Commands of a plugin and of settings are run beside each other, those of two settings
    // files only once; so a plugin that is there reports alone.
    if status(&site).plugin == State::Complete {
        return Ok(arguments.to_vec());
    }
    // The entries name the launcher, installed hooks or not.
    edit::perform(&setup::launcher(&site, &hooks::binary()?), &mut edit::no_fault)
        .map_err(|error| CommandError::internal(error.to_string()))?;
    let given = given(arguments);
    let own = given.as_ref().map(read).transpose()?.unwrap_or_default();
    let text = recipe.append(&own, &site.launcher).map_err(|why| {
        let given = given.unwrap_or_default();
        let message = format!("hooks cannot be added to the settings {}: {why}", given.display());
        CommandError::new(Kind::Refused, message)
    })?;
    let path = launch.join(format!("{id}.json"));
    write_private(&path, text.as_bytes())?;
    Ok(with(arguments, &path.into_os_string()))
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
