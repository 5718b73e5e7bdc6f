//! What a pull request changes, and whether it could be merged.

use super::told::{names, numstat};
use super::{Desk, ForgeError, Local, Looked, head, repository_of, tip};
use headsup_core::wire::{FileDoc, PullDoc};
use headsup_core::work::pull::is_commit;

/// Files listed of a pull request.
const MOST_FILES: usize = 300;

pub(super) async fn look(
    forge: &Local,
    pull: &PullDoc,
    intended: Option<&str>,
) -> Result<Looked, ForgeError> {
    let repository = repository_of(pull)?;
    let base_sha = tip(&repository, &pull.base_branch, true).await?;
    let desk = forge.desk(&repository, false).await?;
    let merged_as = match intended {
        Some(sha) if is_behind(&desk, sha, &base_sha).await? => Some(sha.to_owned()),
        _ => None,
    };
    if merged_as.is_some() {
        // Its branch may be gone, and what it changed is known.
        return Ok(Looked { merged_as, ..known(pull, base_sha) });
    }
    let head_sha = head(&repository, pull).await?;
    let names = (pull.head_branch.clone(), pull.base_branch.clone());
    if is_behind(&desk, &head_sha, &base_sha).await? {
        let (head, base) = names;
        let nothing = ForgeError::NothingNew { head, base };
        // One that is being opened was never looked at.
        if head_sha == pull.head_sha || !is_commit(&pull.head_sha) {
            return Err(nothing);
        }
        return Ok(emptied(head_sha, base_sha, &nothing));
    }
    let fork = desk.run(&["merge-base", "--end-of-options", &base_sha, &head_sha]).await?;
    if fork.code == 1 {
        let (head, base) = names;
        return Err(ForgeError::Unrelated { head, base });
    }
    let fork = fork.ok("find where the branch begins")?.text();
    let diff = ["diff", "--numstat", "-z", "-M", "--no-color", "--no-ext-diff", "--no-textconv"];
    let args = [&diff[..], &["--end-of-options", &fork, &head_sha]].concat();
    let place = desk.place.clone().with("GIT_ATTR_SOURCE", &head_sha);
    let told = super::run(&place, &args).await?.ok("compare the branches")?;
    let files = numstat(&told.stdout);
    let conflicts = conflicts(&desk, &base_sha, &head_sha).await?;
    let obstacle = conflicts.map(|files| {
        let (head, base) = names;
        ForgeError::Conflicts { head, base, files }.to_string()
    });
    let sum = |of: fn(&FileDoc) -> u64| files.iter().map(of).sum();
    Ok(Looked {
        head_sha,
        base_sha,
        additions: sum(|file| file.additions),
        deletions: sum(|file| file.deletions),
        changed_files: files.len() as u64,
        files: files.iter().take(MOST_FILES).cloned().collect(),
        obstacle,
        merged_as: None,
        there: None,
    })
}

/// Its branch has moved back: it has no commits of its own any more.
fn emptied(head_sha: String, base_sha: String, obstacle: &ForgeError) -> Looked {
    Looked {
        head_sha,
        base_sha,
        additions: 0,
        deletions: 0,
        changed_files: 0,
        files: Vec::new(),
        obstacle: Some(obstacle.to_string()),
        merged_as: None,
        there: None,
    }
}

/// As it was seen last.
fn known(pull: &PullDoc, base_sha: String) -> Looked {
    Looked {
        head_sha: pull.head_sha.clone(),
        base_sha,
        additions: pull.additions,
        deletions: pull.deletions,
        changed_files: pull.changed_files,
        files: pull.files.clone(),
        obstacle: None,
        merged_as: None,
        there: None,
    }
}

/// Whether the base has this commit. One that is not there any more it has not.
async fn is_behind(desk: &Desk, sha: &str, base: &str) -> Result<bool, ForgeError> {
    let args = ["merge-base", "--is-ancestor", "--end-of-options", sha, base];
    Ok(desk.run(&args).await?.code == 0)
}

/// The files that both sides have changed in ways that do not go together.
async fn conflicts(desk: &Desk, base: &str, head: &str) -> Result<Option<Vec<String>>, ForgeError> {
    let place = desk.place.clone().with("GIT_ATTR_SOURCE", base);
    let args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"];
    let merged =
        super::run(&place, &[&args[..], &["--end-of-options", base, head]].concat()).await?;
    match merged.code {
        0 => Ok(None),
        1 => Ok(Some(names(&merged.stdout).skip(1).collect())),
        _ => Err(ForgeError::Git { doing: "try the merge", why: merged.why() }),
    }
}
