//! One agent program on this machine: where its configuration is, and where ours.

use super::guard;
use super::record::Record;
use super::{SetupError, guard::Denied, version};
use headsup_adapters::inject::{self, Plugin, Recipe, Variables, Version, quote, server};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// It moves the configuration folders of many programs.
const CONFIG_HOME: &str = "XDG_CONFIG_HOME";

#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) recipe: &'static Recipe,
    /// The program's configuration folder, links in it and all.
    pub(crate) folder: PathBuf,
    /// Where that is unless a variable moves it.
    pub(super) usual: Option<PathBuf>,
    /// What must not be left, without links.
    pub(crate) roots: Vec<PathBuf>,
    /// The home folder, without links.
    pub(super) home: Option<PathBuf>,
    /// Our state folder.
    pub(crate) state: PathBuf,
    /// The path that entries name.
    pub(crate) launcher: String,
    /// The program, where it is on the search path.
    pub(crate) program: Option<PathBuf>,
    /// Its version, once it was looked up: the program may have been asked.
    pub(super) version: OnceLock<Option<Version>>,
    /// For a skill: where the tools are that it speaks of.
    pub(crate) tools: Option<Box<Site>>,
    /// Where the hooks and the tools of this program go, without this one.
    pub(super) kin: Vec<Site>,
}

impl Site {
    /// Reads the environment; `state` is absolute.
    pub(crate) fn of(
        recipe: &'static Recipe,
        state: &Path,
        var: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, SetupError> {
        let site = Self::to_look_at(recipe, state, var)?;
        match site.has_launcher() {
            true => Ok(site),
            false => Err(SetupError::denied(&launcher(state), Denied::NotText)),
        }
    }

    /// The same, and nothing is to be installed or taken away there: of a launcher that no entry can name it is
    /// enough that it can be shown.
    pub(crate) fn to_look_at(
        recipe: &'static Recipe,
        state: &Path,
        var: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, SetupError> {
        let tools = recipe.tools().map(|tools| Self::alone(tools, state, &var)).transpose()?;
        let all = [inject::recipe(recipe.kind), server::of(recipe.kind)].into_iter().flatten();
        let kin = all.filter(|other| other.record() != recipe.record());
        let kin = kin.filter_map(|other| Self::alone(other, state, &var).ok()).collect();
        Ok(Self { tools: tools.map(Box::new), kin, ..Self::alone(recipe, state, &var)? })
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
        let config = || set(CONFIG_HOME).filter(|path| path.is_absolute());
        let moved = moved.or_else(|| recipe.config_folder().and_then(|_| config()));
        let folder = moved.as_ref().map(|moved| match below {
            "" => moved.clone(),
            below => moved.join(below),
        });
        let usual = home.as_ref().map(|home| home.join(recipe.folder));
        let folder = folder.or_else(|| usual.clone());
        let Some(folder) = folder else {
            let (folder, variable) = (recipe.folder, recipe.folder_variable);
            return Err(SetupError::Homeless { folder, variable });
        };
        // Whoever moves the folder says by that where it may be, also where it is still to be made. A home
        // folder that is not there is nobody's.
        let home = home.and_then(|home| home.canonicalize().ok());
        let moved = moved.and_then(|moved| guard::real(&moved));
        let roots = home.iter().cloned().chain(moved).collect();
        let launcher = launcher(state).to_string_lossy().into_owned();
        let program = recipe.programs.iter().find_map(|name| on_path(name, set("PATH")));
        let state = state.to_owned();
        let (version, tools, kin) = (OnceLock::new(), None, Vec::new());
        Ok(Self {
            recipe,
            folder,
            usual,
            roots,
            home,
            state,
            launcher,
            program,
            version,
            tools,
            kin,
        })
    }

    /// Is its launcher one that entries can name? They are text.
    pub(super) fn has_launcher(&self) -> bool {
        self.state.to_str().is_some()
    }

    /// Which version the program is, where that matters.
    pub(super) fn version(&self) -> Option<Version> {
        let find = || version::of(self.program.as_deref()?, self.recipe.package()?);
        *self.version.get_or_init(find)
    }

    /// Whether it looks for the plugin's folder.
    pub(crate) fn finds_plugin(&self) -> bool {
        self.recipe.finds_plugin(self.version())
    }

    /// The same for the settings, in which stand other people's things as well: with what the program that is here
    /// knows, lest it skips the file for what it does not know.
    pub(crate) fn for_settings(&self) -> Self {
        Self { recipe: self.recipe.of_version(self.version()), ..self.clone() }
    }

    /// Is there anything of this program here?
    pub(crate) fn is_present(&self) -> bool {
        self.program.is_some() || (!self.recipe.folder_is_shared && self.folder.is_dir())
    }

    /// It was installed for this hub, and nobody has taken it away.
    pub(crate) fn was_installed(&self) -> bool {
        Record::exists(self)
    }

    /// The same of any configuration of this program, wherever it is.
    pub(crate) fn was_ever_installed(&self) -> bool {
        Record::any(self)
    }

    /// What a command begins with that is about the configuration folder `folder`: the variable that moves
    /// it there, or none of those that would move it. `None`: that is not to be had by variables.
    pub(super) fn address(&self, folder: &Path) -> Option<String> {
        let own = (self.recipe.folder_variable, self.recipe.moved_folder);
        let config = self.recipe.config_folder().map(|below| (CONFIG_HOME, below));
        let ways = [Some(own).filter(|(name, _)| !name.is_empty()), config];
        let mut ways = ways.into_iter().flatten();
        if self.usual.as_deref() == Some(folder) {
            let names: Vec<&str> = ways.map(|(name, _)| name).collect();
            return (!names.is_empty()).then(|| format!("env -u {} ", names.join(" -u ")));
        }
        let value = |(name, below): (&str, &str)| {
            let depth = Path::new(below).components().count();
            let moved = folder.ends_with(below).then(|| folder.ancestors().nth(depth)).flatten()?;
            Some(format!("{name}={} ", quote(moved.to_str()?)))
        };
        ways.find_map(value)
    }

    /// What a person should know as long as the program has not fetched what it waits for once ours is there.
    pub(crate) fn awaits(&self) -> Option<&'static str> {
        let fetched = self.recipe.fetched?;
        (!self.folder.join(fetched.path).exists()).then_some(fetched.advice)
    }

    pub(crate) fn settings(&self) -> PathBuf {
        self.folder.join(self.recipe.settings)
    }

    /// The settings file behind all links, whether it is there or not.
    pub(super) fn real_settings(&self) -> PathBuf {
        let named = self.settings();
        guard::real(&named).unwrap_or(named)
    }

    pub(crate) fn plugin(&self, plugin: &Plugin) -> PathBuf {
        self.folder.join(plugin.folder)
    }

    /// The folder of the plugin, if this is it or in it, by whatever name.
    pub(crate) fn plugin_around(&self, path: &Path) -> Option<PathBuf> {
        let folder = self.plugin(self.recipe.plugin?);
        let real = guard::real(&folder);
        let is_in = path.starts_with(&folder) || real.is_some_and(|real| path.starts_with(real));
        is_in.then_some(folder)
    }

    pub(crate) fn setup_folder(&self) -> PathBuf {
        Self::setup_in(&self.state)
    }

    /// Where the hub with this state folder remembers what was there before.
    pub(super) fn setup_in(state: &Path) -> PathBuf {
        state.join("setup")
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

fn launcher(state: &Path) -> PathBuf {
    state.join("bin/headsup")
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
