//! `POST /api/coder/agent-status`: BooCode's word on an agent in a chat.

mod feed;
pub(super) mod ws;

use super::query::bad;
use super::reports::{check_length, keep};
use super::{App, Refused, asked};
use crate::caller::Caller;
use crate::job::{ChatReport, Reply, Work};
use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use headsup_adapters::text;
use headsup_core::compat::boocode::{AgentStatusReport, Meaning, ReportAnswer, StatusUpdate};
use headsup_core::wire::Problem;
use std::sync::Arc;

/// A name, in characters.
const LONGEST: usize = text::NAME;

#[utoipa::path(
    post,
    path = "/api/coder/agent-status",
    operation_id = "report_chat_agent",
    tag = "compatibility",
    summary = "BooCode's word on an agent in a chat",
    params(
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = AgentStatusReport),
    responses(
        (status = 202, description = "Stored, or it says nothing of the status", body = ReportAnswer),
        (status = 200, description = "It was stored before", body = ReportAnswer),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn post(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response, Refused> {
    let caller = Caller::of_an_act(&app, request.headers(), request.extensions())?;
    let (mut said, key) = asked::read::<AgentStatusReport>(request).await?;
    // It is looked up as it is, and kept as a line.
    let meaning = Meaning::of(&said.event_type, said.notification_type.as_deref());
    said.notification_type = said.notification_type.map(|kind| text::line(&kind, LONGEST));
    let body = serde_json::to_value(&said).unwrap_or_default();
    let (chat_id, name) = (a_name("chat_id", said.chat_id)?, a_name("agent", said.agent)?);
    let Some(meaning) = meaning else {
        app.metrics.report("not_understood");
        return Ok(answer(StatusCode::ACCEPTED, ReportAnswer { status: None, duplicate: None }));
    };
    if meaning == Meaning::Nothing {
        return Ok(answer(StatusCode::ACCEPTED, ReportAnswer { status: None, duplicate: None }));
    }
    let seat = || app.board.of_agent_in_chat(&chat_id, &name);
    caller.about(&app, &seat())?;
    let event = text::line(&said.event_type, LONGEST);
    let report = ChatReport { chat_id: chat_id.clone(), name: name.clone(), event, meaning };
    let moment = app.inbox.evidence().now();
    let reply = app.inbox.submit(Work::Chat(Box::new(report)), key).await?;
    keep(&app, moment, &reply, "boocode", &body);
    // What it has changed may be why another one is meant now.
    let told = match &reply {
        Reply::Done { agent: Some(agent), .. } => agent.clone(),
        _ => seat(),
    };
    let seat = app.board.seat(&told);
    let status = seat.and_then(|seat| StatusUpdate::of(&seat, app.clock.wall()));
    let status = status.map(|update| update.status);
    Ok(match reply {
        Reply::Done { .. } | Reply::Prompt { .. } | Reply::Made { .. } | Reply::Heard(_) => {
            answer(StatusCode::ACCEPTED, ReportAnswer { status, duplicate: None })
        }
        Reply::Duplicate => answer(StatusCode::OK, ReportAnswer { status, duplicate: Some(true) }),
    })
}

fn answer(status: StatusCode, answer: ReportAnswer) -> Response {
    (status, Json(answer)).into_response()
}

/// A name as it is: it says which seat is meant, so nothing of it is cut or covered.
fn a_name(field: &'static str, name: String) -> Result<String, Refused> {
    check_length(field, Some(&name), LONGEST)?;
    if name.is_empty() || text::line(&name, LONGEST) != name {
        return Err(bad_name(field));
    }
    Ok(name)
}

fn bad_name(field: &str) -> Refused {
    bad(&format!("{field} is one line of visible text, 1 to {LONGEST} characters, and no secret"))
}
