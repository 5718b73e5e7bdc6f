//! `POST /api/v1/agents/{id}/task/status`: an agent moves its task.

use super::super::agent_path::AgentPath;
use super::super::{App, Refused, asked, task};
use super::linked;
use crate::caller::Caller;
use crate::tracker::{TaskChange, Tracker as _};
use axum::Json;
use axum::extract::{Request, State};
use headsup_core::id::AgentId;
use headsup_core::wire::{OneTaskDoc, Problem, TaskStatusBody};
use std::sync::Arc;

#[utoipa::path(
    post,
    path = "/api/v1/agents/{id}/task/status",
    operation_id = "set_agent_task_status",
    tag = "tasks",
    summary = "An agent moves its task",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = TaskStatusBody),
    responses(
        (status = 200, description = "The task as it is now", body = OneTaskDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn post(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Json<OneTaskDoc>, Refused> {
    Caller::of_an_act(&app, request.headers(), request.extensions())?.about(&app, &agent)?;
    let (said, key) = asked::read::<TaskStatusBody>(request).await?;
    let status = Some(task::status(&said.status)?);
    let task = linked(&app, &agent)?;
    let change = TaskChange { status, ..TaskChange::default() };
    Ok(Json(app.tracker.change(&task, change, key).await?.into()))
}
