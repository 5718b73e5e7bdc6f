//! `POST /api/agents/{id}/resume`: a person takes a suspended agent up again.

use crate::api::agent_path::AgentPath;
use crate::api::resume::checked;
use crate::api::{App, Receipt, Refused, asked, receipt};
use crate::caller::people_only;
use crate::lifecycle::{self, By};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use headsup_core::compat::panopticon::TakeUpBody;
use headsup_core::id::AgentId;
use headsup_core::wire::Problem;
use std::sync::Arc;

#[utoipa::path(
    post,
    path = "/api/agents/{id}/resume",
    operation_id = "resume_panopticon_agent",
    tag = "compatibility",
    summary = "Takes a suspended agent up again, in a session of tmux",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = TakeUpBody),
    responses(
        (status = 200, description = "It is started", body = Receipt),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::api) async fn post(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    people_only(&app, request.headers(), request.extensions(), "resumes agents")?;
    let (said, key) = asked::read_if_any::<TakeUpBody>(request).await?;
    let message = checked(said.message.as_deref())?;
    let (done, _) = lifecycle::resume(&app, agent, message.as_deref(), By::Hub, key).await?;
    Ok(receipt(StatusCode::OK, &done.reply))
}
