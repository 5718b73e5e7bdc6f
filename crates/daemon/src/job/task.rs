//! What can become of a task.

use headsup_core::id::AgentId;
use headsup_core::work::task::{TaskId, TaskStatus};

/// An act on a task of the hub's own tracker, or on what ties an agent to a task.
#[derive(Debug)]
pub(crate) enum TaskAct {
    /// A new one; its number is the next of the prefix.
    Create {
        prefix: String,
        title: String,
        body: Option<String>,
        status: TaskStatus,
    },
    /// What is left out stays.
    Change {
        id: TaskId,
        title: Option<String>,
        body: Option<String>,
        status: Option<TaskStatus>,
    },
    Comment {
        id: TaskId,
        body: String,
        author: Option<AgentId>,
    },
    /// The task that an agent works on, by its identifier. One of another system has been looked at.
    Link {
        agent: AgentId,
        task: String,
    },
    /// The agent's task and workflow are done: comment, status, stage and link in one.
    Complete {
        agent: AgentId,
        comment: String,
        pr_url: Option<String>,
        mark_done: bool,
    },
    /// The agent's work waits for a reviewer.
    Review {
        agent: AgentId,
        comment: String,
        summary: String,
        pr_url: String,
    },
}
