//! `GET` and `POST /api/v1/tasks`: every task, and a new one.

use super::query::{Query, bad};
use super::task::{body_of, status, title_of};
use super::{App, Refused, asked};
use crate::tracker::{NewTask, Tracker as _};
use axum::Json;
use axum::extract::{Request, State};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use headsup_core::wire::{NewTaskBody, OneTaskDoc, Problem, SCHEMA, TasksDoc};
use headsup_core::work::task::{TaskStatus, is_prefix};
use std::path::Path;
use std::sync::Arc;

const MOST: u32 = 1_000;
const LISTED: u32 = 100;

#[utoipa::path(
    get,
    path = "/api/v1/tasks",
    operation_id = "list_tasks",
    tag = "tasks",
    summary = "Tasks, the last changed first",
    params(
        ("status" = Option<String>, Query, description = "`todo`, `in_progress`, `in_review` or `done`"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 1_000, description = "1 to 1,000; 100 where nothing is said"),
        ("folder" = Option<String>, Query, description = "Of whoever keeps the tasks of this folder, an absolute path; else of the hub's own tracker"),
    ),
    responses(
        (status = 200, description = "The tasks, without comments", body = TasksDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get(State(app): State<Arc<App>>, uri: Uri) -> Result<Json<TasksDoc>, Refused> {
    let query = Query::parse(uri.query(), &["status", "limit", "folder"])?;
    let status = query.one("status")?.map(status).transpose()?;
    let limit = query.one("limit")?.map_or(Some(LISTED), |text| text.parse().ok());
    let limit = limit.filter(|limit| (1..=MOST).contains(limit));
    let limit = limit.ok_or_else(|| bad("limit is 1 to 1000"))?;
    let tasks = match folder(query.one("folder")?)? {
        Some(folder) => app.tracker.at(Some(folder))?.list(status, limit).await?,
        None => app.tracker.list(status, limit).await?,
    };
    Ok(Json(TasksDoc { schema: SCHEMA, tasks }))
}

#[utoipa::path(
    post,
    path = "/api/v1/tasks",
    operation_id = "create_task",
    tag = "tasks",
    summary = "A new task",
    params(
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = NewTaskBody),
    responses(
        (status = 201, description = "Made, or made by this very request before", body = OneTaskDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn post(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response, Refused> {
    let (said, key) = asked::read::<NewTaskBody>(request).await?;
    let title = title_of(&said.title, "bad_task")?;
    let body = said.body.as_deref().map(body_of).transpose()?;
    let status = said.status.as_deref().map_or(Ok(TaskStatus::Todo), status)?;
    let folder = folder(said.folder.as_deref())?;
    let new = |prefix| NewTask { prefix, title, body, status };
    let task = if let Some(prefix) = said.prefix {
        // Only identifiers of the hub's own tracker have one.
        app.tracker.create(new(checked(prefix)?), key).await?
    } else {
        let prefix = app.tracker_settings.prefix(folder);
        app.tracker.at(folder)?.create(new(prefix), key).await?
    };
    let task = OneTaskDoc::from(task);
    Ok((StatusCode::CREATED, Json(task)).into_response())
}

fn checked(prefix: String) -> Result<String, Refused> {
    if is_prefix(&prefix) {
        return Ok(prefix);
    }
    let detail = "prefix is a capital letter and up to nine capital letters or digits, as APP";
    Err(Refused::new(400, "bad_task", detail))
}

fn folder(path: Option<&str>) -> Result<Option<&Path>, Refused> {
    let path = path.map(Path::new);
    match path {
        Some(path) if !path.is_absolute() => {
            Err(Refused::new(400, "bad_task", "folder is an absolute path"))
        }
        path => Ok(path),
    }
}
