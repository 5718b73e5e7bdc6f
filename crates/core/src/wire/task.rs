//! Tasks as clients see them, and what they say of them.

use super::{EffectDoc, SCHEMA};
use crate::id::AgentId;
use crate::time::UnixMs;
use crate::work::task::TaskStatus;
use serde::{Deserialize, Serialize};

/// One task, by whatever tracker keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TaskDoc {
    /// What people call it: `APP-12`.
    pub identifier: String,
    pub title: String,
    pub status: TaskStatus,
    /// The tracker's own word, where none of ours says the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub unmapped_status: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub body: Option<String>,
    /// Oldest first. Left out in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub comments: Option<Vec<CommentDoc>>,
    /// What was to be done to it at another system and is not done: it waits, was skipped or failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<EffectDoc>,
    /// What was asked for is on its way or done, and the tracker could not be asked how the task is now: the
    /// rest is what was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub note: Option<String>,
    /// The tracker: `local` is the hub's own.
    pub provider: String,
    pub created_at: UnixMs,
    pub updated_at: UnixMs,
}

/// What somebody has said of a task. Markdown, as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CommentDoc {
    pub id: String,
    pub body: String,
    /// The agent's id, or whom another tracker names; nothing: a person.
    pub author: Option<String>,
    pub created_at: UnixMs,
}

/// Tasks, the last changed first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TasksDoc {
    pub schema: u32,
    pub tasks: Vec<TaskDoc>,
}

/// One comment as a document of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OneCommentDoc {
    pub schema: u32,
    /// How it stands with it where it goes to another system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub effect: Option<EffectDoc>,
    /// It is said, and could not be read back: the rest is what was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub note: Option<String>,
    #[serde(flatten)]
    pub comment: CommentDoc,
}

/// One task as a document of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OneTaskDoc {
    pub schema: u32,
    #[serde(flatten)]
    pub task: TaskDoc,
}

impl From<TaskDoc> for OneTaskDoc {
    fn from(task: TaskDoc) -> Self {
        Self { schema: SCHEMA, task }
    }
}

/// The task that an agent works on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AgentTaskDoc {
    pub schema: u32,
    pub agent_id: AgentId,
    pub has_task: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub task: Option<TaskDoc>,
    /// Why the task cannot be told now: whoever keeps it does not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub unreachable: Option<String>,
}

/// The body of `POST /api/v1/tasks`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewTaskBody {
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// `todo` where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The first part of its identifier; else the folder's repository gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// Where the work is: an absolute path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// The body of `PATCH /api/v1/tasks/{identifier}`: what is left out stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TaskChangeBody {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// The body of a new comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CommentBody {
    /// Markdown.
    pub comment: String,
}

/// The body of `PUT /api/v1/agents/{id}/task`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct LinkBody {
    pub task_identifier: String,
}

/// The body of `POST /api/v1/agents/{id}/task/status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TaskStatusBody {
    /// `todo`, `in_progress`, `in_review` or `done`.
    pub status: String,
}

/// The body of `POST /api/v1/agents/{id}/task/complete`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CompleteBody {
    pub summary: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr_url: Option<String>,
    /// The task becomes `done`, too.
    #[serde(default = "yes")]
    pub mark_issue_done: bool,
}

fn yes() -> bool {
    true
}

/// The body of `POST /api/v1/agents/{id}/review`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ReviewBody {
    pub pr_url: String,
    pub summary: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes_for_reviewer: Option<String>,
}
