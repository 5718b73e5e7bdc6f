//! Issues as tasks: read from the host, changed through the outbox.

use super::client::PAGE;
use super::courier::{ChangedIssue, NewIssue};
use super::documents::{Comment, Issue};
use super::{GITHUB, GitHub, issue_path, path_of, status};
use crate::effects::{Effect, Effects, Standing, key_of};
use crate::job::{Key, Refusal};
use crate::outgoing::{RemoteError, encode, left_for_acts};
use crate::store::effects::EffectRow;
use crate::tracker::{
    Asked, Commented, Known, NewComment, NewTask, TaskChange, Tracker, TrackerError, unread,
};
use headsup_adapters::text;
use headsup_core::wire::{CommentDoc, EffectDoc, TaskDoc};
use headsup_core::work::comment::without_mark;
use headsup_core::work::effect::EffectKind;
use headsup_core::work::remote::{Numbered, RepoName};
use headsup_core::work::task::TaskStatus;
use serde::Serialize;
use std::sync::Arc;

/// Characters of a text.
const LONGEST: usize = 20_000;
/// Pages of comments that are shown.
const PAGES: u32 = 3;

/// The issues of one repository; of any that is named whole.
#[derive(Clone, Debug)]
pub(crate) struct Issues {
    github: GitHub,
    effects: Arc<Effects>,
    /// Where a new one is made, and which are listed.
    repo: RepoName,
}

impl Issues {
    pub(crate) fn new(github: GitHub, effects: Arc<Effects>, repo: RepoName) -> Self {
        Self { github, effects, repo }
    }

    async fn task(&self, of: &Numbered) -> Result<TaskDoc, TrackerError> {
        let issue = self.github.issue(of).await.map_err(|error| unknown(error, of))?;
        if issue.pull_request.is_some() {
            return Err(TrackerError::NoSuchTask(of.to_string()));
        }
        let mut comments = Vec::new();
        for page in 1..=PAGES {
            let path = issue_path(of, &format!("/comments?per_page={PAGE}&page={page}"));
            let some: Vec<Comment> =
                self.github.client().get(&path, &format!("issue {of}")).await?;
            let is_last = some.len() < PAGE as usize;
            comments.extend(some.into_iter().map(comment));
            if is_last {
                break;
            }
        }
        let undone = self.effects.undone(GITHUB, &of.to_string()).await;
        let undone = undone.map_err(TrackerError::Refused)?;
        let effects = undone.into_iter().map(EffectDoc::from).collect();
        Ok(TaskDoc { comments: Some(comments), effects, ..self.doc(issue, &of.repo) })
    }

    async fn listed(
        &self,
        wanted: Option<TaskStatus>,
        most: u32,
    ) -> Result<Vec<TaskDoc>, TrackerError> {
        let state = match wanted {
            Some(TaskStatus::Done) => "closed",
            Some(_) => "open",
            None => "all",
        };
        let label = wanted.and_then(|wanted| status::label(wanted, self.github.settings()));
        let label = label.map(|label| format!("&labels={}", encode(label))).unwrap_or_default();
        let (mut tasks, what) = (Vec::new(), format!("repository {}", self.repo));
        for page in 1.. {
            let query = format!(
                "/issues?state={state}{label}&sort=updated&direction=desc&per_page={PAGE}&page={page}"
            );
            let issues: Vec<Issue> =
                self.github.client().get(&path_of(&self.repo, &query), &what).await?;
            let is_last = issues.len() < PAGE as usize;
            let issues = issues.into_iter().filter(|issue| issue.pull_request.is_none());
            let docs = issues.map(|issue| self.doc(issue, &self.repo));
            tasks.extend(docs.filter(|task| wanted.is_none_or(|wanted| task.status == wanted)));
            if is_last || tasks.len() >= most as usize {
                break;
            }
        }
        tasks.truncate(most as usize);
        Ok(tasks)
    }

    /// Without comments.
    fn doc(&self, issue: Issue, repo: &RepoName) -> TaskDoc {
        let (status, unmapped_status) = status::of(&issue, self.github.settings());
        let body = without_mark(issue.body.as_deref().unwrap_or_default());
        TaskDoc {
            identifier: Numbered { repo: repo.clone(), number: issue.number }.to_string(),
            title: text::line(&issue.title, text::TITLE),
            status,
            unmapped_status: unmapped_status.map(|word| text::line(&word, text::NAME)),
            url: issue.html_url,
            body: Some(text::block(body, LONGEST)).filter(|body| !body.is_empty()),
            comments: None,
            effects: Vec::new(),
            note: None,
            provider: GITHUB.to_owned(),
            created_at: issue.created_at,
            updated_at: issue.updated_at,
        }
    }

    /// Has it done, and waits for that. The same request again is the same effect.
    async fn send(
        &self,
        target: String,
        kind: EffectKind,
        body: String,
        request: Option<&Key>,
    ) -> Result<EffectRow, TrackerError> {
        let key = key_of(request, kind.word());
        let effect = Effect { provider: GITHUB.to_owned(), target, kind, body, key };
        let sent = self.effects.send(effect, request, left_for_acts()).await;
        let row = sent.map_err(|refusal| match refusal {
            Refusal::IdConflict => TrackerError::AnotherRequest,
            other => TrackerError::Refused(other),
        })?;
        match row.standing {
            Standing::Failed { reason, .. } => Err(TrackerError::Failed(reason)),
            _ => Ok(row),
        }
    }

