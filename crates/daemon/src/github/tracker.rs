//! Issues as tasks: read from the host, changed through the outbox.

use super::client::PAGE;
use super::documents::{Comment, Issue};
use super::{GITHUB, GitHub, issue_path, path_of, status};
use crate::effects::{Effects, Standing};
use crate::job::Key;
use crate::outgoing::{RemoteError, encode};
use crate::tracker::{
    Asked, Commented, Known, NewComment, NewTask, Outbox, TaskChange, Tracker, TrackerError, unread,
};
use headsup_adapters::text;
use headsup_core::wire::{CommentDoc, TaskDoc};
use headsup_core::work::comment::without_mark;
use headsup_core::work::effect::EffectKind;
use headsup_core::work::remote::{Numbered, RepoName};
use headsup_core::work::task::TaskStatus;
use std::sync::Arc;

/// Characters of a text.
const LONGEST: usize = 20_000;
/// Pages of comments that are shown.
const PAGES: u32 = 3;

/// The issues of one repository; of any that is named whole.
#[derive(Clone, Debug)]
pub(crate) struct Issues {
    github: GitHub,
    outbox: Outbox,
    /// Where a new one is made, and which are listed.
    repo: RepoName,
}

impl Issues {
    pub(crate) fn new(github: GitHub, effects: Arc<Effects>, repo: RepoName) -> Self {
        Self { github, outbox: Outbox::new(effects, GITHUB), repo }
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
        let effects = self.outbox.undone(&of.to_string()).await?;
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
            let target = self.repo.to_string();
            let (new, row, id) = self.outbox.create(target, new, key.as_ref()).await?;
            let number = id.parse().map_err(|_| TrackerError::Unreadable)?;
            let of = Numbered { repo: self.repo.clone(), number };
            let known = Known::made(of.to_string(), new, GITHUB);
            self.task(&of).await.or_else(|error| known.told(vec![row], error))
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
            let identifier = of.to_string();
            let acts = self.outbox.change(&identifier, &change, key.as_ref()).await?;
            let known = Known::changed(identifier, change, GITHUB);
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
            let row = self.outbox.send(of.to_string(), kind, body.clone(), key.as_ref()).await?;
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
