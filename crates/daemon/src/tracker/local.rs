//! The hub's own tracker: tasks in its store, by the single writer.

use super::{Asked, Commented, NewComment, NewTask, TaskChange, Tracker, TrackerError};
use crate::inbox::Inbox;
use crate::job::{Key, Refusal, Reply, TaskAct, Work};
use crate::store::{Reader, StoreError};
use headsup_core::wire::TaskDoc;
use headsup_core::work::task::{TaskId, TaskStatus};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(crate) struct Local {
    inbox: Inbox,
    reader: Arc<Reader>,
}

impl Local {
    pub(crate) fn new(inbox: Inbox, reader: Arc<Reader>) -> Self {
        Self { inbox, reader }
    }

    async fn act(&self, act: TaskAct, key: Option<Key>) -> Result<Reply, TrackerError> {
        let done = self.inbox.submit(Work::Task(Box::new(act)), key).await;
        done.map_err(|refusal| match refusal {
            Refusal::IdConflict => TrackerError::AnotherRequest,
            other => TrackerError::Refused(other),
        })
    }

    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Reader) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, TrackerError> {
        self.reader.run(read).await.map_err(|error| {
            tracing::error!(%error, "the tasks cannot be read");
            match error {
                StoreError::Row { .. } => TrackerError::Broken(error.to_string()),
                _ => TrackerError::Unreadable,
            }
        })
    }

    async fn task(&self, identifier: &str) -> Result<TaskDoc, TrackerError> {
        let id = id(identifier)?;
        let found = self.read(move |reader| reader.task(&id)).await?;
        found.ok_or_else(|| TrackerError::NoSuchTask(identifier.to_owned()))
    }
}

impl Tracker for Local {
    fn get<'a>(&'a self, identifier: &'a str) -> Asked<'a, TaskDoc> {
        Box::pin(self.task(identifier))
    }

    fn list(&self, status: Option<TaskStatus>, most: u32) -> Asked<'_, Vec<TaskDoc>> {
        Box::pin(self.read(move |reader| reader.tasks(status, most)))
    }

    fn create(&self, new: NewTask, key: Option<Key>) -> Asked<'_, TaskDoc> {
        Box::pin(async move {
            let NewTask { prefix, title, body, status } = new;
            let request = key.as_ref().map(|key| key.id.clone());
            let made = self.act(TaskAct::Create { prefix, title, body, status }, key).await?;
            let identifier = match (made, request) {
                (Reply::Made { id }, _) => Some(id),
                (_, Some(request)) => self.read(move |reader| reader.task_of(&request)).await?,
                _ => None,
            };
            self.task(&identifier.ok_or(TrackerError::AnotherRequest)?).await
        })
    }

    fn change<'a>(
        &'a self,
        identifier: &'a str,
        change: TaskChange,
        key: Option<Key>,
    ) -> Asked<'a, TaskDoc> {
        Box::pin(async move {
            let TaskChange { title, body, status } = change;
            let id = id(identifier)?;
            self.act(TaskAct::Change { id, title, body, status }, key).await?;
            self.task(identifier).await
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
            let request = key.as_ref().map(|key| key.id.clone());
            let act = TaskAct::Comment { id: id(identifier)?, body, author };
            let made = self.act(act, key).await?;
            let found = match (made, request) {
                (Reply::Made { id: made }, _) => {
                    let comments = self.task(identifier).await?.comments.unwrap_or_default();
                    comments.into_iter().find(|comment| comment.id == made)
                }
                (_, Some(request)) => self.read(move |reader| reader.comment_of(&request)).await?,
                _ => None,
            };
            let comment = found.ok_or(TrackerError::AnotherRequest)?;
            Ok(Commented { comment, effect: None, note: None })
        })
    }
}

fn id(identifier: &str) -> Result<TaskId, TrackerError> {
    TaskId::parse(identifier).ok_or_else(|| TrackerError::NoSuchTask(identifier.to_owned()))
}
