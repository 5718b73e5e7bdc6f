//! `GET` and `POST /api/v1/agents/{id}/prs`: an agent's pull requests, and a new one.

use super::agent_path::AgentPath;
use super::prs::{listed, make};
use super::{App, Refused, asked};
use crate::caller::Caller;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::Uri;
use axum::response::Response;
use headsup_core::id::AgentId;
use headsup_core::wire::{NewPullBody, OnePullDoc, Problem, PullsDoc};
use std::path::PathBuf;
use std::sync::Arc;

#[utoipa::path(
    get,
    path = "/api/v1/agents/{id}/prs",
    operation_id = "list_agent_prs",
    tag = "prs",
    summary = "An agent's pull requests, the last changed first",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("state" = Option<String>, Query, description = "`open`, `closed` or `merged`"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 1_000, description = "1 to 1,000; 100 where nothing is said"),
    ),
    responses(
        (status = 200, description = "The pull requests, as they were seen last", body = PullsDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    uri: Uri,
) -> Result<Json<PullsDoc>, Refused> {
    if app.board.seat(&agent).is_none() {
        return Err(Refused::no_such_agent());
    }
    listed(&app, uri.query(), Some(agent)).await
}

#[utoipa::path(
    post,
    path = "/api/v1/agents/{id}/prs",
    operation_id = "create_agent_pr",
    tag = "prs",
    summary = "An agent's new pull request",
    description = "Of the repository that the agent works in, linked to the agent and its task.",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = NewPullBody),
    responses(
        (status = 201, description = "Made", body = OnePullDoc),
        (status = 200, description = "An open one of these branches was there", body = OnePullDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn post(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    Caller::of_an_act(&app, request.headers(), request.extensions())?.about(&app, &agent)?;
    let (said, key) = asked::read::<NewPullBody>(request).await?;
    let seat = app.board.seat(&agent).ok_or_else(Refused::no_such_agent)?;
    let folder = said.folder.as_deref().or(seat.about.cwd.as_deref()).map(PathBuf::from);
    let folder = folder.filter(|folder| folder.is_absolute()).ok_or_else(|| {
        Refused::new(422, "no_repository", "nobody has told where the agent works")
            .hint("name its folder, an absolute path, as `folder`")
    })?;
    let task = seat.links.as_ref().and_then(|links| links.task.clone());
    make(&app, said, key, folder, Some((agent, task))).await
}
