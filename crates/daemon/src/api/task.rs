//! `GET` and `PATCH /api/v1/tasks/{identifier}`: one task.

pub(super) mod comments;

use super::named::TaskPath;
use super::query::Query;
use super::reports::check_length;
use super::{App, Refused, asked};
use crate::tracker::{TaskChange, Tracker as _};
use axum::Json;
use axum::extract::{Request, State};
use axum::http::Uri;
use headsup_adapters::text;
use headsup_core::wire::{OneTaskDoc, Problem, TaskChangeBody};
use headsup_core::work::task::TaskStatus;
use std::sync::Arc;

/// Bodies of tasks and comments, in characters.
const LONGEST_BODY: usize = 20_000;

#[utoipa::path(
    get,
    path = "/api/v1/tasks/{identifier}",
    operation_id = "get_task",
    tag = "tasks",
    summary = "One task with its comments",
    params(
        ("identifier" = String, Path, description = "As `APP-12`, in any case, or `owner/name#12`"),
    ),
    responses(
        (status = 200, description = "The task", body = OneTaskDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    TaskPath(identifier): TaskPath,
    uri: Uri,
) -> Result<Json<OneTaskDoc>, Refused> {
    Query::parse(uri.query(), &[])?;
    let identifier = app.tracker.identifier(&identifier, None)?;
    Ok(Json(app.tracker.get(&identifier).await?.into()))
}

#[utoipa::path(
    patch,
    path = "/api/v1/tasks/{identifier}",
    operation_id = "change_task",
    tag = "tasks",
    summary = "Changes a task",
    params(
        ("identifier" = String, Path, description = "As `APP-12`, in any case, or `owner/name#12`"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = TaskChangeBody),
    responses(
        (status = 200, description = "The task as it is now", body = OneTaskDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn patch(
    State(app): State<Arc<App>>,
    TaskPath(identifier): TaskPath,
    request: Request,
) -> Result<Json<OneTaskDoc>, Refused> {
    let (said, key) = asked::read::<TaskChangeBody>(request).await?;
    if said == TaskChangeBody::default() {
        let detail = "a change says at least one of title, body and status";
        return Err(Refused::new(400, "bad_task", detail));
    }
    let change = TaskChange {
        title: said.title.as_deref().map(|title| title_of(title, "bad_task")).transpose()?,
        body: said.body.as_deref().map(body_of).transpose()?,
        status: said.status.as_deref().map(status).transpose()?,
    };
    let identifier = app.tracker.identifier(&identifier, None)?;
    Ok(Json(app.tracker.change(&identifier, change, key).await?.into()))
}

/// A title, cleaned; `bad` is the code of one that says nothing.
pub(super) fn title_of(title: &str, bad: &'static str) -> Result<String, Refused> {
    check_length("title", Some(title), text::TITLE)?;
    let title = text::line(title, text::TITLE);
    said("title", title, bad)
}

/// A body, cleaned; it may be empty.
pub(super) fn body_of(body: &str) -> Result<String, Refused> {
    check_length("body", Some(body), LONGEST_BODY)?;
    Ok(text::block(body, LONGEST_BODY))
}

/// A text that says something, cleaned.
pub(super) fn words_of(field: &'static str, words: &str) -> Result<String, Refused> {
    check_length(field, Some(words), LONGEST_BODY)?;
    said(field, text::block(words, LONGEST_BODY), "bad_task")
}

fn said(field: &'static str, text: String, bad: &'static str) -> Result<String, Refused> {
    if text.trim().is_empty() {
        let detail = format!("{field} has at least one visible character");
        return Err(Refused::new(400, bad, detail));
    }
    Ok(text)
}

pub(super) fn status(word: &str) -> Result<TaskStatus, Refused> {
    TaskStatus::parse(word).ok_or_else(|| {
        let words = || TaskStatus::ALL.iter().map(|known| known.word());
        let word: String = word.chars().take(text::NAME).collect();
        let all = words().collect::<Vec<_>>().join(", ");
        let detail = format!("status {word:?} is not one of {all}");
        Refused::new(400, "bad_task", detail).allowed(words())
    })
}
