//! Cards as tasks: read from the server, changed through the outbox. Without a key they are what web hooks
//! have told of them.

use super::documents::{Card, Said};
use super::{KANBANGER, Kanbanger, identifier};
use crate::effects::{Effects, Standing};
use crate::job::Key;
use crate::outgoing::RemoteError;
use crate::store::Reader;
use crate::tracker::{
    Asked, Commented, Known, NewComment, NewTask, Outbox, TaskChange, Tracker, TrackerError, unread,
};
use headsup_adapters::text;
use headsup_core::wire::{CommentDoc, TaskDoc};
use headsup_core::work::comment::without_mark;
use headsup_core::work::effect::EffectKind;
use headsup_core::work::task::{Keeper, TaskStatus};
use std::sync::Arc;

/// Characters of a text.
const LONGEST: usize = 20_000;
/// Where new cards come from, as what they are made at.
const NEW: &str = "cards";

#[derive(Clone, Debug)]
pub(crate) struct Cards {
    kanbanger: Kanbanger,
    outbox: Outbox,
    reader: Arc<Reader>,
}

impl Cards {
    pub(crate) fn new(kanbanger: Kanbanger, effects: Arc<Effects>, reader: Arc<Reader>) -> Self {
        Self { kanbanger, outbox: Outbox::new(effects, KANBANGER), reader }
    }

    async fn task(&self, name: &str) -> Result<TaskDoc, TrackerError> {
        let target = target(name)?;
        let effects = self.outbox.undone(target).await?;
        if !self.kanbanger.has_key() {
            return Ok(TaskDoc { effects, ..self.heard(target).await? });
        }
        let card = self.kanbanger.card(target).await.map_err(|error| unknown(error, name))?;
        let comments = self.kanbanger.comments(target).await?;
        let comments = comments.into_iter().map(Said::doc).collect();
        Ok(TaskDoc { comments: Some(comments), effects, ..doc(card) })
    }

    /// What web hooks have told of a card.
    async fn heard(&self, target: &str) -> Result<TaskDoc, TrackerError> {
        let name = target.to_owned();
        let heard = self.reader.run(move |reader| reader.heard_task(&name)).await;
        let heard = heard.map_err(|error| {
            tracing::error!(%error, "what web hooks have told cannot be read");
            TrackerError::Unreadable
        })?;
        match heard {
            Some(heard) => Ok(TaskDoc { identifier: identifier(&heard.identifier), ..heard }),
            None => Err(self.kanbanger.client().no_key().into()),
        }
    }

    async fn listed(
        &self,
        wanted: Option<TaskStatus>,
        most: u32,
    ) -> Result<Vec<TaskDoc>, TrackerError> {
        let word = wanted.map(|status| self.kanbanger.settings().word(status).to_owned());
        let cards = self.kanbanger.cards(&most.to_string(), word.as_deref()).await?;
        let mut tasks: Vec<TaskDoc> = cards.into_iter().map(doc).collect();
        tasks.retain(|task| wanted.is_none_or(|wanted| task.status == wanted));
        tasks.sort_by_key(|task| std::cmp::Reverse(task.updated_at));
        tasks.truncate(most as usize);
        Ok(tasks)
    }
}

impl Tracker for Cards {
    fn get<'a>(&'a self, identifier: &'a str) -> Asked<'a, TaskDoc> {
        Box::pin(self.task(identifier))
    }

    fn list(&self, status: Option<TaskStatus>, most: u32) -> Asked<'_, Vec<TaskDoc>> {
        Box::pin(self.listed(status, most))
    }

    fn create(&self, new: NewTask, key: Option<Key>) -> Asked<'_, TaskDoc> {
        Box::pin(async move {
            let (new, row, id) = self.outbox.create(NEW.to_owned(), new, key.as_ref()).await?;
            let identifier = identifier(&id);
            let read = self.task(&identifier).await;
            let known = Known::made(identifier, new, KANBANGER);
            read.or_else(|error| known.told(vec![row], error))
        })
    }

    fn change<'a>(
        &'a self,
        identifier: &'a str,
        change: TaskChange,
        key: Option<Key>,
    ) -> Asked<'a, TaskDoc> {
        Box::pin(async move {
            let target = target(identifier)?;
            let acts = self.outbox.change(target, &change, key.as_ref()).await?;
            let read = self.task(identifier).await;
            let known = Known::changed(identifier.to_owned(), change, KANBANGER);
            read.or_else(|error| known.told(acts, error))
        })
    }

    fn comment<'a>(
        &'a self,
        identifier: &'a str,
        comment: NewComment,
        key: Option<Key>,
    ) -> Asked<'a, Commented> {
        Box::pin(async move {
            let NewComment { body, author } = comment;
            let (target, kind) = (target(identifier)?, EffectKind::Comment);
            let row = self.outbox.send(target.to_owned(), kind, body.clone(), key.as_ref()).await?;
            let there = match &row.standing {
                Standing::Done { id, .. } => match self.kanbanger.comments(target).await {
                    Ok(comments) => Ok(comments.into_iter().find(|said| said.id == *id)),
                    Err(error) => Err(TrackerError::from(error)),
                },
                _ => Ok(None),
            };
            let known = || CommentDoc {
                id: match &row.standing {
                    // Some answer without an id.
                    Standing::Done { id, .. } if !id.is_empty() => id.clone(),
                    _ => row.effect.key.clone(),
                },
                body,
                author: author.map(|author| author.as_str().to_owned()),
                created_at: row.made_at,
            };
            let (comment, note) = match there {
                Ok(Some(said)) => (said.doc(), None),
                Ok(None) => (known(), None),
                Err(error) => (known(), Some(unread(&error))),
            };
            Ok(Commented { comment, effect: Some(row.into()), note })
        })
    }
}

/// Without comments.
fn doc(card: Card) -> TaskDoc {
    let body = without_mark(card.body.as_deref().unwrap_or_default());
    TaskDoc {
        identifier: identifier(&card.identifier),
        title: card.title,
        status: card.status.unwrap_or(TaskStatus::Todo),
        unmapped_status: card.unmapped,
        url: card.url,
        body: Some(text::block(body, LONGEST)).filter(|body| !body.is_empty()),
        comments: None,
        effects: Vec::new(),
        note: None,
        provider: KANBANGER.to_owned(),
        created_at: card.created_at,
        updated_at: card.updated_at,
    }
}

/// What a task is called there.
fn target(identifier: &str) -> Result<&str, TrackerError> {
    match Keeper::of(identifier) {
        Some(Keeper::There { provider: KANBANGER, target }) => Ok(target),
        _ => Err(TrackerError::NoSuchTask(identifier.chars().take(100).collect())),
    }
}

fn unknown(error: RemoteError, identifier: &str) -> TrackerError {
    match error {
        RemoteError::NotFound { .. } => TrackerError::NoSuchTask(identifier.to_owned()),
        error => TrackerError::Remote(error),
    }
}
