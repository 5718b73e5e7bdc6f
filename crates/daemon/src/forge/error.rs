//! Why a forge did not do it.

use crate::job::Refusal;
use crate::outgoing::RemoteError;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ForgeError {
    #[error("{} is in no git repository", .0.display())]
    NoRepository(PathBuf),
    #[error("the repository {} belongs to another user", .0.display())]
    AnotherUsers(PathBuf),
    #[error("{0:?} cannot be the name of a branch")]
    BadBranch(String),
    #[error("there is no branch {branch:?} in {repo}{}", those(.there))]
    NoBranch { branch: String, repo: String, there: Vec<String>, is_base: bool },
    #[error("the repository {} is not there any more", .0.display())]
    RepositoryGone(PathBuf),
    #[error("there is no branch {branch:?} in {repo} any more, which was at {sha}{}", those(.there))]
    BranchGone { branch: String, repo: String, there: Vec<String>, sha: String },
    #[error("head and base are both {0:?}")]
    SameBranch(String),
    #[error("{base} has every commit of {head} already: there is nothing to merge")]
    NothingNew { head: String, base: String },
    #[error("{head} conflicts with {base} in {}", listed(.files))]
    Conflicts { head: String, base: String, files: Vec<String> },
    #[error("{head} and {base} have no commit in common")]
    Unrelated { head: String, base: String },
    #[error("{branch} is at {is} now, and {expected} was looked at")]
    HeadMoved { branch: String, expected: String, is: String },
    #[error("{base} has moved while it was merged into")]
    BaseMoved { base: String },
    #[error("{base} is checked out in {}, which cannot follow: {why}", folder.display())]
    CheckoutInTheWay { base: String, folder: PathBuf, why: String },
    #[error("there is no pull request {0:?}")]
    NoSuchPull(String),
    #[error("the pull request is {0}")]
    NotOpen(&'static str),
    #[error("it is merged already, as {0}")]
    Merged(String),
    #[error("it cannot be merged: {0}")]
    NotMergeable(String),
    /// The other system does not know yet.
    #[error("it cannot be merged yet: {0}")]
    NotYetMergeable(String),
    /// The repository.
    #[error("something else is being merged or opened in {0}")]
    Busy(String),
    #[error("{0}")]
    Remote(RemoteError),
    #[error("{0}")]
    NotConfigured(String),
    #[error("the pull request is a draft")]
    Draft,
    #[error("its host makes it a draft, or ready, on its own page alone: {0}")]
    DraftElsewhere(String),
    #[error("this request was made before, with another body")]
    AnotherRequest,
    #[error("{0}")]
    Refused(Refusal),
    #[error("the pull requests cannot be read")]
    Unreadable,
    /// One of them, and why.
    #[error("{0}")]
    Broken(String),
    #[error("git cannot be started: {0}")]
    NoGit(std::io::Error),
    #[error("git could not {doing}: {why}")]
    Git { doing: &'static str, why: String },
    #[error("git did not end within {0} s")]
    TooLong(u64),
    #[error("git said more than {0} MiB")]
    TooMuch(u64),
    #[error("there is no room to work in: {0}")]
    Desk(std::io::Error),
}

impl From<RemoteError> for ForgeError {
    fn from(error: RemoteError) -> Self {
        Self::Remote(error)
    }
}

impl ForgeError {
    /// So it stays until somebody changes the branches.
    pub(crate) fn is_of_branches(&self) -> bool {
        matches!(
            self,
            Self::Conflicts { .. }
                | Self::BranchGone { .. }
                | Self::RepositoryGone(_)
                | Self::NothingNew { .. }
        )
    }

    /// With nothing changed here the same may go well another time.
    pub(crate) fn may_go_well_later(&self) -> bool {
        match self {
            Self::Remote(RemoteError::NoKey { .. }) => true,
            Self::Remote(error) => error.is_retryable() || error.may_have_happened(),
            Self::NotYetMergeable(_) | Self::Busy(_) | Self::BaseMoved { .. } => true,
            Self::Unreadable | Self::Desk(_) => true,
            _ => false,
        }
    }

    /// Nobody knows whether it was done.
    pub(crate) fn may_have_happened(&self) -> bool {
        matches!(self, Self::Remote(error) if error.may_have_happened())
    }
}

/// Names shown in a message at most.
const SHOWN: usize = 10;

fn those(branches: &[String]) -> String {
    match branches {
        [] => String::new(),
        branches => format!("; there are {}", listed(branches)),
    }
}

fn listed(files: &[String]) -> String {
    let shown = files.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    match files.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
