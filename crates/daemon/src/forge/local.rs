//! The hub's own forge: branches of a repository on this machine, merged by git itself.

mod checkout;
mod look;
mod merge;
#[cfg(test)]
mod tests;
mod told;

use super::git::{Desk, Identity, Place, run};
use super::{Asked, Branches, Change, Forge, ForgeError, Found, Looked, Opened, Prepared};
use crate::repository::Repository;
use headsup_core::wire::PullDoc;
use headsup_core::work::pull::{MergeMethod, is_branch, is_commit};
use headsup_core::work::review::Review;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Where it may be merged by default, where the repository does not say.
const BASES: [&str; 2] = ["main", "master"];

#[derive(Clone, Debug)]
pub(crate) struct Local {
    /// Where desks are set up.
    desks: PathBuf,
    /// The person's home folder.
    home: Option<PathBuf>,
}

impl Local {
    /// `desks` is a folder of the hub's own; what a killed hub has left there is removed.
    pub(crate) fn new(desks: PathBuf, home: Option<PathBuf>) -> Self {
        if let Err(error) = std::fs::remove_dir_all(&desks)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!(%error, "what an earlier hub was merging cannot be removed");
        }
        Self { desks, home }
    }

    async fn desk(&self, repository: &Repository, kept: bool) -> Result<Desk, ForgeError> {
        let folder = self.desks.join(uuid::Uuid::now_v7().to_string());
        Desk::new(folder, &repository.common, kept).await
    }

    async fn signed(&self, place: Place) -> Place {
        Identity::load(self.home.as_deref()).await.sign(place)
    }
}

impl Forge for Local {
    fn name(&self) -> &'static str {
        "local"
    }

    fn find(&self, branches: Branches) -> Asked<'_, Found> {
        Box::pin(async move {
            let Branches { folder, head, base } = branches;
            let repository = repository(&folder)?;
            let base = match base {
                Some(base) => base,
                None => default_base(&repository).await?,
            };
            if head == base {
                return Err(ForgeError::SameBranch(head));
            }
            tip(&repository, &head, false).await?;
            tip(&repository, &base, true).await?;
            Ok(Found { repo: repository.main.display().to_string(), base, remote: None })
        })
    }

    /// There is nothing but the record.
    fn open<'a>(&'a self, pull: &'a PullDoc, _key: &'a str) -> Asked<'a, Opened> {
        let url = format!("headsup://pr/{}", pull.id);
        Box::pin(async move { Ok(Opened { url, number: None, existing: false }) })
    }

    fn change<'a>(&'a self, _pull: &'a PullDoc, _change: &'a Change) -> Asked<'a, ()> {
        Box::pin(async { Ok(()) })
    }

    /// The record has it.
    fn review<'a>(&'a self, _: &'a PullDoc, _: &'a Review, _: &'a str) -> Asked<'a, ()> {
        Box::pin(async { Ok(()) })
    }

    fn look<'a>(&'a self, pull: &'a PullDoc, intended: Option<&'a str>) -> Asked<'a, Looked> {
        Box::pin(look::look(self, pull, intended))
    }

    fn prepare<'a>(&'a self, pull: &'a PullDoc, method: MergeMethod) -> Asked<'a, Prepared> {
        Box::pin(merge::prepare(self, pull, method))
    }

    fn land<'a>(&'a self, pull: &'a PullDoc, prepared: Prepared) -> Asked<'a, String> {
        Box::pin(checkout::land(self, pull, prepared))
    }
}

/// The repository that a folder is in, if it is our own.
fn repository(folder: &Path) -> Result<Repository, ForgeError> {
    let none = || ForgeError::NoRepository(folder.to_owned());
    let repository = Repository::of(folder).ok_or_else(none)?;
    let owner = std::fs::metadata(&repository.common).map_err(|_| none())?.uid();
    if owner == rustix::process::geteuid().as_raw() {
        Ok(repository)
    } else {
        Err(ForgeError::AnotherUsers(repository.main))
    }
}

/// The repository of a pull request.
fn repository_of(pull: &PullDoc) -> Result<Repository, ForgeError> {
    repository(Path::new(&pull.repo)).map_err(|error| match error {
        ForgeError::NoRepository(at) => ForgeError::RepositoryGone(at),
        error => error,
    })
}

/// The commit at the end of a pull request's own branch.
async fn head(repository: &Repository, pull: &PullDoc) -> Result<String, ForgeError> {
    tip(repository, &pull.head_branch, false).await.map_err(|error| match error {
        // One that is being opened was never looked at.
        ForgeError::NoBranch { branch, repo, there, .. } if is_commit(&pull.head_sha) => {
            ForgeError::BranchGone { branch, repo, there, sha: pull.head_sha.clone() }
        }
        error => error,
    })
}

/// The commit at a branch's end.
async fn tip(repository: &Repository, branch: &str, is_base: bool) -> Result<String, ForgeError> {
    if !is_branch(branch) {
        return Err(ForgeError::BadBranch(branch.chars().take(100).collect()));
    }
    let name = format!("refs/heads/{branch}^{{commit}}");
    let place = Place::new(&repository.common);
    let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &name];
    let found = run(&place, &args).await?;
    if found.code == 0 && is_commit(&found.text()) {
        return Ok(found.text());
    }
    let (branch, repo) = (branch.to_owned(), repository.main.display().to_string());
    Err(ForgeError::NoBranch { branch, repo, there: branches(&place).await?, is_base })
}

/// Branches, the last changed first.
async fn branches(place: &Place) -> Result<Vec<String>, ForgeError> {
    let format = "--format=%(refname:lstrip=2)";
    let args = ["for-each-ref", "--count=11", "--sort=-committerdate", format, "refs/heads/"];
    let listed = run(place, &args).await?.ok("list the branches")?.text();
    Ok(listed.lines().map(str::to_owned).collect())
}

/// What the repository was cloned with as its default, else `main`, else `master`.
async fn default_base(repository: &Repository) -> Result<String, ForgeError> {
    let place = Place::new(&repository.common);
    let remote = "refs/remotes/origin/";
    let args = ["symbolic-ref", "--quiet", &format!("{remote}HEAD")];
    let default = run(&place, &args).await?.text();
    let default = default.strip_prefix(remote).filter(|name| is_branch(name));
    let mut missing = None;
    for name in default.into_iter().chain(BASES) {
        match tip(repository, name, true).await {
            Ok(_) => return Ok(name.to_owned()),
            Err(error @ ForgeError::NoBranch { .. }) => missing = missing.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    Err(missing.unwrap_or(ForgeError::BadBranch(String::new())))
}
