//! How a pull request stands: what it changes, what programs and people have found, what is in the way.

use super::client::PAGE;
use super::documents::{CheckRuns, File, Pull, Review, Statuses};
use super::{GitHub, path_of, pull_path};
use crate::forge::{Looked, There};
use crate::outgoing::RemoteError;
use headsup_adapters::text;
use headsup_core::wire::{FileDoc, PullDoc};
use headsup_core::work::comment::without_mark;
use headsup_core::work::pull::{PullState, is_commit};
use headsup_core::work::remote::Numbered;

/// Pages of files: 300 of them.
const PAGES: u32 = 3;
/// Checks and reviews that are told.
const MOST: usize = 100;
/// What is in the way for a moment only.
pub(super) const WORKED_OUT: &str =
    "whether it can be merged is being worked out: refresh it in a moment";
/// Characters of a body.
const LONGEST: usize = 60_000;

impl GitHub {
    pub(super) async fn pull(&self, of: &Numbered) -> Result<Pull, RemoteError> {
        let pull: Pull =
            self.client().get(&pull_path(of, ""), &format!("pull request {of}")).await?;
        // They become parts of paths, and what is merged.
        let sound = is_commit(&pull.head.sha) && is_commit(&pull.base.sha);
        if sound { Ok(pull) } else { Err(self.client().garbled("a commit without a name")) }
    }

    pub(super) async fn look(&self, of: &Numbered, known: &PullDoc) -> Result<Looked, RemoteError> {
        let pull = self.pull(of).await?;
        // What a commit changes against the same base does not change.
        let same = known.head_sha == pull.head.sha && known.base_sha == pull.base.sha;
        let files = if same && !known.files.is_empty() {
            known.files.clone()
        } else {
            self.files(of).await?
        };
        let found = self.found(of, &pull.head.sha).await?;
        let state = match pull.state.as_str() {
            _ if pull.is_merged() => PullState::Merged,
            "closed" => PullState::Closed,
            _ => PullState::Open,
        };
        let obstacle = match state {
            PullState::Open => obstacle(&pull, &found),
            PullState::Closed => Some("it is closed".to_owned()),
            PullState::Merged => Some("it is merged".to_owned()),
        };
        let merged_as = (state == PullState::Merged)
            .then(|| pull.merge_commit_sha.clone().unwrap_or_else(|| pull.head.sha.clone()));
        let body = text::block(without_mark(pull.body.as_deref().unwrap_or_default()), LONGEST);
        let there = There {
            title: text::line(&pull.title, text::TITLE),
            body: Some(body).filter(|body| !body.is_empty()),
            state,
            draft: pull.draft,
            head_branch: text::line(&pull.head.name, text::DETAIL),
            base_branch: text::line(&pull.base.name, text::DETAIL),
            url: text::line(&pull.html_url, LONGEST),
            checks: found.checks.iter().map(Check::line).collect(),
            reviews: found.reviews.iter().map(Opinion::line).collect(),
            created_at: pull.created_at,
            merged_at: pull.merged_at,
        };
        let counted = |of: fn(&FileDoc) -> u64| files.iter().map(of).sum::<u64>();
        Ok(Looked {
            head_sha: pull.head.sha,
            base_sha: pull.base.sha,
            additions: pull.additions.max(counted(|file| file.additions)),
            deletions: pull.deletions.max(counted(|file| file.deletions)),
            changed_files: pull.changed_files.max(files.len() as u64),
            files,
            obstacle,
            merged_as,
            there: Some(there),
        })
    }

    async fn files(&self, of: &Numbered) -> Result<Vec<FileDoc>, RemoteError> {
        let mut files = Vec::new();
        for page in 1..=PAGES {
            let path = pull_path(of, &format!("/files?per_page={PAGE}&page={page}"));
            let some: Vec<File> = self.client().get(&path, &format!("pull request {of}")).await?;
            let is_last = some.len() < PAGE as usize;
            files.extend(some.into_iter().map(|file| FileDoc {
                path: text::line(&file.filename, LONGEST),
                additions: file.additions,
                deletions: file.deletions,
            }));
            if is_last {
                break;
            }
        }
        Ok(files)
    }

