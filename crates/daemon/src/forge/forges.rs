//! All forges: the settings say which one a new pull request is opened at, its record which one has it.

use super::{Forge, ForgeError, Local};
use crate::github::{GITHUB, GitHub, GitHubSettings};
use crate::providers::{Provider, Providers};
use headsup_core::work::remote::{RepoName, Typed};
use std::path::Path;
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct Forges {
    local: Local,
    providers: Arc<Providers>,
}

impl Forges {
    pub(crate) fn new(local: Local, providers: Arc<Providers>) -> Self {
        Self { local, providers }
    }

    /// Where pull requests of this folder are opened.
    pub(crate) fn at(&self, folder: &Path) -> Result<Box<dyn Forge + '_>, ForgeError> {
        match self.providers.forge(folder) {
            // Kanbanger keeps tasks alone.
            Provider::Local | Provider::Kanbanger => Ok(Box::new(self.local.clone())),
            Provider::GitHub => {
                let none = || {
                    let at = folder.display();
                    ForgeError::NotConfigured(format!(
                        "no settings say which repository of GitHub {at} is"
                    ))
                };
                let repo = self.providers.repo(Some(folder)).ok_or_else(none)?;
                Ok(Box::new(self.hosted()?.forge(Some(repo))))
            }
        }
    }

    /// Whoever has the pull requests of this provider.
    pub(crate) fn of(&self, provider: &str) -> Result<Box<dyn Forge + '_>, ForgeError> {
        match provider {
            GITHUB => Ok(Box::new(self.hosted()?.forge(None))),
            _ => Ok(Box::new(self.local.clone())),
        }
    }

    /// Its pages, if it is in the settings.
    pub(crate) fn web(&self) -> Option<String> {
        self.providers.github().map(GitHub::web)
    }

    /// Whether this is the address of a pull request at the host of the settings; where they name none, at the
    /// public one.
    pub(crate) fn is_pull(&self, url: &str) -> bool {
        let public = || GitHubSettings::public(None).pages();
        let pages = self.providers.github().map_or_else(public, GitHub::pages);
        let is_there =
            url.get(..pages.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(&pages));
        let kind = url.get(pages.len()..).and_then(|path| path.split('/').nth(2));
        let is_whole = matches!(Typed::parse(url), Some(Typed::Url { .. }));
        is_there && is_whole && matches!(kind, Some("pull" | "pulls"))
    }

    /// The repository as the settings spell it, if they name it.
    pub(crate) fn known(&self, repo: &RepoName) -> Option<RepoName> {
        self.providers.known(repo)
    }

    fn hosted(&self) -> Result<&GitHub, ForgeError> {
        let none = || ForgeError::NotConfigured(format!("{GITHUB} is not in the settings"));
        self.providers.github().ok_or_else(none)
    }
}
