//! Who keeps the tasks and the pull requests of which folder, as the settings say.

use crate::effects::Effects;
use crate::github::{GitHub, GitHubSettings};
use crate::kanbanger::{Kanbanger, KanbangerSettings};
use crate::repository::Repository;
use headsup_core::work::remote::RepoName;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Provider {
    /// The hub itself.
    #[default]
    Local,
    GitHub,
    Kanbanger,
}

/// Who keeps what, everywhere and in single folders. The default is the hub, everywhere.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProviderSettings {
    pub tracker: Provider,
    pub forge: Provider,
    pub github: Option<GitHubSettings>,
    pub kanbanger: Option<KanbangerSettings>,
    pub repositories: Vec<RepositoryProviders>,
}

/// What holds in one folder and below, instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryProviders {
    /// Absolute.
    pub path: PathBuf,
    pub tracker: Option<Provider>,
    pub forge: Option<Provider>,
    pub github: Option<RepoName>,
}

/// The providers of a hub.
#[derive(Debug)]
pub(crate) struct Providers {
    settings: ProviderSettings,
    github: Option<GitHub>,
    kanbanger: Option<Kanbanger>,
    effects: Arc<Effects>,
}

impl Providers {
    pub(crate) fn new(
        settings: ProviderSettings,
        github: Option<GitHub>,
        kanbanger: Option<Kanbanger>,
        effects: Arc<Effects>,
    ) -> Self {
        Self { settings, github, kanbanger, effects }
    }

    pub(crate) fn github(&self) -> Option<&GitHub> {
        self.github.as_ref()
    }

    pub(crate) fn kanbanger(&self) -> Option<&Kanbanger> {
        self.kanbanger.as_ref()
    }

    pub(crate) fn effects(&self) -> &Arc<Effects> {
        &self.effects
    }

    /// Who keeps the tasks of this folder.
    pub(crate) fn tracker(&self, folder: Option<&Path>) -> Provider {
        self.settings.at(folder, |of| of.tracker).unwrap_or(self.settings.tracker)
    }

    /// Who keeps the pull requests of this folder.
    pub(crate) fn forge(&self, folder: &Path) -> Provider {
        self.settings.at(Some(folder), |of| of.forge).unwrap_or(self.settings.forge)
    }

    /// What this folder is called at a host.
    pub(crate) fn repo(&self, folder: Option<&Path>) -> Option<RepoName> {
        self.settings.at(folder, |of| of.github.clone())
    }

    /// Where the settings name one repository, it is meant where nobody says which.
    pub(crate) fn only_repo(&self) -> Option<RepoName> {
        let mut named = self.settings.repositories.iter().filter_map(|of| of.github.as_ref());
        let first = named.next()?;
        named.all(|other| other.is(first)).then(|| first.clone())
    }

    /// The repository as the settings spell it, if they name it.
    pub(crate) fn known(&self, repo: &RepoName) -> Option<RepoName> {
        let mut named = self.settings.repositories.iter().filter_map(|of| of.github.as_ref());
        named.find(|named| named.is(repo)).cloned()
    }
}

impl ProviderSettings {
    /// What the nearest folder above says that says anything. A worktree is like the repository that it
    /// belongs to.
    fn at<T>(
        &self,
        folder: Option<&Path>,
        says: impl Fn(&RepositoryProviders) -> Option<T>,
    ) -> Option<T> {
        let folder = folder?;
        let nearest = |folder: &Path| {
            let above = self.repositories.iter().filter(|of| folder.starts_with(&of.path));
            let said = above.filter_map(|of| Some((of.path.components().count(), says(of)?)));
            said.max_by_key(|(depth, _)| *depth).map(|(_, said)| said)
        };
        nearest(folder).or_else(|| nearest(&Repository::of(folder)?.main))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_folder_that_says_something_decides() {
        let of = |path: &str, tracker, github: Option<&str>| RepositoryProviders {
            path: path.into(),
            tracker,
            forge: None,
            github: github.map(|name| RepoName::parse(name).unwrap()),
        };
        let settings = ProviderSettings {
            repositories: vec![
                of("/a", Some(Provider::GitHub), Some("ada/app")),
                of("/a/b", Some(Provider::Local), None),
            ],
            ..ProviderSettings::default()
        };
        let tracker = |folder: &str| settings.at(Some(folder.as_ref()), |of| of.tracker);
        assert_eq!(tracker("/a/x"), Some(Provider::GitHub));
        assert_eq!(tracker("/a/b/x"), Some(Provider::Local));
        assert_eq!(tracker("/ab"), None);
        let repo = |folder: &str| settings.at(Some(folder.as_ref()), |of| of.github.clone());
        assert_eq!(repo("/a/b").map(|repo| repo.to_string()).as_deref(), Some("ada/app"));
        assert_eq!(settings.at(None, |of| of.tracker), None);
    }
}