    async fn found(&self, of: &Numbered, sha: &str) -> Result<Found, RemoteError> {
        let what = format!("commit {sha}");
        let commit =
            |rest: &str| path_of(&of.repo, &format!("/commits/{sha}/{rest}?per_page={PAGE}"));
        let runs = self.client().get(&commit("check-runs"), &what).await;
        let runs: CheckRuns = lacking(runs)?.unwrap_or(CheckRuns { check_runs: Vec::new() });
        let statuses = self.client().get(&commit("status"), &what).await;
        let statuses: Statuses = lacking(statuses)?.unwrap_or(Statuses { statuses: Vec::new() });
        let path = pull_path(of, &format!("/reviews?per_page={PAGE}"));
        let reviews: Vec<Review> =
            lacking(self.client().get(&path, &what).await)?.unwrap_or_default();
        Ok(Found::new(runs, statuses, reviews))
    }
}

/// A host that has no such thing, or does not show it to this token, tells nothing of it.
fn lacking<T>(found: Result<T, RemoteError>) -> Result<Option<T>, RemoteError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(RemoteError::NotFound { .. } | RemoteError::Forbidden { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What programs and people have found.
struct Found {
    checks: Vec<Check>,
    reviews: Vec<Opinion>,
}

struct Check {
    name: String,
    word: String,
}

impl Check {
    fn line(&self) -> String {
        format!("{}: {}", self.name, self.word)
    }

    fn has_failed(&self) -> bool {
        ["failure", "error", "timed out", "cancelled", "action required", "startup failure"]
            .contains(&self.word.as_str())
    }

    fn is_under_way(&self) -> bool {
        ["queued", "in progress", "pending", "waiting", "requested"].contains(&self.word.as_str())
    }
}

/// The last one of a person.
struct Opinion {
    who: String,
    word: String,
    says: String,
}

impl Opinion {
    fn line(&self) -> String {
        match self.says.as_str() {
            "" => format!("{}: {}", self.who, self.word),
            says => format!("{}: {}: {says}", self.who, self.word),
        }
    }
}

impl Found {
    fn new(runs: CheckRuns, statuses: Statuses, reviews: Vec<Review>) -> Self {
        let plain = |word: &str| text::line(&word.to_lowercase().replace('_', " "), text::NAME);
        let runs = runs.check_runs.into_iter().map(|run| {
            let word = run.conclusion.as_deref().unwrap_or(&run.status);
            Check { name: text::line(&run.name, text::NAME), word: plain(word) }
        });
        let statuses = statuses
            .statuses
            .into_iter()
            .map(|of| Check { name: text::line(&of.context, text::NAME), word: plain(&of.state) });
        let mut opinions: Vec<Opinion> = Vec::new();
        for review in reviews {
            let who = review.user.map_or_else(|| "somebody".to_owned(), |user| user.login);
            let who = text::line(&who, text::NAME);
            let word = plain(&review.state);
            // A remark takes no opinion back.
            let has_one = opinions.iter().any(|opinion| opinion.who == who);
            if word == "pending" || (word == "commented" && has_one) {
                continue;
            }
            opinions.retain(|opinion| opinion.who != who);
            let says = without_mark(review.body.as_deref().unwrap_or_default());
            let says = text::block(says, text::BODY);
            opinions.push(Opinion { who, word, says });
        }
        opinions.truncate(MOST);
        Self { checks: runs.chain(statuses).take(MOST).collect(), reviews: opinions }
    }
}

/// Why an open one cannot be merged, in words.
fn obstacle(pull: &Pull, found: &Found) -> Option<String> {
    let (head, base) = (&pull.head.name, &pull.base.name);
    if pull.draft {
        return Some("it is a draft".to_owned());
    }
    let names = |checks: Vec<&Check>| {
        checks.iter().map(|check| check.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    match (pull.mergeable, pull.mergeable_state.as_deref()) {
        (Some(false), _) | (_, Some("dirty")) => Some(format!(
            "{head} conflicts with {base}: merge {base} into {head}, put the files right, push"
        )),
        (_, Some("behind")) => {
            Some(format!("{base} has moved, and its rules want {head} to be up to date with it"))
        }
        (_, Some("blocked")) => {
            let refused = found.reviews.iter().find(|of| of.word == "changes requested");
            let failed: Vec<_> = found.checks.iter().filter(|check| check.has_failed()).collect();
            let waits: Vec<_> = found.checks.iter().filter(|check| check.is_under_way()).collect();
            Some(match refused {
                Some(refused) => format!("{} wants changes", refused.who),
                None if !failed.is_empty() => format!("checks have failed: {}", names(failed)),
                None if !waits.is_empty() => format!("checks are under way: {}", names(waits)),
                None => format!("the rules of {base} want something more: a review or a check"),
            })
        }
        (None, None | Some("unknown")) => Some(WORKED_OUT.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn found(runs: Value, statuses: Value, reviews: Value) -> Found {
        Found::new(
            serde_json::from_value(json!({ "check_runs": runs })).unwrap(),
            serde_json::from_value(json!({ "statuses": statuses })).unwrap(),
            serde_json::from_value(reviews).unwrap(),
        )
    }

    fn pull(more: Value) -> Pull {
        let mut pull = json!({
            "number": 1, "state": "open", "html_url": "u", "mergeable": true,
            "mergeable_state": "clean", "head": {"ref": "work", "sha": "a"},
            "base": {"ref": "main", "sha": "b"},
        });
        pull.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(pull).unwrap()
    }

    #[test]
    fn the_last_opinion_of_each_person_counts_and_a_remark_is_none() {
        let review = |who: &str, state: &str, body: &str| json!({"user": {"login": who}, "state": state, "body": body});
        let found = found(
            json!([{"name": "build", "status": "completed", "conclusion": "success"},
                   {"name": "lint", "status": "in_progress", "conclusion": null}]),
            json!([{"context": "ci/old", "state": "failure"}]),
            json!([
                review("ada", "CHANGES_REQUESTED", "name it"),
                review("ada", "COMMENTED", "and this"),
                review("bob", "COMMENTED", ""),
                review("bob", "APPROVED", ""),
                review("eve", "PENDING", "not sent"),
            ]),
        );
        let checks: Vec<_> = found.checks.iter().map(Check::line).collect();
        assert_eq!(checks, ["build: success", "lint: in progress", "ci/old: failure"]);
        let reviews: Vec<_> = found.reviews.iter().map(Opinion::line).collect();
        assert_eq!(reviews, ["ada: changes requested: name it", "bob: approved"]);
    }

    #[test]
    fn what_is_in_the_way_of_a_merge_is_said_in_words() {
        let none = || found(json!([]), json!([]), json!([]));
        let failed = || {
            found(
                json!([{"name": "build", "status": "completed", "conclusion": "failure"}]),
                json!([]),
                json!([]),
            )
        };
        let refused = found(
            json!([]),
            json!([]),
            json!([{"user": {"login": "ada"}, "state": "CHANGES_REQUESTED", "body": ""}]),
        );
        let blocked = json!({"mergeable_state": "blocked"});
        for (more, found, says) in [
            (json!({}), none(), None),
            (json!({"mergeable_state": "unstable"}), failed(), None),
            (json!({"draft": true}), none(), Some("a draft")),
            (
                json!({"mergeable": false, "mergeable_state": "dirty"}),
                none(),
                Some("conflicts with main"),
            ),
            (json!({"mergeable_state": "behind"}), none(), Some("main has moved")),
            (blocked.clone(), none(), Some("a review or a check")),
            (blocked.clone(), failed(), Some("checks have failed: build")),
            (blocked, refused, Some("ada wants changes")),
            (json!({"mergeable": null, "mergeable_state": "unknown"}), none(), Some("worked out")),
        ] {
            let obstacle = obstacle(&pull(more.clone()), &found);
            match says {
                None => assert_eq!(obstacle, None, "{more}"),
                Some(says) => assert!(obstacle.unwrap().contains(says), "{more}"),
            }
        }
    }
}