    async fn said(&self, of: &Numbered, id: &str) -> Result<CommentDoc, TrackerError> {
        let path = path_of(&of.repo, &format!("/issues/comments/{}", encode(id)));
        let said: Comment = self.github.client().get(&path, &format!("comment {id}")).await?;
        Ok(comment(said))
    }
}

impl Tracker for Issues {
    fn get<'a>(&'a self, identifier: &'a str) -> Asked<'a, TaskDoc> {
        Box::pin(async move { self.task(&named(identifier)?).await })
    }

    fn list(&self, status: Option<TaskStatus>, most: u32) -> Asked<'_, Vec<TaskDoc>> {
        Box::pin(self.listed(status, most))
    }

    fn create(&self, new: NewTask, key: Option<Key>) -> Asked<'_, TaskDoc> {
        Box::pin(async move {
            let NewTask { title, body, status, .. } = new;
            let body = body.unwrap_or_default();
            let new = json(&NewIssue { title: title.clone(), body: body.clone(), status })?;
            let target = self.repo.to_string();
            let row = self.send(target, EffectKind::TaskCreate, new, key.as_ref()).await?;
            match row.standing.clone() {
                Standing::Done { id, .. } => {
                    let number = id.parse().map_err(|_| TrackerError::Unreadable)?;
                    let of = Numbered { repo: self.repo.clone(), number };
                    let (title, body, status) = (Some(title), Some(body), Some(status));
                    let identifier = of.to_string();
                    let known = Known { identifier, title, body, status, provider: GITHUB };
                    self.task(&of).await.or_else(|error| known.told(vec![row], error))
                }
                Standing::Skipped { reason } => Err(TrackerError::Skipped(reason)),
                Standing::Queued { why } => Err(TrackerError::Queued(why)),
                Standing::Failed { reason, .. } => Err(TrackerError::Failed(reason)),
            }
        })
    }

    fn change<'a>(
        &'a self,
        identifier: &'a str,
        change: TaskChange,
        key: Option<Key>,
    ) -> Asked<'a, TaskDoc> {
        Box::pin(async move {
            let of = named(identifier)?;
            let TaskChange { title, body, status } = change;
            let mut acts = Vec::new();
            if title.is_some() || body.is_some() {
                let changed = json(&ChangedIssue { title: title.clone(), body: body.clone() })?;
                let kind = EffectKind::TaskChange;
                acts.push(self.send(of.to_string(), kind, changed, key.as_ref()).await?);
            }
            if let Some(status) = status {
                let (word, kind) = (status.word().to_owned(), EffectKind::TaskStatus);
                acts.push(self.send(of.to_string(), kind, word, key.as_ref()).await?);
            }
            let identifier = of.to_string();
            let known = Known { identifier, title, body, status, provider: GITHUB };
            self.task(&of).await.or_else(|error| known.told(acts, error))
        })
    }

    fn comment<'a>(
        &'a self,
        identifier: &'a str,
        comment: NewComment,
        key: Option<Key>,
    ) -> Asked<'a, Commented> {
        Box::pin(async move {
            let of = named(identifier)?;
            let NewComment { body, author } = comment;
            let kind = EffectKind::Comment;
            let row = self.send(of.to_string(), kind, body.clone(), key.as_ref()).await?;
            let (id, said) = match &row.standing {
                Standing::Done { id, .. } => (id, Some(self.said(&of, id).await)),
                _ => (&row.effect.key, None),
            };
            let id = id.clone();
            let author = author.map(|author| author.as_str().to_owned());
            let known = CommentDoc { id, body, author, created_at: row.made_at };
            let (comment, note) = match said {
                Some(Ok(said)) => (said, None),
                Some(Err(error)) => (known, Some(unread(&error))),
                None => (known, None),
            };
            Ok(Commented { comment, effect: Some(row.into()), note })
        })
    }
}

fn comment(said: Comment) -> CommentDoc {
    let body = without_mark(said.body.as_deref().unwrap_or_default());
    CommentDoc {
        id: said.id.to_string(),
        body: text::block(body, LONGEST),
        author: said.user.map(|user| text::line(&user.login, text::NAME)),
        created_at: said.created_at,
    }
}

fn named(identifier: &str) -> Result<Numbered, TrackerError> {
    let unknown = || TrackerError::NoSuchTask(identifier.chars().take(100).collect());
    Numbered::parse(identifier).ok_or_else(unknown)
}

fn unknown(error: RemoteError, of: &Numbered) -> TrackerError {
    match error {
        RemoteError::NotFound { .. } => TrackerError::NoSuchTask(of.to_string()),
        error => TrackerError::Remote(error),
    }
}

fn json(value: &impl Serialize) -> Result<String, TrackerError> {
    serde_json::to_string(value).map_err(|_| TrackerError::Unreadable)
}
