//! Pull requests of the host: opened once, changed, looked at, merged at the very commit that was seen.

use super::client::{Client, PAGE};
use super::documents::{Branch, Merged, Pull, Repo};
use super::look::WORKED_OUT;
use super::{GITHUB, GitHub, path_of, pull_path};
use crate::forge::{Asked, Branches, Change, Forge, ForgeError, Found, Looked, Opened, Prepared};
use crate::outgoing::{RemoteError, encode};
use crate::repository::Repository;
use headsup_core::wire::PullDoc;
use headsup_core::work::comment::marked;
use headsup_core::work::pull::{MergeMethod, PullState, is_branch, is_commit};
use headsup_core::work::remote::{Numbered, RepoName};
use headsup_core::work::review::Review;
use hyper::Method;
use serde_json::{Map, json};
use std::collections::HashMap;
use std::sync::{MutexGuard, PoisonError};
use std::time::Instant;

/// Branches named where one is missing.
const NAMED: usize = 11;
/// Looks that are remembered.
const LOOKS: usize = 1_000;
/// How often it is looked whether something that got no answer was done.
const LOOKED_FOR: usize = 3;

/// When each pull request was looked at, and what was seen.
#[derive(Debug, Default)]
pub(super) struct Looks(HashMap<Numbered, (Instant, Looked)>);

#[derive(Clone, Debug)]
pub(crate) struct Hosted {
    github: GitHub,
    repo: Option<RepoName>,
}

impl Hosted {
    pub(super) fn new(github: GitHub, repo: Option<RepoName>) -> Self {
        Self { github, repo }
    }

    pub(super) fn client(&self) -> &Client {
        self.github.client()
    }

    fn looks(&self) -> MutexGuard<'_, Looks> {
        self.github.0.looks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was seen is not so any more.
    pub(super) fn forget(&self, of: &Numbered) {
        self.looks().0.remove(of);
    }

    async fn found(&self, branches: Branches) -> Result<Found, ForgeError> {
        let Branches { folder, head, base } = branches;
        let unset = || ForgeError::NotConfigured(format!("{GITHUB} is set without a repository"));
        let repo = self.repo.clone().ok_or_else(unset)?;
        let client = self.github.client();
        let what = format!("repository {repo}");
        let base = match base {
            Some(base) => base,
            None => client.get::<Repo>(&path_of(&repo, ""), &what).await?.default_branch,
        };
        for name in [&head, &base] {
            if !is_branch(name) {
                return Err(ForgeError::BadBranch(name.chars().take(100).collect()));
            }
        }
        if head == base {
            return Err(ForgeError::SameBranch(head));
        }
        for (branch, is_base) in [(&head, false), (&base, true)] {
            let path = path_of(&repo, &format!("/branches/{}", encode(branch)));
            match client.get::<Branch>(&path, &what).await {
                Ok(_) => {}
                Err(RemoteError::NotFound { .. }) => {
                    let list = path_of(&repo, "/branches?per_page=100");
                    // It says also whether the repository itself is there.
                    let there: Vec<Branch> = client.get(&list, &what).await?;
                    let there = there.into_iter().take(NAMED).map(|branch| branch.name).collect();
                    let (branch, repo) = (branch.clone(), repo.to_string());
                    return Err(ForgeError::NoBranch { branch, repo, there, is_base });
                }
                Err(error) => return Err(error.into()),
            }
        }
        let at = Repository::of(&folder).map_or(folder, |repository| repository.main);
        Ok(Found { repo: at.display().to_string(), base, remote: Some(repo) })
    }

    /// The open one of these branches.
    async fn there(&self, repo: &RepoName, pull: &PullDoc) -> Result<Option<Pull>, RemoteError> {
        let (head, base) = (encode(&pull.head_branch), encode(&pull.base_branch));
        let query =
            format!("/pulls?state=open&head={}:{head}&base={base}&per_page={PAGE}", repo.owner);
        let client = self.github.client();
        let what = format!("repository {repo}");
        let found: Vec<Pull> = client.get(&path_of(repo, &query), &what).await?;
        // A host that does not know the filter lists all.
        let is = |of: &Pull| {
            of.state == "open"
                && of.head.name == pull.head_branch
                && of.base.name == pull.base_branch
        };
        Ok(found.into_iter().find(is))
    }

