//! Tasks and what was said of them.

use super::unreadable::{json, name};
use super::{Reader, StoreError, Unreadable};
use headsup_core::wire::{CommentDoc, TaskDoc};
use headsup_core::work::task::{TaskId, TaskStatus};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

/// A task to be written, new or over the old one.
#[derive(Clone, Debug)]
pub(crate) struct TaskRow {
    pub(crate) id: TaskId,
    /// The request that made it.
    pub(crate) request: Option<String>,
    /// Without comments.
    pub(crate) doc: TaskDoc,
}

/// A new comment.
#[derive(Clone, Debug)]
pub(crate) struct CommentRow {
    /// The task's identifier.
    pub(crate) task: String,
    pub(crate) number: u32,
    pub(crate) request: Option<String>,
    pub(crate) doc: CommentDoc,
}

pub(super) fn write(
    connection: &Connection,
    tasks: &[&TaskRow],
    comments: &[CommentRow],
) -> Result<(), StoreError> {
    for TaskRow { id, request, doc } in tasks {
        let sql = "INSERT INTO tasks (id, prefix, number, updated_at, request, doc)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                   ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at, doc = excluded.doc";
        let json = serde_json::to_string(doc)?;
        let row = params![doc.identifier, id.prefix, id.number, doc.updated_at.0, request, json];
        connection.prepare_cached(sql)?.execute(row)?;
    }
    for CommentRow { task, number, request, doc } in comments {
        let sql = "INSERT INTO task_comments (task, number, request, doc) VALUES (?1, ?2, ?3, ?4)";
        let json = serde_json::to_string(doc)?;
        connection.prepare_cached(sql)?.execute(params![task, number, request, json])?;
    }
    Ok(())
}

/// The task, without comments.
pub(crate) fn task(connection: &Connection, id: &TaskId) -> Result<Option<TaskDoc>, StoreError> {
    let sql = "SELECT id, doc FROM tasks WHERE id = ?1";
    let mut select = connection.prepare_cached(sql)?;
    let mut rows = select.query([id.to_string()])?;
    rows.next()?.map(task_in).transpose()
}

/// The last number of a prefix; 0 where there is none.
pub(crate) fn last_number(connection: &Connection, prefix: &str) -> Result<u32, StoreError> {
    let sql = "SELECT COALESCE(MAX(number), 0) FROM tasks WHERE prefix = ?1";
    Ok(connection.prepare_cached(sql)?.query_row([prefix], |row| row.get(0))?)
}

/// The number of a task's last comment; 0 where there is none.
pub(crate) fn last_comment(connection: &Connection, task: &str) -> Result<u32, StoreError> {
    let sql = "SELECT COALESCE(MAX(number), 0) FROM task_comments WHERE task = ?1";
    Ok(connection.prepare_cached(sql)?.query_row([task], |row| row.get(0))?)
}

/// Meets what cannot be read of them.
pub(super) fn look_through(
    connection: &Connection,
    unreadable: &Unreadable,
) -> Result<(), StoreError> {
    let mut select = connection.prepare("SELECT id, doc FROM tasks")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        unreadable.leave_out(task_in(row))?;
    }
    let mut select = connection.prepare("SELECT task, number, doc FROM task_comments")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        unreadable.leave_out(comment_in(row))?;
    }
    Ok(())
}

impl Reader {
    /// The task with all of its comments.
    pub(crate) fn task(&self, id: &TaskId) -> Result<Option<TaskDoc>, StoreError> {
        self.with(|connection| {
            let Some(task) = task(connection, id)? else { return Ok(None) };
            let sql = "SELECT task, number, doc FROM task_comments WHERE task = ?1 ORDER BY number";
            let mut select = connection.prepare_cached(sql)?;
            let mut rows = select.query([id.to_string()])?;
            let mut comments = Vec::new();
            while let Some(row) = rows.next()? {
                comments.extend(self.unreadable.leave_out(comment_in(row))?);
            }
            Ok(Some(TaskDoc { comments: Some(comments), ..task }))
        })
    }

    /// Tasks without comments, the last changed first; all that can be read.
    pub(crate) fn tasks(
        &self,
        status: Option<TaskStatus>,
        most: u32,
    ) -> Result<Vec<TaskDoc>, StoreError> {
        self.with(|connection| {
            // To look into a text that is no JSON ends the whole statement.
            let sql = "SELECT id, doc FROM tasks
                       WHERE CASE WHEN ?1 IS NULL OR NOT json_valid(doc) THEN 1
                             ELSE doc ->> '$.status' = ?1 END
                       ORDER BY updated_at DESC, prefix, number DESC";
            let mut select = connection.prepare_cached(sql)?;
            let mut rows = select.query([status.map(TaskStatus::word)])?;
            let mut tasks = Vec::new();
            while tasks.len() < most as usize
                && let Some(row) = rows.next()?
            {
                tasks.extend(self.unreadable.leave_out(task_in(row))?);
            }
            Ok(tasks)
        })
    }

    /// What a request has made: the task, or the task that it commented and the comment.
    pub(crate) fn task_of(&self, request: &str) -> Result<Option<String>, StoreError> {
        self.with(|connection| {
            let sql = "SELECT id FROM tasks WHERE request = ?1";
            Ok(connection.query_row(sql, [request], |row| row.get(0)).optional()?)
        })
    }

    /// The comment that a request has made.
    pub(crate) fn comment_of(&self, request: &str) -> Result<Option<CommentDoc>, StoreError> {
        self.with(|connection| {
            let sql = "SELECT task, number, doc FROM task_comments WHERE request = ?1";
            let mut select = connection.prepare_cached(sql)?;
            let mut rows = select.query([request])?;
            rows.next()?.map(comment_in).transpose()
        })
    }
}

fn task_in(row: &Row<'_>) -> Result<TaskDoc, StoreError> {
    let id = name(row)?;
    json(row, 1, || format!("task {id}"))
}

fn comment_in(row: &Row<'_>) -> Result<CommentDoc, StoreError> {
    let (task, number): (String, i64) = (name(row)?, row.get(1)?);
    json(row, 2, || format!("comment {task}/{number}"))
}
