//! What a web hook has told.

use headsup_core::time::UnixMs;
use headsup_core::wire::HeardDoc;
use headsup_core::work::task::TaskStatus;
use std::sync::Arc;

/// One delivery.
#[derive(Debug)]
pub(crate) struct Heard {
    /// As it is kept; what comes of it is filled in.
    pub(crate) doc: HeardDoc,
    /// Its signature was right.
    pub(crate) signed: bool,
    pub(crate) told: Told,
}

#[derive(Debug)]
pub(crate) enum Told {
    /// Nothing that has an effect; why, stands in the document.
    Nothing,
    Comment(CommentThere),
    Task(TaskThere),
}

/// Somebody has commented a task.
#[derive(Debug)]
pub(crate) struct CommentThere {
    pub(crate) id: String,
    pub(crate) action: String,
    pub(crate) body: String,
    pub(crate) author: String,
    pub(crate) is_bot: bool,
    pub(crate) created_at: UnixMs,
    /// Where it stands: at most one reply of ours goes there.
    pub(crate) thread: String,
    pub(crate) task: TaskThere,
    /// Whose comments may answer.
    pub(crate) authors: Arc<[String]>,
    /// Whoever tried to answer, and did not, gets a polite word.
    pub(crate) replies: bool,
    /// When it was received, on the wall clock.
    pub(crate) received: UnixMs,
}

/// A task as its tracker tells it.
#[derive(Clone, Debug)]
pub(crate) struct TaskThere {
    /// The tracker's name.
    pub(crate) provider: &'static str,
    pub(crate) id: String,
    pub(crate) identifier: String,
    pub(crate) title: String,
    /// Nothing: a word that means nothing here.
    pub(crate) status: Option<TaskStatus>,
    /// The tracker's own moment of it.
    pub(crate) version: Option<UnixMs>,
    /// What it was told by: the same again is the same.
    pub(crate) digest: String,
}

impl TaskThere {
    /// What links that mean it are called, apart from the case of letters.
    pub(crate) fn links(&self) -> [String; 4] {
        let Self { provider, id, identifier, .. } = self;
        let there = |name: &str| format!("{provider}:{name}");
        [identifier.clone(), id.clone(), there(identifier), there(id)]
    }

    /// Whether a link of this name means it.
    pub(crate) fn is(&self, link: &str) -> bool {
        let name = match link.split_once(':') {
            None => link,
            Some((provider, target)) if provider == self.provider => target,
            Some(_) => return false,
        };
        name.eq_ignore_ascii_case(&self.identifier) || name == self.id
    }
}
