//! What was there before we came: one file for each agent in `HEADSUP_HOME/setup`.

use super::edit::Step;
use super::guard;
use super::{SetupError, Site};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Configuration is text, so its bytes stand here as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    schema: u32,
    pub(super) settings: Option<Edited>,
    /// Folders that we made, outermost first.
    #[serde(default)]
    pub(super) folders: Vec<PathBuf>,
    /// Files that were written into the plugin folder, and their texts, but for the one with the entries.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) files: BTreeMap<String, String>,
    /// State folders of the hubs whose place this one has taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) others: Vec<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Edited {
    pub(super) path: PathBuf,
    /// `None`: there was no file.
    pub(super) before: Option<String>,
    pub(super) after: String,
    /// Other entries of ours, or of another hub, were there before these: what was there before those.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) first: Option<First>,
}

/// What was there before any hub, and before all that is ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct First {
    /// `None`: there was no file.
    pub(super) text: Option<String>,
}

impl Edited {
    /// What was there before us, and before any other hub that we know of.
    pub(super) fn original(&self) -> Option<&str> {
        let first = self.first.as_ref().map(|first| first.text.as_deref());
        first.unwrap_or(self.before.as_deref())
    }
}

fn read(path: &Path) -> Result<Option<String>, SetupError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(SetupError::io("read", path, error)),
    }
}

impl Record {
    pub(super) fn path(site: &Site) -> PathBuf {
        site.setup_folder().join(format!("{}.json", site.recipe.record()))
    }

    pub(super) fn load(site: &Site) -> Result<Self, SetupError> {
        let path = Self::path(site);
        let Some(text) = read(&path)? else { return Ok(Self::default()) };
        serde_json::from_str(&text)
            .map_err(|error| SetupError::io("read", &path, io::Error::other(error)))
    }

    /// That of another hub, whatever may be in its place.
    pub(super) fn look(site: &Site) -> Option<Self> {
        serde_json::from_slice(&guard::read(&Self::path(site))?).ok()
    }

    /// The folders that we made for any agent.
    pub(super) fn all_folders(site: &Site) -> Vec<PathBuf> {
        let entries = fs::read_dir(site.setup_folder()).into_iter().flatten().flatten();
        let read = |path: PathBuf| serde_json::from_slice::<Self>(&guard::read(&path)?).ok();
        entries.filter_map(|entry| read(entry.path())).flat_map(|record| record.folders).collect()
    }

    /// The steps that keep it; none if it stands there already.
    pub(super) fn keep(mut self, site: &Site) -> Result<Vec<Step>, SetupError> {
        self.schema = headsup_core::wire::SCHEMA;
        let path = Self::path(site);
        let after = serde_json::to_string_pretty(&self)
            .map_err(|error| SetupError::io("write", &path, io::Error::other(error)))?;
        let before = read(&path)?;
        if before.as_deref() == Some(&after) {
            return Ok(Vec::new());
        }
        let folder = Step::Folder { path: site.setup_folder(), mode: 0o700 };
        Ok(vec![folder, Step::Write { path, before, after, mode: 0o600 }])
    }

    /// The steps that drop it.
    pub(super) fn drop(site: &Site) -> Result<Vec<Step>, SetupError> {
        let path = Self::path(site);
        let before = read(&path)?;
        Ok(before.map(|before| Step::Delete { path, before }).into_iter().collect())
    }
}