    /// The same, asked again where no answer comes.
    async fn there_for_sure(
        &self,
        repo: &RepoName,
        pull: &PullDoc,
    ) -> Result<Option<Pull>, RemoteError> {
        for _ in 1..LOOKED_FOR {
            match self.there(repo, pull).await {
                Err(error) if error.is_retryable() && error.retry_after().is_none() => {}
                found => return found,
            }
        }
        self.there(repo, pull).await
    }

    async fn opened(&self, pull: &PullDoc, key: &str) -> Result<Opened, ForgeError> {
        let repo = repo_of(pull)?;
        let opened = |there: Pull, existing| Opened {
            url: there.html_url,
            number: Some(there.number),
            existing,
        };
        if let Some(there) = self.there(&repo, pull).await? {
            return Ok(opened(there, true));
        }
        let body = marked(pull.body.as_deref().unwrap_or_default(), key);
        let PullDoc { title, head_branch, base_branch, draft, .. } = pull;
        let said = json!({
            "title": title, "body": body, "head": head_branch, "base": base_branch, "draft": draft,
        });
        let what = format!("repository {repo}");
        let client = self.github.client();
        let made = client.send::<Pull>(Method::POST, &path_of(&repo, "/pulls"), &said, &what).await;
        match made {
            Ok(made) => Ok(opened(made, false)),
            // It may have been done, or somebody else was faster.
            Err(error) => {
                let refused = matches!(error, RemoteError::Refused { status: 422, .. });
                if !refused && !error.may_have_happened() {
                    return Err(error.into());
                }
                match self.there_for_sure(&repo, pull).await? {
                    Some(there) => Ok(opened(there, refused)),
                    None => Err(why_not(error, pull)),
                }
            }
        }
    }

    async fn changed(&self, pull: &PullDoc, change: &Change) -> Result<(), ForgeError> {
        let of = numbered(pull)?;
        let Change { title, body, state, draft } = change;
        if draft.is_some_and(|draft| draft != pull.draft) {
            // The REST API of GitHub has no way to it (2022-11-28).
            return Err(ForgeError::DraftElsewhere(pull.url.clone()));
        }
        let mut said = Map::new();
        said.extend(title.as_ref().map(|title| ("title".to_owned(), json!(title))));
        said.extend(body.as_ref().map(|body| ("body".to_owned(), json!(body))));
        let word = match state {
            Some(PullState::Open) => Some("open"),
            Some(PullState::Closed) => Some("closed"),
            Some(PullState::Merged) | None => None,
        };
        said.extend(word.map(|word| ("state".to_owned(), json!(word))));
        self.forget(&of);
        let (path, what) = (pull_path(&of, ""), format!("pull request {of}"));
        // Said twice it is the same.
        self.github.client().send::<Pull>(Method::PATCH, &path, &said.into(), &what).await?;
        Ok(())
    }

    async fn looked(&self, pull: &PullDoc) -> Result<Looked, ForgeError> {
        let of = numbered(pull)?;
        let fresh_for = self.github.settings().fresh_for;
        let seen = self.looks().0.get(&of).filter(|(at, _)| at.elapsed() < fresh_for).cloned();
        if let Some((_, looked)) = seen {
            return Ok(looked);
        }
        let looked = self.github.look(&of, pull).await?;
        let mut looks = self.looks();
        if looks.0.len() >= LOOKS {
            looks.0.retain(|_, (at, _)| at.elapsed() < fresh_for);
        }
        looks.0.insert(of, (Instant::now(), looked.clone()));
        Ok(looked)
    }

    async fn prepared(&self, pull: &PullDoc, method: MergeMethod) -> Result<Prepared, ForgeError> {
        let of = numbered(pull)?;
        self.forget(&of);
        let there = self.github.look(&of, pull).await?;
        if let Some(sha) = there.merged_as {
            return Err(ForgeError::Merged(sha));
        }
        if there.there.as_ref().is_some_and(|there| there.state == PullState::Closed) {
            return Err(ForgeError::NotOpen("closed"));
        }
        if there.head_sha != pull.head_sha {
            let (branch, expected) = (pull.head_branch.clone(), pull.head_sha.clone());
            return Err(ForgeError::HeadMoved { branch, expected, is: there.head_sha });
        }
        match there.obstacle {
            Some(why) if why == WORKED_OUT => Err(ForgeError::NotYetMergeable(why)),
            Some(why) => Err(ForgeError::NotMergeable(why)),
            None => Ok(Prepared { base_sha: there.base_sha, sha: there.head_sha, method }),
        }
    }

