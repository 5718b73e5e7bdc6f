//! `POST /api/agents/{id}/heartbeat`: what an agent does now.

use crate::api::agent_path::AgentPath;
use crate::api::reports::{check_length, keep};
use crate::api::{App, Receipt, Refused, asked, receipt};
use crate::caller::{Caller, shows_a_token};
use crate::job::{Heartbeat, Work};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use headsup_adapters::text;
use headsup_core::compat::Scale as _;
use headsup_core::compat::panopticon::{Activity, HeartbeatBody};
use headsup_core::id::AgentId;
use headsup_core::wire::Problem;
use std::sync::Arc;

/// Longer ones are refused; whatever is taken is kept whole. A tool's name is one line as any: it is cut.
const LONGEST_SUMMARY: usize = 4_000;

#[utoipa::path(
    post,
    path = "/api/agents/{id}/heartbeat",
    operation_id = "heartbeat",
    tag = "compatibility",
    summary = "What an agent does now, in Panopticon's words",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = HeartbeatBody),
    responses(
        (status = 202, description = "Stored", body = Receipt),
        (status = 200, description = "It was stored before", body = Receipt),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::api) async fn post(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    Caller::of_an_act(&app, request.headers(), request.extensions())?.about(&app, &agent)?;
    let of_launch = shows_a_token(request.headers());
    let (mut said, key) = asked::read::<HeartbeatBody>(request).await?;
    said.tool = said.tool.map(|tool| text::line(&tool, text::NAME)).filter(|tool| !tool.is_empty());
    let body = serde_json::to_value(&said).unwrap_or_default();
    check_length("summary", said.summary.as_deref(), LONGEST_SUMMARY)?;
    let activity = Activity::parse(&said.state).ok_or_else(|| unknown_state(&said.state))?;
    let action = said.summary.map(|text| text::line(&text, LONGEST_SUMMARY));
    let heartbeat = Heartbeat {
        agent,
        of_launch,
        activity,
        tool: said.tool,
        action: action.filter(|text| !text.is_empty()),
        at: said.timestamp,
    };
    let moment = app.inbox.evidence().now();
    let reply = app.inbox.submit(Work::Heartbeat(Box::new(heartbeat)), key).await?;
    keep(&app, moment, &reply, "panopticon", &body);
    Ok(receipt(StatusCode::ACCEPTED, &reply))
}

fn unknown_state(word: &str) -> Refused {
    let allowed: Vec<_> = Activity::ALL.iter().map(|known| known.word()).collect();
    let word: String = word.chars().take(text::NAME).collect();
    let detail = format!("state {word:?} is not one of {}", allowed.join(", "));
    Refused::new(400, "bad_report", detail)
}
