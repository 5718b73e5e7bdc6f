//! One agent program on this machine: where its configuration is, and where ours.

use super::guard;
use super::record::Record;
use super::{SetupError, guard::Denied};
use headsup_adapters::inject::{Plugin, Recipe, Variables};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) recipe: &'static Recipe,
    /// The program's configuration folder, links in it and all.
    pub(crate) folder: PathBuf,
    /// What must not be left, without links.
    pub(crate) roots: Vec<PathBuf>,
    /// Our state folder.
    pub(crate) state: PathBuf,
    /// The path that entries name.
    pub(crate) launcher: String,
    /// The program, where it is on the search path.
    pub(crate) program: Option<PathBuf>,
    /// For a skill: where the tools are that it speaks of.
    pub(crate) tools: Option<Box<Site>>,
}

impl Site {
    /// Reads the environment; `state` is absolute.
    pub(crate) fn of(
        recipe: &'static Recipe,
        state: &Path,
        var: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, SetupError> {
        let tools = recipe.tools().map(|tools| Self::alone(tools, state, &var)).transpose()?;
        Ok(Self { tools: tools.map(Box::new), ..Self::alone(recipe, state, &var)? })
    }

    fn alone(
        recipe: &'static Recipe,
        state: &Path,
        var: Variables<'_>,
    ) -> Result<Self, SetupError> {
        let set = |name: &str| var(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = set("HOME").filter(|home| home.is_absolute());
        let moved = Some(recipe.folder_variable).filter(|name| !name.is_empty());
        let moved = moved.and_then(set).and_then(|path| std::path::absolute(path).ok());
        let below = match moved {
            Some(_) => recipe.moved_folder,
            None => recipe.config_folder().unwrap_or_default(),
        };
        // One that is relative counts for nothing, says the specification of those folders.
        let config = || set("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
        let moved = moved.or_else(|| recipe.config_folder().and_then(|_| config()));
        let folder = moved.as_ref().map(|moved| match below {
            "" => moved.clone(),
            below => moved.join(below),
        });
        let folder = folder.or_else(|| home.as_ref().map(|home| home.join(recipe.folder)));
        let no_home = || std::io::Error::other("HOME is not set");
        let Some(folder) = folder else {
            return Err(SetupError::io("find", Path::new(recipe.folder), no_home()));
        };
        // Whoever moves the folder says by that where it may be.
        let roots = home.into_iter().chain(moved).filter_map(|root| root.canonicalize().ok());
        let launcher = state.join("bin/headsup");
        let Some(launcher) = launcher.to_str().map(str::to_owned) else {
            return Err(SetupError::denied(&launcher, Denied::NotText));
        };
        let program = recipe.programs.iter().find_map(|name| on_path(name, set("PATH")));
        let state = state.to_owned();
        let roots = roots.collect();
        Ok(Self { recipe, folder, roots, state, launcher, program, tools: None })
    }

    /// Is there anything of this program here?
    pub(crate) fn is_present(&self) -> bool {
        self.program.is_some() || (!self.recipe.folder_is_shared && self.folder.is_dir())
    }

    /// Its hooks were installed for this hub, and nobody has taken them away.
    pub(crate) fn was_installed(&self) -> bool {
        Record::path(self).exists()
    }

    pub(crate) fn settings(&self) -> PathBuf {
        self.folder.join(self.recipe.settings)
    }

    pub(crate) fn plugin(&self, plugin: &Plugin) -> PathBuf {
        self.folder.join(plugin.folder)
    }

    pub(crate) fn setup_folder(&self) -> PathBuf {
        self.state.join("setup")
    }

    /// The plugin's folder where it really is; a link in its place is refused.
    pub(super) fn real_plugin(&self, plugin: &Plugin) -> Result<PathBuf, SetupError> {
        let path = self.plugin(plugin);
        if path.is_symlink() {
            return Err(SetupError::denied(&path, Denied::FolderIsLink));
        }
        guard::resolve(&path, &self.roots)
    }
}

/// The first program of this name on the search path.
pub(crate) fn on_path(name: &str, path: Option<PathBuf>) -> Option<PathBuf> {
    let path = path?;
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|path| is_program(path))
}

/// Is it a file that we may execute?
pub(crate) fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}
