//! A merge, worked out in a checkout of its own.

use super::head as tip_of;
use super::told::names;
use super::{Desk, ForgeError, Local, Prepared, repository_of, run, tip};
use crate::forge::git::Place;
use headsup_core::wire::PullDoc;
use headsup_core::work::pull::MergeMethod;

pub(super) async fn prepare(
    forge: &Local,
    pull: &PullDoc,
    method: MergeMethod,
) -> Result<Prepared, ForgeError> {
    let repository = repository_of(pull)?;
    let is = tip_of(&repository, pull).await?;
    let head = pull.head_sha.as_str();
    if is != head {
        let (branch, expected) = (pull.head_branch.clone(), head.to_owned());
        return Err(ForgeError::HeadMoved { branch, expected, is });
    }
    let base_sha = tip(&repository, &pull.base_branch, true).await?;
    let desk = forge.desk(&repository, true).await?;
    let place = forge.signed(desk.place.clone()).await;
    let begin = if method == MergeMethod::Rebase { head } else { &base_sha };
    // Git 2.39 knows no `--end-of-options` here; both are commits in full.
    run(&place, &["checkout", "-q", "--detach", begin]).await?.ok("check the branch out")?;
    match method {
        MergeMethod::Merge => merge(&desk, &place, pull).await?,
        MergeMethod::Squash => squash(&desk, &place, pull).await?,
        MergeMethod::Rebase => rebase(&desk, &place, pull, &base_sha).await?,
    }
    let args = ["rev-parse", "--verify", "--end-of-options", "HEAD^{commit}"];
    let sha = run(&place, &args).await?.ok("read the merge")?.text();
    if sha == base_sha {
        let (head, base) = (pull.head_branch.clone(), pull.base_branch.clone());
        return Err(ForgeError::NothingNew { head, base });
    }
    Ok(Prepared { base_sha, sha, method })
}

async fn merge(desk: &Desk, place: &Place, pull: &PullDoc) -> Result<(), ForgeError> {
    let PullDoc { head_branch, base_branch, .. } = pull;
    let message = format!("Merge {head_branch} into {base_branch}\n\n{}", words(pull));
    let how = ["merge", "-q", "--no-ff", "--no-edit", "--no-verify", "--no-stat"];
    let args = [&how[..], &["-m", &message, "--end-of-options", &pull.head_sha]].concat();
    let ended = run(place, &args).await?;
    settled(desk, pull, ended, "merge the branches").await
}

async fn squash(desk: &Desk, place: &Place, pull: &PullDoc) -> Result<(), ForgeError> {
    let how = ["merge", "-q", "--squash", "--no-verify", "--no-stat", "--end-of-options"];
    let ended = run(place, &[&how[..], &[&pull.head_sha]].concat()).await?;
    settled(desk, pull, ended, "squash the branch").await?;
    if run(place, &["diff", "--cached", "--quiet", "--no-ext-diff"]).await?.code == 0 {
        return Ok(());
    }
    let who = ["log", "-1", "--format=%an <%ae>", "--no-show-signature", "--end-of-options"];
    let author = run(place, &[&who[..], &[&pull.head_sha]].concat()).await?;
    let author = format!("--author={}", author.ok("read the author")?.text());
    let args = ["commit", "-q", "--no-verify", "--no-edit", &author, "-m", &words(pull)];
    run(place, &args).await?.ok("commit the squashed branch").map(drop)
}

async fn rebase(desk: &Desk, place: &Place, pull: &PullDoc, base: &str) -> Result<(), ForgeError> {
    let how = ["rebase", "-q", "--merge", "--no-verify", "--no-stat", "--no-autosquash"];
    let ended = run(place, &[&how[..], &["--end-of-options", base]].concat()).await?;
    settled(desk, pull, ended, "put the commits onto the base").await
}

/// It went well, or says which files are in the way.
async fn settled(
    desk: &Desk,
    pull: &PullDoc,
    ended: crate::forge::git::Ended,
    doing: &'static str,
) -> Result<(), ForgeError> {
    if ended.code == 0 {
        return Ok(());
    }
    let args = ["diff", "--name-only", "--diff-filter=U", "-z", "--no-ext-diff"];
    let files: Vec<String> = names(&desk.run(&args).await?.stdout).collect();
    if files.is_empty() {
        return Err(ForgeError::Git { doing, why: ended.why() });
    }
    let (head, base) = (pull.head_branch.clone(), pull.base_branch.clone());
    Err(ForgeError::Conflicts { head, base, files })
}

fn words(pull: &PullDoc) -> String {
    match &pull.body {
        Some(body) => format!("{}\n\n{body}", pull.title),
        None => pull.title.clone(),
    }
}
