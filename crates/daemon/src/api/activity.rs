//! `GET /api/v1/agents/{id}/activity?limit=`: what it did lately.

use super::agent_path::AgentPath;
use super::query::{Query, bad};
use super::{App, Refused};
use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use headsup_core::id::AgentId;
use headsup_core::timeline::{Entry, KEPT};
use headsup_core::wire::{Problem, SCHEMA};
use serde::Serialize;
use serde_json::value::RawValue;
use std::sync::Arc;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub(super) struct Activity {
    schema: u32,
    agent_id: AgentId,
    /// Oldest first.
    #[schema(value_type = Vec<Entry>)]
    entries: Vec<Box<RawValue>>,
}

#[utoipa::path(
    get,
    path = "/api/v1/agents/{id}/activity",
    operation_id = "get_activity",
    tag = "agents",
    summary = "What it did lately",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("limit" = Option<usize>, Query, minimum = 1, maximum = 100, description = "How many entries, the last ones"),
    ),
    responses(
        (status = 200, description = "The entries, oldest first", body = Activity),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    AgentPath(agent_id): AgentPath,
    uri: Uri,
) -> Result<Json<Activity>, Refused> {
    let limit = limit(Query::parse(uri.query(), &["limit"])?.one("limit")?)?;
    if app.board.seat(&agent_id).is_none() {
        return Err(Refused::no_such_agent());
    }
    let id = agent_id.clone();
    let entries = app.reader.run(move |reader| reader.activity(&id, limit)).await?;
    let entries = entries.into_iter().filter_map(|entry| RawValue::from_string(entry).ok());
    Ok(Json(Activity { schema: SCHEMA, agent_id, entries: entries.collect() }))
}

fn limit(text: Option<&str>) -> Result<usize, Refused> {
    let Some(text) = text else { return Ok(KEPT) };
    let limit = text.parse().ok().filter(|limit| (1..=KEPT).contains(limit));
    limit.ok_or_else(|| bad(&format!("limit is 1 to {KEPT}")))
}
