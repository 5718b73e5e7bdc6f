//! `POST /api/agents/{id}/suspend`: a person puts an agent away.

use crate::api::agent_path::AgentPath;
use crate::api::suspend::{answer, wish};
use crate::api::{App, Receipt, Refused};
use crate::lifecycle;
use axum::extract::{Request, State};
use axum::response::Response;
use headsup_core::id::AgentId;
use headsup_core::wire::Problem;
use std::sync::Arc;

#[utoipa::path(
    post,
    path = "/api/agents/{id}/suspend",
    operation_id = "suspend_panopticon_agent",
    tag = "compatibility",
    summary = "Ends the process of an agent that rests, so that it can be taken up again",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    responses(
        (status = 200, description = "Its process is gone", body = Receipt),
        (status = 202, description = "Its process is told to go", body = Receipt),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::api) async fn post(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    let key = wish(&app, request).await?;
    Ok(answer(&lifecycle::suspend(&app, agent, key).await?))
}
