//! `GET` and `PUT /api/v1/agents/{id}/task`: what an agent works on.

pub(super) mod comments;
pub(super) mod complete;
pub(super) mod handed_in;
pub(super) mod status;

use super::agent_path::AgentPath;
use super::query::Query;
use super::{App, Refused, asked};
use crate::caller::Caller;
use crate::job::{Refusal, TaskAct, Work};
use crate::outgoing::RemoteError;
use crate::tracker::{Tracker as _, TrackerError};
use axum::Json;
use axum::extract::{Request, State};
use axum::http::Uri;
use headsup_core::id::AgentId;
use headsup_core::wire::{AgentTaskDoc, LinkBody, Problem, SCHEMA};
use headsup_core::work::task::TaskId;
use std::path::PathBuf;
use std::sync::Arc;

#[utoipa::path(
    get,
    path = "/api/v1/agents/{id}/task",
    operation_id = "get_agent_task",
    tag = "tasks",
    summary = "What an agent works on",
    params(
        ("id" = AgentId, Path, description = "The agent"),
    ),
    responses(
        (status = 200, description = "The task, if it has one", body = AgentTaskDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    uri: Uri,
) -> Result<Json<AgentTaskDoc>, Refused> {
    Query::parse(uri.query(), &[])?;
    Ok(Json(document(&app, agent).await?))
}

#[utoipa::path(
    put,
    path = "/api/v1/agents/{id}/task",
    operation_id = "link_task",
    tag = "tasks",
    summary = "The task that an agent works on from now on",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = LinkBody),
    responses(
        (status = 200, description = "The task", body = AgentTaskDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn put(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Json<AgentTaskDoc>, Refused> {
    Caller::of_an_act(&app, request.headers(), request.extensions())?.about(&app, &agent)?;
    let (said, key) = asked::read::<LinkBody>(request).await?;
    let folder =
        app.board.seat(&agent).and_then(|seat| seat.about.cwd.as_deref().map(PathBuf::from));
    let task = app.tracker.identifier(&said.task_identifier, folder.as_deref())?;
    if TaskId::parse(&task).is_none() {
        // Only whoever keeps it knows whether it is there; without a key nobody can be asked.
        match app.tracker.get(&task).await {
            Ok(_) | Err(TrackerError::Remote(RemoteError::NoKey { .. })) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let unknown = || TrackerError::NoSuchTask(said.task_identifier.chars().take(100).collect());
    let act = TaskAct::Link { agent: agent.clone(), task };
    match app.inbox.submit(Work::Task(Box::new(act)), key).await {
        Err(Refusal::NoSuchTask) => Err(unknown().into()),
        done => {
            done?;
            Ok(Json(document(&app, agent).await?))
        }
    }
}

async fn document(app: &App, agent: AgentId) -> Result<AgentTaskDoc, Refused> {
    let task = match linked(app, &agent) {
        Ok(identifier) => Some(app.tracker.get(&identifier).await),
        Err(Refusal::NoTask) => None,
        Err(refusal) => return Err(refusal.into()),
    };
    let mut doc = AgentTaskDoc {
        schema: SCHEMA,
        agent_id: agent,
        has_task: task.is_some(),
        task: None,
        unreachable: None,
    };
    match task {
        None => {}
        Some(Ok(task)) => doc.task = Some(task),
        // What was reported of it is stored and will get there.
        Some(Err(TrackerError::Remote(error)))
            if error.is_retryable() || matches!(error, RemoteError::NoKey { .. }) =>
        {
            doc.unreachable = Some(error.to_string());
        }
        Some(Err(error)) => return Err(error.into()),
    }
    Ok(doc)
}

/// The identifier of the task that the agent works on.
fn linked(app: &App, agent: &AgentId) -> Result<String, Refusal> {
    let seat = app.board.seat(agent).ok_or(Refusal::NoSuchAgent)?;
    let links = seat.links.as_ref().ok_or(Refusal::NoTask)?;
    links.task.clone().ok_or(Refusal::NoTask)
}
