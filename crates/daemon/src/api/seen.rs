//! `POST /api/v1/agents/{id}/seen`: a person has seen how it ended, or was led there.

use super::agent_path::AgentPath;
use super::{App, Receipt, Refused, asked, receipt};
use crate::caller::people_only;
use crate::job::Work;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use headsup_core::id::AgentId;
use headsup_core::wire::Problem;
use serde::Deserialize;
use std::sync::Arc;
use utoipa::ToSchema;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct SeenBody {
    /// False: a person was only led there; how it ended does not count as seen by that.
    outcome: bool,
}

impl Default for SeenBody {
    fn default() -> Self {
        Self { outcome: true }
    }
}

#[utoipa::path(
    post,
    path = "/api/v1/agents/{id}/seen",
    operation_id = "see_agent",
    tag = "agents",
    summary = "A person has seen how it ended",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = Option<SeenBody>),
    responses(
        (status = 200, description = "Stored", body = Receipt),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn post(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    people_only(&app, request.headers(), request.extensions(), "says what a person has seen")?;
    let (body, key) = asked::read_if_any::<SeenBody>(request).await?;
    let work = match body.outcome {
        true => Work::Seen { agents: vec![agent] },
        false => Work::LedTo { agent },
    };
    let reply = app.inbox.submit(work, key).await?;
    Ok(receipt(StatusCode::OK, &reply))
}
