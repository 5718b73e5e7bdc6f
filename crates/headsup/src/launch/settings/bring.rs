//! One recipe's part of a launch: a file, a variable or words that bring what is not installed.

use super::{Launched, What};
use crate::error::{CommandError, Kind};
use crate::launch::order::write_private;
use crate::regular;
use headsup_adapters::inject::{Launch, Recipe, Unchanged};
use std::ffi::{OsStr, OsString};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

/// Larger settings are something else.
const LARGEST_KIB: u64 = 16 << 10;

/// Why a launch cannot bring it.
#[derive(Debug)]
pub(super) enum Refused {
    /// What it is to be added to, and why it is left as it is.
    Unchanged(String, Unchanged),
    Other(CommandError),
}

impl From<CommandError> for Refused {
    fn from(error: CommandError) -> Self {
        Self::Other(error)
    }
}

/// The launch with this recipe's entries in it.
pub(super) fn add(
    recipe: &'static Recipe,
    launched: Launched,
    what: &What<'_>,
    launcher: &str,
) -> Result<Launched, Refused> {
    let place = |ending: &str| what.launch.join(format!("{}.{ending}", what.id));
    let write = |path: &Path, before: &str, at: String| -> Result<(), Refused> {
        let text = recipe.append(before, launcher);
        let text = text.map_err(|why| Refused::Unchanged(at, why))?;
        Ok(write_private(path, text.as_bytes())?)
    };
    match &recipe.launch {
        Launch::WithSettings { arguments, given, variable, .. } => {
            let named = || variable.and_then(|name| launched.variable(name));
            let given = given(&launched.arguments).or_else(named).filter(|name| !name.is_empty());
            let own = given.as_ref().map(|given| read(what.folder, given));
            let own = own.transpose()?.unwrap_or_default();
            let path = place("json");
            write(&path, &own, given.as_ref().map(called).unwrap_or_default())?;
            Ok(with_path(launched, *arguments, &path))
        }
        Launch::WithFile { ending, arguments } => {
            let path = place(ending);
            write(&path, "", path.display().to_string())?;
            Ok(with_path(launched, *arguments, &path))
        }
        Launch::WithFolder { manifest, entries, arguments } => {
            let folder = place("plugin");
            let (name, text) = *manifest;
            write_private(&below(&folder, name)?, text.as_bytes())?;
            write(&below(&folder, entries)?, "", folder.display().to_string())?;
            Ok(with_path(launched, *arguments, &folder))
        }
        Launch::WithDefaults { variable, path } => {
            let given = what.folder.join(path(&|name: &str| launched.variable(name)));
            let unread = |why: String| {
                CommandError::usage(format!("cannot read {}: {why}", given.display()))
            };
            let there = match regular::read(&given, LARGEST_KIB) {
                Err(error) if error.is_absent() => String::new(),
                other => String::from_utf8(other.map_err(|error| unread(error.to_string()))?)
                    .map_err(|error| unread(error.to_string()))?,
            };
            let path = place("json");
            write(&path, &there, format!("the settings {}", given.display()))?;
            let value = text_of(path.as_os_str(), &path.display().to_string())?;
            Ok(launched.set(variable, value))
        }
        Launch::WithVariable { variable, ending, value } => {
            let path = place(ending);
            let at = format!("the configuration in {variable}");
            let given = text_of(&launched.variable(variable).unwrap_or_default(), variable)?;
            let file = text_of(path.as_os_str(), &path.display().to_string())?;
            let value = value(&given, &file);
            let value = value.map_err(|why| Refused::Unchanged(at.clone(), why))?;
            write(&path, "", at)?;
            Ok(launched.set(variable, value))
        }
        Launch::InVariable(variable) => {
            let given = text_of(&launched.variable(variable).unwrap_or_default(), variable)?;
            let at = || format!("the configuration in {variable}");
            let value = recipe.append(&given, launcher);
            Ok(launched.set(variable, value.map_err(|why| Refused::Unchanged(at(), why))?))
        }
        Launch::WithText(with) => {
            let arguments = with(&launched.arguments, launcher);
            Ok(Launched { arguments, ..launched })
        }
        Launch::WithArguments { .. } | Launch::AsTyped => Ok(launched),
    }
}

fn with_path(
    launched: Launched,
    arguments: fn(&[OsString], &OsString) -> Vec<OsString>,
    path: &Path,
) -> Launched {
    let arguments = arguments(&launched.arguments, &path.as_os_str().to_owned());
    Launched { arguments, ..launched }
}

/// What goes into a text has to be one.
fn text_of(word: &OsStr, name: &str) -> Result<String, CommandError> {
    let text = word.to_str().map(str::to_owned);
    text.ok_or_else(|| CommandError::new(Kind::Refused, format!("{name} is to be UTF-8")))
}

/// A path below a folder of ours, whose folders are there.
fn below(folder: &Path, path: &str) -> Result<std::path::PathBuf, CommandError> {
    let path = folder.join(path);
    let parent = path.parent().unwrap_or(folder);
    DirBuilder::new().recursive(true).mode(0o700).create(parent).map_err(|error| {
        CommandError::internal(format!("cannot make {}: {error}", parent.display()))
    })?;
    Ok(path)
}

/// What settings that were given are called. The command line's own may hold secrets.
fn called(given: &OsString) -> String {
    match as_json(given) {
        Some(_) => "the settings on the command line".to_owned(),
        None => format!("the settings {}", given.display()),
    }
}

fn as_json(given: &OsStr) -> Option<&str> {
    given.to_str().filter(|text| text.trim_start().starts_with('{'))
}

/// Settings stand on the command line as JSON, or as the name of a file, as the agent in this folder sees it.
fn read(folder: &Path, given: &OsStr) -> Result<String, CommandError> {
    if let Some(text) = as_json(given) {
        return Ok(text.to_owned());
    }
    std::fs::read_to_string(folder.join(given)).map_err(|error| {
        CommandError::usage(format!("cannot read the settings {}: {error}", given.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_of_settings_is_looked_for_in_the_agents_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.json");
        fs::write(&path, "theirs").unwrap();
        let read = |given: &OsStr| read(folder.path(), given).ok();
        for given in [OsStr::new("own.json"), OsStr::new("./own.json"), path.as_os_str()] {
            assert_eq!(read(given).as_deref(), Some("theirs"), "{}", given.display());
        }
        assert_eq!(read(OsStr::new(" {}")).as_deref(), Some(" {}"));
        // It is there, but in the folder that this runs in.
        assert_eq!(read(OsStr::new("Cargo.toml")), None);
    }
}
