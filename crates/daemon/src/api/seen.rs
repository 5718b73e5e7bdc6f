//! `POST /api/v1/agents/{id}/seen`: a person has seen how it ended.

use super::agent_path::AgentPath;
use super::query::Query;
use super::{App, Receipt, Refused, headers, receipt};
use crate::body;
use crate::caller::people_only;
use crate::job::Work;
use crate::limits::BODY;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use headsup_core::id::AgentId;
use headsup_core::wire::Problem;
use std::sync::Arc;

#[utoipa::path(
    post,
    path = "/api/v1/agents/{id}/seen",
    operation_id = "see_agent",
    tag = "agents",
    summary = "A person has seen how it ended",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    responses(
        (status = 200, description = "Stored", body = Receipt),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn post(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    people_only(&app, request.headers(), request.extensions())?;
    let (parts, body) = request.into_parts();
    Query::parse(parts.uri.query(), &[])?;
    let body = body::read(body, BODY).await?;
    let key = headers::key(&parts.headers, &format!("seen/{agent}"), &body)?;
    let reply = app.inbox.submit(Work::Seen { agents: vec![agent] }, key).await?;
    Ok(receipt(StatusCode::OK, &reply))
}
