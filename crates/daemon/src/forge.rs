//! Forges: who keeps branches and merges them. One small trait; the records are the hub's own.

mod approval;
mod error;
mod git;
mod local;
#[cfg(test)]
pub(crate) mod plain;
mod pulls;
mod refused;

pub(crate) use approval::{Approval, NO, YES, follow, is_given, settle};
pub(crate) use error::ForgeError;
pub(crate) use local::Local;
pub(crate) use pulls::{NewPull, Pulls};

use futures_util::future::BoxFuture;
use headsup_core::wire::{FileDoc, PullDoc};
use headsup_core::work::pull::{MergeMethod, MergePolicy};
use std::path::{Path, PathBuf};

/// Who decides of merges, and where that is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForgeSettings {
    pub merge_policy: MergePolicy,
    /// What holds in a folder and below, instead.
    pub repositories: Vec<(PathBuf, MergePolicy)>,
}

impl ForgeSettings {
    /// Who decides of merges in the repository at `folder`.
    pub(crate) fn policy(&self, folder: &Path) -> MergePolicy {
        let above = self.repositories.iter().filter(|(path, _)| folder.starts_with(path));
        let nearest = above.max_by_key(|(path, _)| path.components().count());
        nearest.map_or(self.merge_policy, |(_, policy)| *policy)
    }
}

/// Which branches a new pull request is of.
#[derive(Clone, Debug)]
pub(crate) struct Branches {
    /// Somewhere in the repository.
    pub(crate) folder: PathBuf,
    pub(crate) head: String,
    pub(crate) base: Option<String>,
}

/// The repository and the base of a new pull request.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) repo: String,
    pub(crate) base: String,
}

/// How a pull request stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Looked {
    pub(crate) head_sha: String,
    pub(crate) base_sha: String,
    pub(crate) additions: u64,
    pub(crate) deletions: u64,
    pub(crate) changed_files: u64,
    pub(crate) files: Vec<FileDoc>,
    /// Why it cannot be merged; nothing: it can.
    pub(crate) obstacle: Option<String>,
    /// An intended merge has happened.
    pub(crate) merged_as: Option<String>,
}

pub(crate) type Asked<'a, T> = BoxFuture<'a, Result<T, ForgeError>>;

pub(crate) trait Forge: Send + Sync + std::fmt::Debug {
    fn name(&self) -> &'static str;
    fn find(&self, branches: Branches) -> Asked<'_, Found>;
    /// `intended`: the commit that a merge, which may have broken off, was about to lead to.
    fn look<'a>(&'a self, pull: &'a PullDoc, intended: Option<&'a str>) -> Asked<'a, Looked>;
    /// Works a merge of exactly `pull.head_sha` out, with no effect that anybody sees. Returns the
    /// commit that it leads to.
    fn prepare<'a>(&'a self, pull: &'a PullDoc, method: MergeMethod) -> Asked<'a, Prepared>;
    /// Makes it so.
    fn land<'a>(&'a self, pull: &'a PullDoc, prepared: Prepared) -> Asked<'a, ()>;
}

/// A merge that has been worked out.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The base as it was then; it is that still when the merge lands, or it does not land.
    pub(crate) base_sha: String,
    pub(crate) sha: String,
}
