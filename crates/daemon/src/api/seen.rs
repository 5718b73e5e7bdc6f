//! `POST /api/v1/agents/{id}/seen`: a person has seen how it ended.

use super::agent_path::AgentPath;
use super::query::Query;
use super::{App, Refused, headers, receipt};
use crate::body;
use crate::job::Work;
use crate::limits::BODY;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use std::sync::Arc;

pub(super) async fn post(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    let (parts, body) = request.into_parts();
    Query::parse(parts.uri.query(), &[])?;
    let body = body::read(body, BODY).await?;
    let key = headers::key(&parts.headers, &format!("seen/{agent}"), &body)?;
    let reply = app.inbox.submit(Work::Seen { agents: vec![agent] }, key).await?;
    Ok(receipt(StatusCode::OK, &reply))
}
