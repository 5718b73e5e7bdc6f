//! Tasks and what was said of them.

use super::{Reader, StoreError};
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
    let sql = "SELECT doc FROM tasks WHERE id = ?1";
    let mut select = connection.prepare_cached(sql)?;
    let doc: Option<String> = select.query_row([id.to_string()], |row| row.get(0)).optional()?;
    doc.map(|doc| Ok(serde_json::from_str(&doc)?)).transpose()
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

impl Reader {
    /// The task with all of its comments.
    pub(crate) fn task(&self, id: &TaskId) -> Result<Option<TaskDoc>, StoreError> {
        self.with(|connection| {
            let Some(task) = task(connection, id)? else { return Ok(None) };
            let sql = "SELECT doc FROM task_comments WHERE task = ?1 ORDER BY number";
            let mut select = connection.prepare_cached(sql)?;
            let comments = docs(select.query_map([&task.identifier], doc)?)?;
            Ok(Some(TaskDoc { comments: Some(comments), ..task }))
        })
    }

    /// Tasks without comments, the last changed first.
    pub(crate) fn tasks(
        &self,
        status: Option<TaskStatus>,
        most: u32,
    ) -> Result<Vec<TaskDoc>, StoreError> {
        self.with(|connection| {
            let sql = "SELECT doc FROM tasks WHERE ?1 IS NULL OR doc ->> '$.status' = ?1
                       ORDER BY updated_at DESC, prefix, number DESC LIMIT ?2";
            let mut select = connection.prepare_cached(sql)?;
            docs(select.query_map(params![status.map(TaskStatus::word), most], doc)?)
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
            let sql = "SELECT doc FROM task_comments WHERE request = ?1";
            let found: Option<String> =
                connection.query_row(sql, [request], |row| row.get(0)).optional()?;
            found.map(|doc| Ok(serde_json::from_str(&doc)?)).transpose()
        })
    }
}

fn doc(row: &Row<'_>) -> rusqlite::Result<String> {
    row.get(0)
}

fn docs<T: serde::de::DeserializeOwned>(
    rows: impl Iterator<Item = rusqlite::Result<String>>,
) -> Result<Vec<T>, StoreError> {
    rows.map(|json| Ok(serde_json::from_str(&json?)?)).collect()
}
