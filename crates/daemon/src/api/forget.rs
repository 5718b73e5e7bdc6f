//! `DELETE /api/v1/agents/{id}?force=`: the seat leaves the roster.

use super::agent_path::AgentPath;
use super::query::Query;
use super::{App, Receipt, Refused, receipt};
use crate::job::Work;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use headsup_core::id::AgentId;
use headsup_core::wire::Problem;
use std::sync::Arc;

#[utoipa::path(
    delete,
    path = "/api/v1/agents/{id}",
    operation_id = "forget_agent",
    tag = "agents",
    summary = "Takes the seat off the roster",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("force" = Option<bool>, Query, description = "Also where it runs; it comes back at its next report"),
    ),
    responses(
        (status = 200, description = "Gone", body = Receipt),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    uri: Uri,
) -> Result<Response, Refused> {
    let force = Query::parse(uri.query(), &["force"])?.flag("force", false)?;
    let work = Work::Forget { agent: agent.clone(), force };
    let reply = app.inbox.submit(work, None).await?;
    app.inbox.evidence().forget(&agent);
    Ok(receipt(StatusCode::OK, &reply))
}
