//! What a forge did not do, as a problem with what to do next.

use super::ForgeError;
use crate::api::Refused;
use crate::job::Refusal;

impl From<ForgeError> for Refused {
    fn from(error: ForgeError) -> Self {
        let says = error.to_string();
        let refused = |status, code, hint: &str| Self::new(status, code, says.clone()).hint(hint);
        match error {
            ForgeError::NoRepository(_) => refused(
                422,
                "no_repository",
                "name a folder of a git repository; an agent's is the folder that it works in",
            ),
            ForgeError::RepositoryGone(_) => refused(
                422,
                "repository_gone",
                "put it back there; or close the pull request: `headsup pr update ID --state closed`",
            ),
            ForgeError::BranchGone { branch, sha, .. } => {
                let hint = format!(
                    "bring it back: `git branch {branch} {sha}`; or close the pull request: \
                     `headsup pr update ID --state closed`"
                );
                refused(422, "head_not_found", &hint)
            }
            ForgeError::AnotherUsers(_) => {
                refused(403, "foreign_repository", "use a clone of your own")
            }
            ForgeError::BadBranch(_) => {
                refused(400, "bad_branch", "give the branch's short name, as feature/login")
            }
            ForgeError::NoBranch { is_base: true, .. } => refused(
                422,
                "base_not_found",
                "name the branch to merge into: base_branch, on the command line --base",
            ),
            ForgeError::NoBranch { branch, repo, .. } => {
                // A repository of this machine is a folder.
                let hint = match repo.starts_with('/') {
                    true => format!("make it first: `git switch -c {branch}`, and commit to it"),
                    false => format!("push it first: `git push -u origin {branch}`"),
                };
                refused(422, "head_not_found", &hint)
            }
            ForgeError::SameBranch(_) => {
                refused(422, "same_branch", "commit to a branch of its own: `git switch -c NAME`")
            }
            ForgeError::NothingNew { .. } => {
                refused(422, "no_commits", "commit your changes first: `git commit`")
            }
            ForgeError::Conflicts { head, base, .. } => {
                let hint = format!(
                    "on {head}: `git merge {base}`, put the files right, commit, refresh the pull request"
                );
                refused(409, "conflicts", &hint)
            }
            ForgeError::Unrelated { .. } => {
                refused(422, "unrelated_histories", "begin the branch at a commit of the base")
            }
            ForgeError::HeadMoved { .. } => refused(
                409,
                "head_moved",
                "look at the new commits: refresh the pull request, then merge or review it",
            ),
            ForgeError::BaseMoved { .. } => refused(409, "base_moved", "merge again"),
            ForgeError::CheckoutInTheWay { .. } => refused(
                409,
                "checkout_in_the_way",
                "commit or stash what is there, or switch it to another branch; then merge again",
            ),
            ForgeError::NoSuchPull(_) | ForgeError::Refused(Refusal::NoSuchPull) => {
                refused(404, "no_such_pr", "`headsup pr ls` lists them")
            }
            ForgeError::NotOpen("closed") => refused(
                409,
                "pr_final",
                "open it again: `headsup pr update ID --state open`, or PATCH state open",
            ),
            ForgeError::NotOpen(_) | ForgeError::Refused(Refusal::PullFinal) => {
                refused(409, "pr_final", "commit to a branch, and open another one of it")
            }
            ForgeError::Draft => refused(
                409,
                "draft",
                "say that it is ready: `headsup pr ready`, or PATCH draft false",
            ),
            ForgeError::DraftElsewhere(_) => {
                refused(409, "draft_elsewhere", "change it there, then refresh the pull request")
            }
            ForgeError::Merged(_) => refused(409, "pr_final", "refresh it"),
            ForgeError::NotMergeable(_) => {
                let hint = "put that right, or merge it in another way (merge, squash, rebase); refresh the \
                            pull request first";
                refused(409, "not_mergeable", hint)
            }
            ForgeError::NotYetMergeable(_) => {
                refused(409, "not_mergeable", "refresh the pull request in a moment, merge it")
                    .with(|problem| problem.retryable = true)
            }
            ForgeError::Busy(_) => refused(503, "forge_busy", "try again in a moment"),
            ForgeError::Remote(error) => Self::from(error),
            ForgeError::NotConfigured(_) => refused(
                422,
                "not_configured",
                "name it in the settings: [[repository]] with path, forge and github",
            ),
            ForgeError::AnotherRequest => Self::from(Refusal::IdConflict),
            ForgeError::Refused(refusal) => Self::from(refusal),
            ForgeError::Unreadable => Self::new(500, "storage_unreadable", says),
            ForgeError::Broken(_) => refused(
                500,
                "storage_unreadable",
                "all others can be read; a copy of headsup.db of an earlier day may have it",
            ),
            ForgeError::NoGit(_) => {
                refused(500, "no_git", "install git, or put it on the PATH of the hub")
            }
            ForgeError::Git { .. } => {
                refused(500, "git_failed", "look whether `git fsck` finds the repository sound")
            }
            ForgeError::TooLong(_) | ForgeError::TooMuch(_) => {
                refused(500, "git_failed", "the repository is too large for this: use git itself")
            }
            ForgeError::Desk(_) => refused(507, "storage_failed", "make room on the hub's disk"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_the_way_for_a_moment_only_may_be_tried_again() {
        let later = Refused::from(ForgeError::NotYetMergeable("in a moment".to_owned()));
        assert_eq!((later.code(), later.problem().retryable), ("not_mergeable", true));
        let never = Refused::from(ForgeError::NotMergeable("a draft".to_owned()));
        assert_eq!((never.code(), never.problem().retryable), ("not_mergeable", false));
        assert!(Refused::from(ForgeError::Busy("ada/app".to_owned())).problem().retryable);
    }
}
