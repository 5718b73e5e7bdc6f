//! `GET /api/agents/{id}/activity?limit=`: what an agent is and did lately.

use crate::api::agent_path::AgentPath;
use crate::api::query::{Query, bad};
use crate::api::{App, Refused};
use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use headsup_core::compat::panopticon::{Activity, ActivityDoc, ActivityEntry};
use headsup_core::compat::{self, Scale as _};
use headsup_core::id::AgentId;
use headsup_core::timeline::{Entry, KEPT};
use headsup_core::wire::Problem;
use std::num::IntErrorKind;
use std::sync::Arc;

#[utoipa::path(
    get,
    path = "/api/agents/{id}/activity",
    operation_id = "get_panopticon_activity",
    tag = "compatibility",
    summary = "What an agent is and did lately, in Panopticon's words",
    params(
        ("id" = AgentId, Path, description = "The agent; one that is not known is uninitialized"),
        ("limit" = Option<usize>, Query, minimum = 1, description = "How many entries, the last ones; never more than 100"),
    ),
    responses(
        (status = 200, description = "Its state, and the entries, oldest first", body = ActivityDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::api) async fn get(
    State(app): State<Arc<App>>,
    AgentPath(agent_id): AgentPath,
    uri: Uri,
) -> Result<Json<ActivityDoc>, Refused> {
    let limit = limit(Query::parse(uri.query(), &["limit"])?.one("limit")?)?;
    let Some(seat) = app.board.seat(&agent_id) else {
        return Ok(Json(ActivityDoc::new(agent_id, Activity::Uninitialized, Vec::new())));
    };
    let state = Activity::of(&compat::State::of(&seat, app.clock.wall()));
    let id = agent_id.clone();
    let entries = app.reader.run(move |reader| reader.activity(&id, limit)).await?;
    let read = |entry: String| serde_json::from_str::<Entry>(&entry).ok();
    let entries = entries.into_iter().filter_map(read).map(ActivityEntry::from).collect();
    Ok(Json(ActivityDoc::new(agent_id, state.unwrap_or(Activity::Active), entries)))
}

/// Whoever asks for more than there is gets what there is.
fn limit(text: Option<&str>) -> Result<usize, Refused> {
    let Some(text) = text else { return Ok(KEPT) };
    let limit = match text.parse::<usize>() {
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => Some(KEPT),
        limit => limit.ok().filter(|limit| *limit > 0),
    };
    let limit = limit.ok_or_else(|| bad("limit is a number, 1 or more"))?;
    Ok(limit.min(KEPT))
}
