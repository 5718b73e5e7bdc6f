//! `POST /api/v1/agents/{id}/stop`: a person ends an agent.

use super::agent_path::AgentPath;

use super::suspend::{answer, wish};
use super::{App, Receipt, Refused};
use crate::lifecycle;
use axum::extract::{Request, State};
use axum::response::Response;
use headsup_core::id::AgentId;
use headsup_core::wire::Problem;
use std::sync::Arc;

#[utoipa::path(
    post,
    path = "/api/v1/agents/{id}/stop",
    operation_id = "stop_agent",
    tag = "agents",
    summary = "Ends the process of an agent, whatever it does",
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
pub(super) async fn post(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    let key = wish(&app, request).await?;
    Ok(answer(&lifecycle::stop(&app, agent, key).await?))
}
