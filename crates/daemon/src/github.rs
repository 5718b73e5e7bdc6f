//! GitHub, and whoever speaks as it does: issues as tasks, pull requests, over its REST API.
//!
//! Facts about it are of its API version 2022-11-28.

mod client;
mod courier;
mod documents;
mod etags;
mod forge;
mod look;
mod review;
mod says;
mod settings;
mod status;
mod tracker;

pub use settings::GitHubSettings;
pub(crate) use tracker::Issues;

use crate::outgoing::Secret;
use client::Client;
use forge::{Hosted, Looks};
use headsup_core::work::remote::{Numbered, RepoName};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The name of the system, in settings and documents.
pub(crate) const GITHUB: &str = headsup_core::work::task::ISSUES;

/// One host, with all of its repositories that the settings name.
#[derive(Clone, Debug)]
pub(crate) struct GitHub(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    client: Client,
    settings: GitHubSettings,
    looks: Mutex<Looks>,
}

impl GitHub {
    pub(crate) fn new(settings: GitHubSettings) -> Self {
        let client = Client::new(&settings);
        Self(Arc::new(Shared { client, settings, looks: Mutex::default() }))
    }

    fn client(&self) -> &Client {
        &self.0.client
    }

    fn settings(&self) -> &GitHubSettings {
        &self.0.settings
    }

    /// Its pull requests; `repo`: where new ones are opened.
    pub(crate) fn forge(&self, repo: Option<RepoName>) -> Hosted {
        Hosted::new(self.clone(), repo)
    }

    /// The host of its pages.
    pub(crate) fn web(&self) -> String {
        self.settings().web()
    }

    /// Where the addresses of its pages begin.
    pub(crate) fn pages(&self) -> String {
        self.settings().pages()
    }
}

/// The path of a repository, and of what is in it.
fn path_of(repo: &RepoName, rest: &str) -> String {
    // A name has nothing in it that a path would not take.
    format!("/repos/{repo}{rest}")
}

fn issue_path(issue: &Numbered, rest: &str) -> String {
    path_of(&issue.repo, &format!("/issues/{}{rest}", issue.number))
}

fn pull_path(pull: &Numbered, rest: &str) -> String {
    path_of(&pull.repo, &format!("/pulls/{}{rest}", pull.number))
}

/// `Authorization`, as the host wants it.
fn authorization(token: &Secret) -> Option<Secret> {
    Secret::header(&format!("Bearer {}", token.reveal()))
}

/// A request that has not been answered by then may have been lost.
const ANSWERED_WITHIN: Duration = Duration::from_secs(30);
