//! `GET /api/v1/caller`: as whom the hub takes whoever asks.

use super::query::Query;
use super::{App, Refused};
use crate::caller::Caller;
use axum::Json;
use axum::extract::{Request, State};
use headsup_core::id::AgentId;
use headsup_core::wire::{Problem, SCHEMA};
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub(super) struct CallerDoc {
    schema: u32,
    /// The agent that it is or runs under; null is a person.
    agent_id: Option<AgentId>,
}

#[utoipa::path(
    get,
    path = "/api/v1/caller",
    operation_id = "get_caller",
    tag = "hub",
    summary = "As whom the hub takes whoever asks: as an agent, or as a person",
    responses(
        (status = 200, description = "Who asks", body = CallerDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Json<CallerDoc>, Refused> {
    Query::parse(request.uri().query(), &[])?;
    let caller = Caller::of_an_act(&app, request.headers(), request.extensions())?;
    Ok(Json(CallerDoc { schema: SCHEMA, agent_id: caller.agent() }))
}
