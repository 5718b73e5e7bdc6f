//! All trackers as one: an identifier says who keeps its task, the settings say where a new one is made.

use super::{Asked, Commented, Local, NewComment, NewTask, TaskChange, Tracker, TrackerError};
use crate::github::{GITHUB, Issues};
use crate::job::Key;
use crate::kanbanger::{self, Cards, KANBANGER, Kanbanger};
use crate::providers::{Provider, Providers};
use crate::store::Reader;
use headsup_core::wire::TaskDoc;
use headsup_core::work::remote::{Numbered, RepoName, Typed};
use headsup_core::work::task::{Keeper, TaskId, TaskStatus};
use std::path::Path;
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct Trackers {
    local: Local,
    providers: Arc<Providers>,
    reader: Arc<Reader>,
}

impl Trackers {
    pub(crate) fn new(local: Local, providers: Arc<Providers>, reader: Arc<Reader>) -> Self {
        Self { local, providers, reader }
    }

    /// The server of cards, if it is in the settings.
    pub(crate) fn kanbanger(&self) -> Option<&Kanbanger> {
        self.providers.kanbanger()
    }

    /// Where tasks of this folder are made and listed.
    pub(crate) fn at(&self, folder: Option<&Path>) -> Result<Box<dyn Tracker + '_>, TrackerError> {
        match self.providers.tracker(folder) {
            Provider::Local => Ok(Box::new(self.local.clone())),
            Provider::GitHub => Ok(Box::new(self.issues(self.repo(folder)?)?)),
            Provider::Kanbanger => Ok(Box::new(self.cards()?)),
        }
    }

    /// The identifier of what somebody calls a task who works in this folder.
    pub(crate) fn identifier(
        &self,
        typed: &str,
        folder: Option<&Path>,
    ) -> Result<String, TrackerError> {
        if let Some(id) = TaskId::parse(typed) {
            if self.providers.tracker(folder) == Provider::Kanbanger {
                return Ok(kanbanger::identifier(typed));
            }
            return Ok(id.to_string());
        }
        let unknown = || TrackerError::NoSuchTask(typed.chars().take(100).collect());
        let of = match Typed::parse(typed) {
            Some(Typed::Number(number)) => Numbered { repo: self.repo(folder)?, number },
            Some(Typed::Whole(of)) => of,
            Some(Typed::Url { host, of }) => {
                let web = self.providers.github().map(crate::github::GitHub::web);
                if web.as_ref() != Some(&host) {
                    let web = web.map(|web| format!("; that of the settings is {web}"));
                    let why =
                        format!("no settings name the host {host}{}", web.unwrap_or_default());
                    return Err(TrackerError::NotConfigured(why));
                }
                of
            }
            None if Keeper::of(typed).is_some() => return Ok(typed.to_owned()),
            None => return Err(unknown()),
        };
        let repo = self.configured(&of.repo)?;
        Ok(Numbered { repo, number: of.number }.to_string())
    }

    /// The repository of this folder.
    fn repo(&self, folder: Option<&Path>) -> Result<RepoName, TrackerError> {
        let none = || {
            let folder = folder.map_or("no folder".to_owned(), |at| at.display().to_string());
            TrackerError::NotConfigured(format!(
                "no settings say which repository of GitHub {folder} is"
            ))
        };
        self.providers.repo(folder).or_else(|| self.providers.only_repo()).ok_or_else(none)
    }

    /// Only what the settings name is spoken of: a token may have rights for more.
    fn configured(&self, repo: &RepoName) -> Result<RepoName, TrackerError> {
        let none =
            || TrackerError::NotConfigured(format!("no settings name the repository {repo}"));
        self.providers.known(repo).ok_or_else(none)
    }

    fn issues(&self, repo: RepoName) -> Result<Issues, TrackerError> {
        let none = || TrackerError::NotConfigured(format!("{GITHUB} is not in the settings"));
        let github = self.providers.github().cloned().ok_or_else(none)?;
        Ok(Issues::new(github, Arc::clone(self.providers.effects()), repo))
    }

    fn cards(&self) -> Result<Cards, TrackerError> {
        let none = || TrackerError::NotConfigured(format!("{KANBANGER} is not in the settings"));
        let there = self.providers.kanbanger().cloned().ok_or_else(none)?;
        Ok(Cards::new(there, Arc::clone(self.providers.effects()), Arc::clone(&self.reader)))
    }

    /// Whoever keeps the task of this identifier.
    fn of(&self, identifier: &str) -> Result<Box<dyn Tracker + '_>, TrackerError> {
        let unknown = || TrackerError::NoSuchTask(identifier.chars().take(100).collect());
        match Keeper::of(identifier).ok_or_else(unknown)? {
            Keeper::Here(_) => Ok(Box::new(self.local.clone())),
            Keeper::There { provider: GITHUB, target } => {
                let of = Numbered::parse(target).ok_or_else(unknown)?;
                Ok(Box::new(self.issues(self.configured(&of.repo)?)?))
            }
            Keeper::There { provider: KANBANGER, .. } => Ok(Box::new(self.cards()?)),
            Keeper::There { .. } => Err(unknown()),
        }
    }
}

impl Tracker for Trackers {
    fn get<'a>(&'a self, identifier: &'a str) -> Asked<'a, TaskDoc> {
        Box::pin(async move { self.of(identifier)?.get(identifier).await })
    }

    /// Those of the hub's own tracker.
    fn list(&self, status: Option<TaskStatus>, most: u32) -> Asked<'_, Vec<TaskDoc>> {
        self.local.list(status, most)
    }

    fn create(&self, new: NewTask, key: Option<Key>) -> Asked<'_, TaskDoc> {
        self.local.create(new, key)
    }

    fn change<'a>(
        &'a self,
        identifier: &'a str,
        change: TaskChange,
        key: Option<Key>,
    ) -> Asked<'a, TaskDoc> {
        Box::pin(async move { self.of(identifier)?.change(identifier, change, key).await })
    }

    fn comment<'a>(
        &'a self,
        identifier: &'a str,
        comment: NewComment,
        key: Option<Key>,
    ) -> Asked<'a, Commented> {
        Box::pin(async move { self.of(identifier)?.comment(identifier, comment, key).await })
    }
}
