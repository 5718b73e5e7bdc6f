//! The hooks of one launch: settings that the agent's own command line or environment names.

use super::order::write_private;
use crate::cli::{Context, hooks};
use crate::error::{CommandError, Kind};
use crate::output::line::Line;
use crate::setup::status::{State, status};
use crate::setup::{self, edit};
use headsup_adapters::inject::{Launch, Recipe, Unchanged};
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
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
    let site = hooks::site(recipe, context)?;
    let installed = status(&site);
    if !recipe.takes_settings() {
        if !installed.is_installed() {
            let (title, kind) = (recipe.title, recipe.kind);
            context.output.say(&Line::plain(format!(
                "headsup: {title} takes no hooks for one launch alone: `headsup hooks install {kind}` has \
                 it report; until then its process and what it says to its terminal are all that is seen"
            )));
        }
        return as_typed();
    }
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
        Launch::WithVariable { .. }
        | Launch::WithFile { .. }
        | Launch::WithFolder { .. }
        | Launch::WithDefaults { .. }
            if installed.settings != State::Absent =>
        {
            as_typed()
        }
        Launch::WithFile { ending, arguments: with } => {
            let path = launch.join(format!("{id}.{ending}"));
            let text = recipe.append("", &site.launcher);
            let text = text.map_err(|why| refused(path.display().to_string(), why))?;
            write_private(&path, text.as_bytes())?;
            Ok(Launched::with(with(arguments, &path.into_os_string())))
        }
        Launch::WithFolder { manifest, entries, arguments: with } => {
            let folder = launch.join(format!("{id}.plugin"));
            let text = recipe.append("", &site.launcher);
            let text = text.map_err(|why| refused(folder.display().to_string(), why))?;
            for (path, text) in [*manifest, (*entries, &text)] {
                write_below(&folder, path, text)?;
            }
            Ok(Launched::with(with(arguments, &folder.into_os_string())))
        }
        Launch::WithDefaults { variable, path } => {
            let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
            let given = path(&set);
            let there = match std::fs::read_to_string(&given) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
                other => other.map_err(|error| {
                    CommandError::usage(format!("cannot read {}: {error}", given.display()))
                })?,
            };
            let text = recipe.append(&there, &site.launcher);
            let text =
                text.map_err(|why| refused(format!("the settings {}", given.display()), why))?;
            let path = launch.join(format!("{id}.json"));
            write_private(&path, text.as_bytes())?;
            let Some(value) = path.to_str().map(str::to_owned) else {
                let message = format!("{} is to be UTF-8", path.display());
                return Err(CommandError::new(Kind::Refused, message));
            };
            Ok(Launched { arguments: arguments.to_vec(), variable: Some((*variable, value)) })
        }
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

/// A file below a folder of ours.
fn write_below(folder: &Path, path: &str, text: &str) -> Result<(), CommandError> {
    let path = folder.join(path);
    let parent = path.parent().unwrap_or(folder);
    DirBuilder::new().recursive(true).mode(0o700).create(parent).map_err(|error| {
        CommandError::internal(format!("cannot make {}: {error}", parent.display()))
    })?;
    write_private(&path, text.as_bytes())
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
