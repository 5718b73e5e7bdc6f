//! What is to be done to issues, and whether it was done.

use super::client::PAGE;
use super::documents::{Comment, Issue};
use super::{GITHUB, GitHub, issue_path, path_of, status};
use crate::effects::{Courier, Delivered, DeliveryError, Effect, Looked, Sent};
use crate::outgoing::{RemoteError, encode};
use crate::tracker::{Change, Creation};
use headsup_core::work::comment::{mark, marked, without_mark};
use headsup_core::work::effect::EffectKind;
use headsup_core::work::remote::{Numbered, RepoName};
use headsup_core::work::task::TaskStatus;
use hyper::Method;
use serde::de::IgnoredAny;
use serde_json::{Map, json};

/// Pages of comments that are looked through for one of ours.
const PAGES: u32 = 100;

impl Courier for GitHub {
    fn provider(&self) -> &'static str {
        GITHUB
    }

    fn closed(&self) -> Option<&'static str> {
        (!self.client().has_token()).then_some("no_key")
    }

    fn deliver<'a>(&'a self, effect: &'a Effect) -> Sent<'a> {
        Box::pin(async move {
            match effect.kind {
                EffectKind::Comment => self.say(&issue(effect)?, effect).await,
                EffectKind::TaskStatus => self.move_to(&issue(effect)?, effect.status()?).await,
                EffectKind::TaskCreate => self.make(&repo(effect)?, effect).await,
                EffectKind::TaskChange => self.rewrite(&issue(effect)?, effect).await,
            }
        })
    }

    fn find<'a>(&'a self, effect: &'a Effect) -> Looked<'a> {
        Box::pin(async move {
            match effect.kind {
                EffectKind::Comment => self.said(&issue(effect)?, &effect.key).await,
                EffectKind::TaskStatus => {
                    let (of, wanted) = (issue(effect)?, effect.status()?);
                    let there = self.issue(&of).await?;
                    Ok(self.stands(&there, wanted).then(|| delivered(&there)))
                }
                EffectKind::TaskCreate => {
                    let new: Creation = effect.read()?;
                    let made = self.made(&repo(effect)?, &effect.key).await?;
                    let made = made.filter(|made| self.stands(made, new.status));
                    Ok(made.as_ref().map(delivered))
                }
                EffectKind::TaskChange => {
                    let Change { title, body } = effect.read()?;
                    let there = self.issue(&issue(effect)?).await?;
                    let said = without_mark(there.body.as_deref().unwrap_or_default());
                    let is_done = title.is_none_or(|title| title == there.title)
                        && body.is_none_or(|body| body.trim_end() == said);
                    Ok(is_done.then(|| delivered(&there)))
                }
            }
        })
    }
}

impl GitHub {
    pub(super) async fn issue(&self, of: &Numbered) -> Result<Issue, RemoteError> {
        self.client().get(&issue_path(of, ""), &format!("issue {of}")).await
    }

    fn stands(&self, issue: &Issue, wanted: TaskStatus) -> bool {
        status::of(issue, self.settings()) == (wanted, None)
    }

    async fn say(&self, of: &Numbered, effect: &Effect) -> Result<Delivered, DeliveryError> {
        let body = json!({ "body": marked(&effect.body, &effect.key) });
        let path = issue_path(of, "/comments");
        let made: Comment =
            self.client().send(Method::POST, &path, &body, &format!("issue {of}")).await?;
        Ok(Delivered { id: made.id.to_string(), url: made.html_url })
    }

