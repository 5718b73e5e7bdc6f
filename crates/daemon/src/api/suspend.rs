//! `POST /api/v1/agents/{id}/suspend`: a person puts an agent away.

use super::agent_path::AgentPath;
use super::{App, Receipt, Refused, asked, receipt};
use crate::caller::people_only;
use crate::job::Key;
use crate::lifecycle::{self, Done};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use headsup_core::id::AgentId;
use headsup_core::wire::Problem;
use serde::de::IgnoredAny;
use std::sync::Arc;

#[utoipa::path(
    post,
    path = "/api/v1/agents/{id}/suspend",
    operation_id = "suspend_agent",
    tag = "agents",
    summary = "Ends the process of an agent that rests, so that it can be taken up again",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    responses(
        (status = 200, description = "Its process is gone", body = Receipt),
        (status = 202, description = "Its process is told to go", body = Receipt),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn post(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    let key = wish(&app, request).await?;
    Ok(answer(&lifecycle::suspend(&app, agent, key).await?))
}

/// A wish of a person's that needs no more words: whatever else an object says is left alone.
pub(super) async fn wish(app: &App, request: Request) -> Result<Option<Key>, Refused> {
    people_only(app, request.headers(), request.extensions(), "ends or suspends agents")?;
    let (_, key) = asked::read_if_any::<IgnoredAny>(request).await?;
    Ok(key)
}

pub(super) fn answer(done: &Done) -> Response {
    let status = if done.is_over { StatusCode::OK } else { StatusCode::ACCEPTED };
    receipt(status, &done.reply)
}
