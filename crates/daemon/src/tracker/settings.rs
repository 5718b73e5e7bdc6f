//! What a person has set of tasks, and which repository a folder belongs to.

use crate::repository::Repository;
use headsup_core::work::task::{self, prefix_of};
use std::path::{Path, PathBuf};

/// Settings of task trackers. The default is the hub's own tracker everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrackerSettings {
    /// The prefix of tasks where no repository's settings say one; else its name does.
    pub prefix: Option<String>,
    pub repositories: Vec<RepositorySettings>,
}

/// What holds in one folder and below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositorySettings {
    /// Absolute.
    pub path: PathBuf,
    pub prefix: Option<String>,
}

impl TrackerSettings {
    /// The prefix of a new task. A worktree is like the repository that it belongs to.
    pub(crate) fn prefix(&self, folder: Option<&Path>) -> String {
        let Some(folder) = folder else {
            return self.prefix.clone().unwrap_or_else(|| task::NAMELESS.to_owned());
        };
        let repository = Repository::of(folder);
        let root = repository.as_ref().map(|repository| repository.main.as_path());
        let set = self.at(folder).or_else(|| self.at(root?));
        let set = set.and_then(|settings| settings.prefix.clone()).or_else(|| self.prefix.clone());
        let name = || root.unwrap_or(folder).file_name().and_then(|name| name.to_str());
        set.unwrap_or_else(|| prefix_of(name().unwrap_or_default()))
    }

    /// The settings of the nearest folder above.
    fn at(&self, folder: &Path) -> Option<&RepositorySettings> {
        let above = self.repositories.iter().filter(|of| folder.starts_with(&of.path));
        above.max_by_key(|of| of.path.components().count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_task_is_named_by_the_settings_or_the_repository_or_the_folder() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let at = |path: &str| root.join(path);
        fs::create_dir_all(at("shop/.git/worktrees/w")).unwrap();
        fs::create_dir_all(at("shop/.git/objects")).unwrap();
        fs::create_dir_all(at("shop/.git/refs")).unwrap();
        fs::write(at("shop/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(at("shop/.git/worktrees/w/commondir"), "../..\n").unwrap();
        fs::create_dir_all(at("shop/deep/er")).unwrap();
        fs::create_dir_all(at("elsewhere/w")).unwrap();
        fs::create_dir_all(at("plain")).unwrap();
        let pointer = format!("gitdir: {}\n", at("shop/.git/worktrees/w").display());
        fs::write(at("elsewhere/w/.git"), pointer).unwrap();
        let settings = TrackerSettings::default();
        assert_eq!(settings.prefix(None), "TASK");
        assert_eq!(settings.prefix(Some(&at("shop/deep/er"))), "SHOP");
        assert_eq!(settings.prefix(Some(&at("elsewhere/w"))), "SHOP");
        assert_eq!(settings.prefix(Some(&at("plain"))), "PLAIN");
        let own = |path: &str, prefix: &str| RepositorySettings {
            path: at(path),
            prefix: Some(prefix.to_owned()),
        };
        let repositories = vec![own("shop", "S"), own("shop/deep", "D")];
        let settings = TrackerSettings { prefix: Some("ANY".to_owned()), repositories };
        assert_eq!(settings.prefix(Some(&at("shop"))), "S");
        assert_eq!(settings.prefix(Some(&at("shop/deep/er"))), "D");
        assert_eq!(settings.prefix(Some(&at("elsewhere/w"))), "S");
        assert_eq!(settings.prefix(Some(&at("plain"))), "ANY");
        assert_eq!(settings.prefix(None), "ANY");
    }
}
