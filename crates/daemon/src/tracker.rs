//! Task trackers: who keeps the tasks. One small trait, and one suite of tests that each keeps.

#[cfg(test)]
pub(crate) mod contract;
mod local;
mod outbox;
mod read_back;
mod refused;
mod settings;
mod trackers;

pub(crate) use local::Local;
pub(crate) use outbox::{Change, Creation, Outbox};
pub(crate) use read_back::{Known, unread};
pub use settings::{RepositorySettings, TrackerSettings};
pub(crate) use trackers::Trackers;

use crate::effects::Standing;
use crate::job::Key;
use futures_util::future::BoxFuture;
use headsup_core::id::AgentId;
use headsup_core::wire::{CommentDoc, EffectDoc, TaskDoc};
use headsup_core::work::task::TaskStatus;

/// The hub's own tracker, by name.
pub(crate) const LOCAL: &str = "local";

/// A task to be made.
#[derive(Clone, Debug)]
pub(crate) struct NewTask {
    /// The first part of its identifier, for a tracker whose identifiers have one.
    pub(crate) prefix: String,
    pub(crate) title: String,
    pub(crate) body: Option<String>,
    pub(crate) status: TaskStatus,
}

/// What is left out stays.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskChange {
    pub(crate) title: Option<String>,
    pub(crate) body: Option<String>,
    pub(crate) status: Option<TaskStatus>,
}

/// A comment to be posted.
#[derive(Clone, Debug)]
pub(crate) struct NewComment {
    /// Markdown.
    pub(crate) body: String,
    pub(crate) author: Option<AgentId>,
}

/// Why a tracker did not do it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TrackerError {
    #[error("there is no task {0:?}")]
    NoSuchTask(String),
    #[error("this request was made before, with another body")]
    AnotherRequest,
    #[error("{0}")]
    Refused(crate::job::Refusal),
    #[error("the tasks cannot be read")]
    Unreadable,
    /// One of them, and why.
    #[error("{0}")]
    Broken(String),
    #[error("{0}")]
    Remote(crate::outgoing::RemoteError),
    #[error("it waits to be done{}", .0.as_deref().map(|why| format!(": {why}")).unwrap_or_default())]
    Queued(Option<String>),
    #[error("it is not done, by the settings ({0})")]
    Skipped(String),
    #[error("it could not be done: {0}")]
    Failed(String),
    #[error("{0}")]
    NotConfigured(String),
}

/// A comment that was posted, or is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Commented {
    pub(crate) comment: CommentDoc,
    /// On its way to another system.
    pub(crate) effect: Option<EffectDoc>,
    /// It stands there, and could not be read back.
    pub(crate) note: Option<String>,
}

impl TrackerError {
    /// Why an effect is not done; `None`: it is.
    pub(crate) fn of_undone(standing: Standing) -> Option<Self> {
        match standing {
            Standing::Done { .. } => None,
            Standing::Queued { why } => Some(Self::Queued(why)),
            Standing::Skipped { reason } => Some(Self::Skipped(reason)),
            Standing::Failed { reason, .. } => Some(Self::Failed(reason)),
        }
    }
}

impl From<crate::outgoing::RemoteError> for TrackerError {
    fn from(error: crate::outgoing::RemoteError) -> Self {
        Self::Remote(error)
    }
}

pub(crate) type Asked<'a, T> = BoxFuture<'a, Result<T, TrackerError>>;

/// Whoever keeps tasks. What changes something takes the key of the request: the same key again has no
/// second effect, and answers what the first one made.
pub(crate) trait Tracker: Send + Sync + std::fmt::Debug {
    /// The task with its comments.
    fn get<'a>(&'a self, identifier: &'a str) -> Asked<'a, TaskDoc>;
    /// Tasks without comments, the last changed first.
    fn list(&self, status: Option<TaskStatus>, most: u32) -> Asked<'_, Vec<TaskDoc>>;
    fn create(&self, new: NewTask, key: Option<Key>) -> Asked<'_, TaskDoc>;
    fn change<'a>(
        &'a self,
        identifier: &'a str,
        change: TaskChange,
        key: Option<Key>,
    ) -> Asked<'a, TaskDoc>;
    fn comment<'a>(
        &'a self,
        identifier: &'a str,
        comment: NewComment,
        key: Option<Key>,
    ) -> Asked<'a, Commented>;
}