    /// The comment with this mark.
    async fn said(&self, of: &Numbered, key: &str) -> Result<Option<Delivered>, DeliveryError> {
        let mark = mark(key);
        for page in 1..=PAGES {
            let path = issue_path(of, &format!("/comments?per_page={PAGE}&page={page}"));
            let comments: Vec<Comment> = self.client().get(&path, &format!("issue {of}")).await?;
            let ours = |comment: &&Comment| {
                comment.body.as_deref().is_some_and(|body| body.contains(&mark))
            };
            if let Some(found) = comments.iter().find(ours) {
                let (id, url) = (found.id.to_string(), found.html_url.clone());
                return Ok(Some(Delivered { id, url }));
            }
            if comments.len() < PAGE as usize {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// Open with the label of its status and without the others of ours, or closed.
    async fn move_to(&self, of: &Numbered, wanted: TaskStatus) -> Result<Delivered, DeliveryError> {
        let what = format!("issue {of}");
        let mut there = self.issue(of).await?;
        if self.stands(&there, wanted) {
            return Ok(delivered(&there));
        }
        let is_done = wanted == TaskStatus::Done;
        let (settings, client) = (self.settings(), self.client());
        let ours = [&settings.in_progress, &settings.in_review];
        let wanted_label = status::label(wanted, settings);
        if let Some(label) = wanted_label {
            let path = issue_path(of, "/labels");
            let body = json!({ "labels": [label] });
            client.send::<IgnoredAny>(Method::POST, &path, &body, &what).await?;
        }
        let has = |label: &str| there.labels.iter().any(|of| of.0.eq_ignore_ascii_case(label));
        for label in ours {
            if Some(label.as_str()) == wanted_label || !has(label) {
                continue;
            }
            let path = issue_path(of, &format!("/labels/{}", encode(label)));
            match client.send::<IgnoredAny>(Method::DELETE, &path, &json!({}), &what).await {
                // Somebody else took it away.
                Ok(_) | Err(RemoteError::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let reason = if is_done { "completed" } else { "reopened" };
        let is_closed = there.state == "closed";
        let is_otherwise = there.state_reason.as_deref().is_some_and(|is| is != "completed");
        if is_done != is_closed || (is_done && is_otherwise) {
            let state = if is_done { "closed" } else { "open" };
            let body = json!({ "state": state, "state_reason": reason });
            there = client.send(Method::PATCH, &issue_path(of, ""), &body, &what).await?;
        }
        Ok(delivered(&there))
    }

    async fn make(&self, repo: &RepoName, effect: &Effect) -> Result<Delivered, DeliveryError> {
        let Creation { title, body, status } = effect.read()?;
        let what = format!("repository {repo}");
        // One that is closed at once takes two steps, and may have broken off between them.
        let is_done = status == TaskStatus::Done;
        let before = if is_done { self.made(repo, &effect.key).await? } else { None };
        let made = if let Some(made) = before {
            made
        } else {
            let labels: Vec<&str> = status::label(status, self.settings()).into_iter().collect();
            let body =
                json!({ "title": title, "body": marked(&body, &effect.key), "labels": labels });
            self.client().send(Method::POST, &path_of(repo, "/issues"), &body, &what).await?
        };
        if is_done {
            let of = Numbered { repo: repo.clone(), number: made.number };
            return self.move_to(&of, TaskStatus::Done).await;
        }
        Ok(delivered(&made))
    }

    /// The issue with this mark, among the newest.
    async fn made(&self, repo: &RepoName, key: &str) -> Result<Option<Issue>, RemoteError> {
        let mark = mark(key);
        let order = format!("/issues?state=all&sort=created&direction=desc&per_page={PAGE}");
        let issues: Vec<Issue> =
            self.client().get(&path_of(repo, &order), &format!("repository {repo}")).await?;
        let ours = |issue: &Issue| issue.body.as_deref().is_some_and(|body| body.contains(&mark));
        Ok(issues.into_iter().find(ours))
    }

    async fn rewrite(&self, of: &Numbered, effect: &Effect) -> Result<Delivered, DeliveryError> {
        let Change { title, body } = effect.read()?;
        let mut said = Map::new();
        said.extend(title.map(|title| ("title".to_owned(), json!(title))));
        said.extend(body.map(|body| ("body".to_owned(), json!(marked(&body, &effect.key)))));
        let (path, what) = (issue_path(of, ""), format!("issue {of}"));
        let there: Issue = self.client().send(Method::PATCH, &path, &said.into(), &what).await?;
        Ok(delivered(&there))
    }
}

fn delivered(issue: &Issue) -> Delivered {
    Delivered { id: issue.number.to_string(), url: issue.html_url.clone() }
}

fn issue(effect: &Effect) -> Result<Numbered, DeliveryError> {
    Numbered::parse(&effect.target).ok_or_else(|| DeliveryError::never("its target is no issue"))
}

fn repo(effect: &Effect) -> Result<RepoName, DeliveryError> {
    RepoName::parse(&effect.target)
        .ok_or_else(|| DeliveryError::never("its target is no repository"))
}
