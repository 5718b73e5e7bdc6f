//! `POST /api/v1/agents/{id}/snooze`: a person wants to hear nothing of an agent for a while.

use super::agent_path::AgentPath;
use super::{App, Receipt, Refused, asked, receipt};
use crate::caller::Caller;
use crate::job::Work;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use headsup_core::id::AgentId;
use headsup_core::wire::Problem;
use serde::Deserialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// A week: what is put off for longer is forgotten.
const LONGEST_MS: i64 = 7 * 24 * 3_600_000;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SnoozeBody {
    /// Milliseconds from now, up to seven days; 0 ends it.
    #[schema(minimum = 0, maximum = 604_800_000)]
    for_ms: i64,
}

#[utoipa::path(
    post,
    path = "/api/v1/agents/{id}/snooze",
    operation_id = "snooze_agent",
    tag = "prompts",
    summary = "What waits there comes last for a while",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = SnoozeBody),
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
    let caller = Caller::of_an_act(&app, request.headers(), request.extensions())?;
    let (body, key) = asked::read::<SnoozeBody>(request).await?;
    caller.is_a_person("puts off what waits for one")?;
    if !(0..=LONGEST_MS).contains(&body.for_ms) {
        return Err(Refused::new(
            400,
            "bad_duration",
            "for_ms is 0 to 604800000: at most seven days",
        ));
    }
    let until = (body.for_ms > 0).then(|| app.clock.wall().plus(body.for_ms));
    let reply = app.inbox.submit(Work::Snooze { agent, until }, key).await?;
    Ok(receipt(StatusCode::OK, &reply))
}