    async fn landed(&self, pull: &PullDoc, prepared: Prepared) -> Result<String, ForgeError> {
        let of = numbered(pull)?;
        self.forget(&of);
        let said = json!({ "sha": prepared.sha, "merge_method": prepared.method.word() });
        let what = format!("pull request {of}");
        let client = self.github.client();
        let path = pull_path(&of, "/merge");
        let error = match client.send::<Merged>(Method::PUT, &path, &said, &what).await {
            Ok(Merged { sha: Some(sha), merged: true }) if is_commit(&sha) => return Ok(sha),
            Ok(_) => client.garbled("a merge without a commit"),
            Err(error) => error,
        };
        let refused = match &error {
            RemoteError::Refused { status, .. } => Some(*status),
            error if error.may_have_happened() => None,
            _ => return Err(error.into()),
        };
        // What it is now says whether it was done, and why not.
        let mut now = self.github.pull(&of).await;
        for _ in 1..LOOKED_FOR {
            match &now {
                Err(error) if error.is_retryable() && error.retry_after().is_none() => {
                    now = self.github.pull(&of).await;
                }
                _ => break,
            }
        }
        // Nobody knows, and so it is said: whoever asks again is told.
        let Ok(now) = now else { return Err(error.into()) };
        if now.is_merged() {
            return Ok(now.merge_commit_sha.unwrap_or(now.head.sha));
        }
        if now.head.sha != prepared.sha {
            let branch = pull.head_branch.clone();
            return Err(ForgeError::HeadMoved { branch, expected: prepared.sha, is: now.head.sha });
        }
        match (refused, error) {
            (Some(405 | 409 | 422), RemoteError::Refused { says, .. }) => {
                Err(ForgeError::NotMergeable(says))
            }
            // It is open, and nothing has happened.
            (_, error) => Err(error.into()),
        }
    }
}

impl Forge for Hosted {
    fn name(&self) -> &'static str {
        GITHUB
    }

    fn find(&self, branches: Branches) -> Asked<'_, Found> {
        Box::pin(self.found(branches))
    }

    fn open<'a>(&'a self, pull: &'a PullDoc, key: &'a str) -> Asked<'a, Opened> {
        Box::pin(self.opened(pull, key))
    }

    fn change<'a>(&'a self, pull: &'a PullDoc, change: &'a Change) -> Asked<'a, ()> {
        Box::pin(self.changed(pull, change))
    }

    fn review<'a>(&'a self, pull: &'a PullDoc, review: &'a Review, key: &'a str) -> Asked<'a, ()> {
        Box::pin(self.reviewed(pull, review, key))
    }

    fn look<'a>(&'a self, pull: &'a PullDoc, _intended: Option<&'a str>) -> Asked<'a, Looked> {
        Box::pin(self.looked(pull))
    }

    fn prepare<'a>(&'a self, pull: &'a PullDoc, method: MergeMethod) -> Asked<'a, Prepared> {
        Box::pin(self.prepared(pull, method))
    }

    fn land<'a>(&'a self, pull: &'a PullDoc, prepared: Prepared) -> Asked<'a, String> {
        Box::pin(self.landed(pull, prepared))
    }
}

/// Why it was not opened: what the host says of branches becomes what we say of them.
fn why_not(error: RemoteError, pull: &PullDoc) -> ForgeError {
    let RemoteError::Refused { says, .. } = &error else { return error.into() };
    let (head, base) = (pull.head_branch.clone(), pull.base_branch.clone());
    let repo = pull.remote.clone().unwrap_or_default();
    let missing =
        |branch, is_base| ForgeError::NoBranch { branch, repo, there: Vec::new(), is_base };
    if says.contains("No commits between") {
        ForgeError::NothingNew { head, base }
    } else if says.contains("head invalid") {
        missing(head, false)
    } else if says.contains("base invalid") {
        missing(base, true)
    } else {
        error.into()
    }
}

fn repo_of(pull: &PullDoc) -> Result<RepoName, ForgeError> {
    let repo = pull.remote.as_deref().and_then(RepoName::parse);
    repo.ok_or_else(|| ForgeError::NoSuchPull(pull.id.clone()))
}

pub(super) fn numbered(pull: &PullDoc) -> Result<Numbered, ForgeError> {
    let number = pull.number.ok_or_else(|| ForgeError::NoSuchPull(pull.id.clone()))?;
    Ok(Numbered { repo: repo_of(pull)?, number })
}
