//! `DELETE /api/v1/agents/{id}?force=`: the seat leaves the roster.

use super::agent_path::AgentPath;
use super::query::Query;
use super::{App, Refused, receipt};
use crate::job::Work;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use std::sync::Arc;

pub(super) async fn delete(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    uri: Uri,
) -> Result<Response, Refused> {
    let force = Query::parse(uri.query(), &["force"])?.flag("force", false)?;
    let reply = app.inbox.submit(Work::Forget { agent, force }, None).await?;
    Ok(receipt(StatusCode::OK, &reply))
}
