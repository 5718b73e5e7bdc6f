//! All forges: the settings say which one a new pull request is opened at, its record which one has it.

use super::{Forge, ForgeError, Local};
use crate::github::GITHUB;
use crate::providers::{Provider, Providers};
use headsup_core::work::remote::RepoName;
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
        self.providers.github().map(crate::github::GitHub::web)
    }

    /// The repository as the settings spell it, if they name it.
    pub(crate) fn known(&self, repo: &RepoName) -> Option<RepoName> {
        self.providers.known(repo)
    }

    fn hosted(&self) -> Result<&crate::github::GitHub, ForgeError> {
        let none = || ForgeError::NotConfigured(format!("{GITHUB} is not in the settings"));
        self.providers.github().ok_or_else(none)
    }
}
