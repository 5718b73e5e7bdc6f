//! What was there before we came: one file for each configuration of an agent in `HEADSUP_HOME/setup`.
//!
//! Whoever has several configurations of one program moves its folder by a variable, or a link. Each has a
//! record of its own, which says what file it is about; so its name is only a name.

use super::edit::Step;
use super::guard;
use super::{SetupError, Site};
use headsup_adapters::inject::is_same_text;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Configuration is text, so its bytes stand here as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    schema: u32,
    /// The configuration file that it is about, behind all links. An older version has not said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<PathBuf>,
    /// The configuration folder, as it was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    folder: Option<PathBuf>,
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
    /// Is it about the file that is really at `path`?
    pub(super) fn is_of(&self, path: &Path) -> bool {
        leads_to(&self.path, path)
    }

    /// Has it written this? An editor may have written its lines in another way since, where they are a file.
    pub(super) fn wrote(&self, site: &Site, text: &str) -> bool {
        self.after == text || site.recipe.is_own_file() && is_same_text(&self.after, text)
    }

    /// What was there before us, and before any other hub that we know of.
    pub(super) fn original(&self) -> Option<&str> {
        let first = self.first.as_ref().map(|first| first.text.as_deref());
        first.unwrap_or(self.before.as_deref())
    }

    /// The same for whoever takes ours out: where there was no file, nothing in it is older than ours.
    pub(super) fn start(&self) -> &str {
        self.original().unwrap_or_default()
    }
}

/// Does a path that was real once lead to `real`? Somebody may have put a link in its way since.
fn leads_to(path: &Path, real: &Path) -> bool {
    path == real || guard::real(path).is_some_and(|path| path == real)
}

/// A record as it was found.
struct Kept {
    path: PathBuf,
    text: String,
    record: Record,
}

fn read(path: &Path) -> Result<Option<String>, SetupError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err(SetupError::damaged(path, &error))
        }
        Err(error) => Err(SetupError::io("read", path, error)),
    }
}

/// All records of this part of the program, in the order of their names.
fn files(site: &Site) -> Vec<PathBuf> {
    let name = site.recipe.record();
    let is_one = |path: &PathBuf| {
        let stem = path.file_stem().and_then(OsStr::to_str);
        let behind = stem.and_then(|stem| stem.strip_prefix(name.as_str()));
        let is_number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
        let is_ours = |behind: &str| behind.strip_prefix('.').map_or(behind.is_empty(), is_number);
        path.extension() == Some(OsStr::new("json")) && behind.is_some_and(is_ours)
    };
    let entries = fs::read_dir(site.setup_folder()).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let mut files: Vec<PathBuf> = files.map(|entry| entry.path()).filter(is_one).collect();
    files.sort();
    files
}

/// A name that is free. The first one has no number.
fn free(site: &Site) -> PathBuf {
    let name = site.recipe.record();
    let mut number = 1_u32;
    loop {
        let path = site.setup_folder().join(match number {
            1 => format!("{name}.json"),
            _ => format!("{name}.{number}.json"),
        });
        if fs::symlink_metadata(&path).is_err() {
            return path;
        }
        number += 1;
    }
}

impl Kept {
    fn all(site: &Site) -> impl Iterator<Item = Result<Self, SetupError>> {
        files(site).into_iter().filter_map(|path| {
            let text = read(&path).transpose()?;
            Some(text.and_then(|text| {
                let record = serde_json::from_str(&text)
                    .map_err(|error| SetupError::damaged(&path, &error))?;
                Ok(Self { path, text, record })
            }))
        })
    }

    /// That of this configuration.
    fn of(site: &Site) -> Result<Option<Self>, SetupError> {
        let real = site.real_settings();
        for kept in Self::all(site) {
            let kept = kept?;
            if kept.record.is_of(&real) {
                return Ok(Some(kept));
            }
        }
        Ok(None)
    }
}

impl Record {
    /// Where that of this configuration is, or would be.
    pub(super) fn path(site: &Site) -> PathBuf {
        let kept = Kept::of(site).ok().flatten();
        kept.map_or_else(|| free(site), |kept| kept.path)
    }

    pub(super) fn load(site: &Site) -> Result<Self, SetupError> {
        Ok(Kept::of(site)?.map(|kept| kept.record).unwrap_or_default())
    }

    /// That of another hub, or whatever may be in its place.
    pub(super) fn look(site: &Site) -> Option<Self> {
        Kept::of(site).ok().flatten().map(|kept| kept.record)
    }

    /// Is there one of this configuration? One that cannot be read may be.
    pub(super) fn exists(site: &Site) -> bool {
        !matches!(Kept::of(site), Ok(None))
    }

    /// Is there one of whatever configuration of this program?
    pub(super) fn any(site: &Site) -> bool {
        !files(site).is_empty()
    }

    /// The folders of the other configurations of which there is one.
    pub(super) fn other_folders(site: &Site) -> Vec<PathBuf> {
        let real = site.real_settings();
        let others = Kept::all(site).flatten().map(|kept| kept.record);
        let others = others.filter(|record| !record.is_of(&real));
        others.filter_map(|record| record.folder_of(site)).collect()
    }

    /// The folders that the hub with this state folder has made for any agent.
    pub(super) fn all_folders(state: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(Site::setup_in(state)).into_iter().flatten().flatten();
        let read = |path: PathBuf| serde_json::from_slice::<Self>(&guard::read(&path)?).ok();
        entries.filter_map(|entry| read(entry.path())).flat_map(|record| record.folders).collect()
    }

    /// One that does not say what it is about is of an older version, which knew one configuration.
    fn is_of(&self, real: &Path) -> bool {
        self.file().is_none_or(|at| leads_to(at, real))
    }

    fn file(&self) -> Option<&PathBuf> {
        self.at.as_ref().or(self.settings.as_ref().map(|edited| &edited.path))
    }

    /// The folder as it was named, or as it is where the same name leads to another one by now.
    fn folder_of(&self, site: &Site) -> Option<PathBuf> {
        let named = self.folder.clone().filter(|folder| *folder != site.folder);
        let real = || {
            let (path, below) = (self.file()?, Path::new(site.recipe.settings));
            let folder = path.ancestors().nth(below.components().count())?;
            path.ends_with(below).then(|| folder.to_owned())
        };
        named.or_else(real)
    }

    /// The steps that keep it; none if it stands there already.
    pub(super) fn keep(mut self, site: &Site) -> Result<Vec<Step>, SetupError> {
        let is_text = |path: &PathBuf| path.to_str().is_some();
        self.schema = headsup_core::wire::SCHEMA;
        self.at = Some(site.real_settings()).filter(is_text);
        self.folder = Some(site.folder.clone()).filter(is_text);
        let kept = Kept::of(site)?;
        let (path, before) =
            kept.map_or_else(|| (free(site), None), |kept| (kept.path, Some(kept.text)));
        let after = serde_json::to_string_pretty(&self)
            .map_err(|error| SetupError::io("write", &path, io::Error::other(error)))?;
        if before.as_deref() == Some(&after) {
            return Ok(Vec::new());
        }
        let folder = Step::Folder { path: site.setup_folder(), mode: 0o700 };
        Ok(vec![folder, Step::Write { path, before, after, mode: 0o600 }])
    }

    /// The steps that drop it. Those of other configurations stay.
    pub(super) fn drop(site: &Site) -> Result<Vec<Step>, SetupError> {
        let kept = Kept::of(site)?;
        let delete = |kept: Kept| Step::Delete { path: kept.path, before: kept.text };
        Ok(kept.map(delete).into_iter().collect())
    }
}
