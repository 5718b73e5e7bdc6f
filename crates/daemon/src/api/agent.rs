//! `GET /api/v1/agents/{id}`: one agent, whole.

use super::agent_path::AgentPath;
use super::query::Query;
use super::{App, Refused};
use crate::caller;
use crate::repository::Place;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use headsup_adapters::text;
use headsup_core::id::AgentId;
use headsup_core::wire::{AgentDoc, Problem};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// In characters.
const LONGEST_PATH: usize = 4_096;
const LOOK_WITHIN: Duration = Duration::from_millis(200);

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
    if let Some(place) = place_of(doc.cwd.as_deref()).await {
        let text = |path: &Path| Some(text::line(&path.display().to_string(), LONGEST_PATH).into());
        doc.repo = doc.repo.or_else(|| text(&place.repo));
        doc.worktree = doc.worktree.or_else(|| text(&place.worktree));
        doc.branch = doc.branch.or(place.branch.map(Into::into));
    }
    Ok(Json(doc))
}

/// Where in a repository it works, as that is now. A file system that does not answer is not waited for.
async fn place_of(cwd: Option<&str>) -> Option<Place> {
    let folder = PathBuf::from(cwd?);
    if !folder.is_absolute() {
        return None;
    }
    let look = tokio::task::spawn_blocking(move || Place::of(&folder));
    timeout(LOOK_WITHIN, look).await.ok()?.ok()?
}
