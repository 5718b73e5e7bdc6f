//! `GET /api/v1/agents/{id}/explain`: who says so, how sure, and who was not believed.

use super::agent_path::AgentPath;
use super::query::Query;
use super::{App, Refused};
use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use headsup_core::id::AgentId;
use headsup_core::wire::{ExplainDoc, Problem};
use std::sync::Arc;

#[utoipa::path(
    get,
    path = "/api/v1/agents/{id}/explain",
    operation_id = "explain_agent",
    tag = "agents",
    summary = "Who says so, how sure, and who was not believed",
    params(
        ("id" = AgentId, Path, description = "The agent"),
    ),
    responses(
        (status = 200, description = "The evidence", body = ExplainDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    AgentPath(id): AgentPath,
    uri: Uri,
) -> Result<Json<ExplainDoc>, Refused> {
    Query::parse(uri.query(), &[])?;
    let seat = app.board.seat(&id).ok_or_else(Refused::no_such_agent)?;
    let history = app.history(&seat).await?;
    Ok(Json(app.explained(&seat, &history)))
}
