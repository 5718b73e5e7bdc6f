//! Forges: who keeps branches and merges them. One small trait; the records are the hub's own.

mod adopt;
mod approval;
#[cfg(test)]
pub(crate) mod contract;
mod error;
mod forges;
mod git;
mod local;
#[cfg(test)]
pub(crate) mod plain;
mod pulls;
mod refused;
mod reviews;
mod turns;

pub(crate) use approval::{Approval, NO, YES, follow, is_given, settle};
pub(crate) use error::ForgeError;
pub(crate) use forges::Forges;
pub(crate) use local::Local;
pub(crate) use pulls::{NewPull, Pulls};
pub(crate) use reviews::NewReview;

use futures_util::future::BoxFuture;
use headsup_core::time::UnixMs;
use headsup_core::wire::{FileDoc, PullDoc};
use headsup_core::work::pull::{MergeMethod, MergePolicy, PullState};
use headsup_core::work::remote::RepoName;
use headsup_core::work::review::Review;
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
    /// What it is called at another system.
    pub(crate) remote: Option<RepoName>,
}

/// A pull request as it was opened.
#[derive(Clone, Debug)]
pub(crate) struct Opened {
    pub(crate) url: String,
    pub(crate) number: Option<u64>,
    /// It was there already.
    pub(crate) existing: bool,
}

/// What a pull request says of itself anew; what is left out stays.
#[derive(Clone, Debug, Default)]
pub(crate) struct Change {
    pub(crate) title: Option<String>,
    pub(crate) body: Option<String>,
    pub(crate) state: Option<PullState>,
    pub(crate) draft: Option<bool>,
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
    /// What else another system says of it.
    pub(crate) there: Option<There>,
}

/// What the record of another system says.
#[derive(Clone, Debug)]
pub(crate) struct There {
    pub(crate) title: String,
    pub(crate) body: Option<String>,
    pub(crate) state: PullState,
    pub(crate) draft: bool,
    pub(crate) head_branch: String,
    pub(crate) base_branch: String,
    pub(crate) url: String,
    pub(crate) checks: Vec<String>,
    pub(crate) reviews: Vec<String>,
    pub(crate) created_at: Option<UnixMs>,
    pub(crate) merged_at: Option<UnixMs>,
}

impl Looked {
    /// What was seen becomes what is told.
    pub(crate) fn put_into(&self, doc: &mut PullDoc) {
        doc.head_sha.clone_from(&self.head_sha);
        doc.base_sha.clone_from(&self.base_sha);
        doc.files.clone_from(&self.files);
        (doc.additions, doc.deletions) = (self.additions, self.deletions);
        doc.changed_files = self.changed_files;
        doc.mergeable = self.obstacle.is_none();
        doc.mergeable_reason.clone_from(&self.obstacle);
        let Some(there) = &self.there else { return };
        doc.title.clone_from(&there.title);
        doc.body.clone_from(&there.body);
        (doc.state, doc.draft) = (there.state, there.draft);
        doc.head_branch.clone_from(&there.head_branch);
        doc.base_branch.clone_from(&there.base_branch);
        doc.url.clone_from(&there.url);
        doc.checks.clone_from(&there.checks);
        doc.reviews.clone_from(&there.reviews);
        doc.created_at = there.created_at.unwrap_or(doc.created_at);
        doc.merged_at = there.merged_at.or(doc.merged_at);
    }
}

pub(crate) type Asked<'a, T> = BoxFuture<'a, Result<T, ForgeError>>;

pub(crate) trait Forge: Send + Sync + std::fmt::Debug {
    fn name(&self) -> &'static str;
    fn find(&self, branches: Branches) -> Asked<'_, Found>;
    /// Opens it where people look at it, unless an open one of its branches is there.
    fn open<'a>(&'a self, pull: &'a PullDoc, key: &'a str) -> Asked<'a, Opened>;
    fn change<'a>(&'a self, pull: &'a PullDoc, change: &'a Change) -> Asked<'a, ()>;
    /// Tells a review there, once. The hub's own record of it is its caller's.
    fn review<'a>(&'a self, pull: &'a PullDoc, review: &'a Review, key: &'a str) -> Asked<'a, ()>;
    /// `intended`: the commit that a merge, which may have broken off, was about to lead to.
    fn look<'a>(&'a self, pull: &'a PullDoc, intended: Option<&'a str>) -> Asked<'a, Looked>;
    /// Works a merge of exactly `pull.head_sha` out, with no effect that anybody sees. Returns the
    /// commit that it leads to.
    fn prepare<'a>(&'a self, pull: &'a PullDoc, method: MergeMethod) -> Asked<'a, Prepared>;
    /// Makes it so. Returns the commit that it has led to.
    fn land<'a>(&'a self, pull: &'a PullDoc, prepared: Prepared) -> Asked<'a, String>;
}

/// A merge that has been worked out.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The base as it was then; it is that still when the merge lands, or it does not land.
    pub(crate) base_sha: String,
    pub(crate) sha: String,
    pub(crate) method: MergeMethod,
}
