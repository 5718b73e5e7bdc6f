//! A merge lands: the branch moves, and so does a checkout of it, or nothing does.

use super::told::names;
use super::{Desk, ForgeError, Local, Place, Prepared, repository_of, run};
use crate::forge::git::Ended;
use crate::repository::Checkout;
use headsup_core::wire::PullDoc;
use std::time::Duration;

/// Files asked about in one call.
const AT_ONCE: usize = 500;
/// At an index that is locked, and the time between two.
const LOOKS: u32 = 30;
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// What a checkout has in its git folder while a person is in the middle of something.
const UNDER_WAY: [&str; 5] =
    ["MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "BISECT_LOG"];

pub(super) async fn land(
    forge: &Local,
    pull: &PullDoc,
    prepared: Prepared,
) -> Result<String, ForgeError> {
    let repository = repository_of(pull)?;
    let branch = format!("refs/heads/{}", pull.base_branch);
    let desk = forge.desk(&repository, true).await?;
    let Prepared { base_sha, sha, .. } = prepared;
    let mut moved = Vec::new();
    let mut done = Ok(());
    for checkout in repository.checkouts() {
        if on_branch(&checkout).await? != branch {
            continue;
        }
        done = follow(&desk, &checkout, pull, (&base_sha, &sha)).await;
        if done.is_err() {
            break;
        }
        moved.push(checkout);
    }
    if done.is_ok() {
        let place = forge.signed(Place::new(&repository.common)).await;
        let why = format!("headsup: merge {}", pull.head_branch);
        let args = ["update-ref", "-m", &why, "--end-of-options", &branch, &sha, &base_sha];
        if run(&place, &args).await?.code != 0 {
            done = Err(ForgeError::BaseMoved { base: pull.base_branch.clone() });
        }
    }
    if done.is_err() {
        for checkout in &moved {
            // As it was: what has just been written goes back.
            tree(&desk, checkout, &sha, &base_sha).await.ok();
        }
    }
    done.map(|()| sha)
}

async fn on_branch(checkout: &Checkout) -> Result<String, ForgeError> {
    let head = run(&Place::new(&checkout.git), &["symbolic-ref", "--quiet", "HEAD"]).await?;
    Ok(head.text())
}

/// Brings the files of a checkout from the one commit to the other, as a pull would; files with changes
/// of a person's own are left alone, and if one of them would have to change, nothing is.
async fn follow(
    desk: &Desk,
    checkout: &Checkout,
    pull: &PullDoc,
    (old, new): (&str, &str),
) -> Result<(), ForgeError> {
    let in_the_way = |why: String| ForgeError::CheckoutInTheWay {
        base: pull.base_branch.clone(),
        folder: checkout.folder.clone(),
        why,
    };
    if let Some(what) = UNDER_WAY.iter().find(|name| checkout.git.join(name).exists()) {
        return Err(in_the_way(format!("something is under way there ({what})")));
    }
    if checkout.git.join("info/sparse-checkout").exists() {
        return Err(in_the_way("only a part of the files is checked out there".to_owned()));
    }
    let place = at(desk, checkout);
    let list = ["diff", "--name-only", "-z", "--no-ext-diff", "--end-of-options", old, new];
    let changed: Vec<String> =
        names(&desk.run(&list).await?.ok("list the files")?.stdout).collect();
    for files in changed.chunks(AT_ONCE) {
        let mut args = vec!["check-attr", "-z", "filter", "--"];
        args.extend(files.iter().map(String::as_str));
        let told = run(&place, &args).await?.ok("ask for filters")?;
        let told: Vec<String> = names(&told.stdout).collect();
        let filtered = told.chunks_exact(3).find_map(|said| match said {
            [path, _, value] if !["unspecified", "unset"].contains(&value.as_str()) => {
                Some((path, value))
            }
            _ => None,
        });
        if let Some((path, filter)) = filtered {
            let why = format!("{path} goes through a filter ({filter}), and none is run here");
            return Err(in_the_way(why));
        }
    }
    // Files that were only touched are as they were.
    when_free(&place, &["update-index", "-q", "--refresh"]).await?;
    tree(desk, checkout, old, new).await.map_err(|error| match error {
        ForgeError::Git { why, .. } => in_the_way(of_a_person(&why).unwrap_or(why)),
        other => other,
    })
}

/// Which file of a person's own would have to change, where git says that (2.39 to 2.47).
fn of_a_person(why: &str) -> Option<String> {
    let between = |before: &str, after: &str| {
        let (_, rest) = why.split_once(before)?;
        rest.split_once(after).map(|(file, _)| file.to_owned())
    };
    if let Some(file) = between("Entry '", "' not uptodate") {
        return Some(format!("{file} has changes there that are not committed"));
    }
    let file = between("file '", "' would be overwritten")?;
    Some(format!("{file} is there, and in no commit"))
}

async fn tree(desk: &Desk, checkout: &Checkout, old: &str, new: &str) -> Result<(), ForgeError> {
    let args = ["read-tree", "-m", "-u", "--end-of-options", old, new];
    when_free(&at(desk, checkout), &args).await?.ok("move a checkout").map(drop)
}

/// Another git may have the index for a moment: a person's, or one that an earlier hub has started.
async fn when_free(place: &Place, args: &[&str]) -> Result<Ended, ForgeError> {
    for _ in 0..LOOKS {
        let ended = run(place, args).await?;
        if ended.code == 0 || !ended.stderr.contains("index.lock") {
            return Ok(ended);
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
    run(place, args).await
}

/// The desk's configuration, the checkout's files and index.
fn at(desk: &Desk, checkout: &Checkout) -> Place {
    let place = desk.place.clone().on(&checkout.folder);
    place.with("GIT_INDEX_FILE", checkout.git.join("index"))
}
