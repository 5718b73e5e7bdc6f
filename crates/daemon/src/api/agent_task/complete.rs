//! `POST /api/v1/agents/{id}/task/complete`: an agent has done what it was to do.

use super::super::agent_path::AgentPath;
use super::super::review::{named, url_of};
use super::super::task::words_of;
use super::super::{App, Refused, asked};
use super::handed_in::{HandedIn, submit};
use crate::caller::Caller;
use crate::job::TaskAct;
use axum::extract::{Request, State};
use axum::response::Response;
use headsup_core::id::AgentId;
use headsup_core::wire::{CompleteBody, Problem};
use std::sync::Arc;

#[utoipa::path(
    post,
    path = "/api/v1/agents/{id}/task/complete",
    operation_id = "complete_task",
    tag = "tasks",
    summary = "An agent has done what it was to do",
    description = "One unit: its workflow is `completed`, its task, if it has one, gets the summary as a comment and is `done`.",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = CompleteBody),
    responses(
        (status = 200, description = "Stored; what has come of it at the task", body = HandedIn),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn post(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    Caller::of_an_act(&app, request.headers(), request.extensions())?.about(&app, &agent)?;
    let (said, key) = asked::read::<CompleteBody>(request).await?;
    let summary = words_of("summary", &said.summary)?;
    let pr_url = match &said.pr_url {
        Some(url) => Some(url_of(&app, url).await?),
        None => None,
    };
    let comment = match &pr_url {
        Some(url) => format!("{summary}\n\nPull request: {url}"),
        None => summary,
    };
    let pr_url = match pr_url {
        Some(url) => Some(named(&app, &url, &agent).await),
        None => None,
    };
    let mark_done = said.mark_issue_done;
    let act = TaskAct::Complete { agent: agent.clone(), comment, pr_url, mark_done };
    submit(&app, &agent, act, mark_done, key).await
}
