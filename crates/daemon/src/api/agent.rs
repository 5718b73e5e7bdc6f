//! `GET /api/v1/agents/{id}`: one agent, whole.

use super::agent_path::AgentPath;
use super::places::Places;
use super::query::Query;
use super::{App, Refused};
use crate::caller;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use headsup_core::id::AgentId;
use headsup_core::wire::{AgentDoc, Problem};
use std::sync::Arc;

#[utoipa::path(
    get,
    path = "/api/v1/agents/{id}",
    operation_id = "get_agent",
    tag = "agents",
    summary = "One agent, whole",
    params(
        ("id" = AgentId, Path, description = "The agent"),
    ),
    responses(
        (status = 200, description = "The agent", body = AgentDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    AgentPath(id): AgentPath,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Json<AgentDoc<'static>>, Refused> {
    caller::is_of_its_token(&app, &headers)?;
    Query::parse(uri.query(), &[])?;
    let seat = app.board.seat(&id).ok_or_else(Refused::no_such_agent)?;
    let mut doc = seat.doc();
    let folder = doc.cwd.as_deref().map(str::to_owned);
    let places = Places::of(folder.into_iter().collect()).await;
    places.fill(&mut doc);
    Ok(Json(doc))
}
