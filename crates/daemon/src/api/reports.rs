//! `POST /api/v1/agents/{id}/reports`: a report in our own words.

use super::agent_path::AgentPath;
use super::query::Query;
use super::{App, Receipt, Refused, headers, json, receipt};
use crate::body;
use crate::caller::{Caller, shows_a_token};
use crate::evidence::Moment;
use crate::flaws;
use crate::job::{OwnReport, Reply, Work};
use crate::limits::BODY;
use crate::own_word::{LONGEST_DETAIL, LONGEST_WORD, clean, row};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use headsup_core::id::AgentId;
use headsup_core::time::UnixMs;
use headsup_core::wire::{Problem, ReportBody};
use serde_json::Value;
use std::sync::Arc;

#[utoipa::path(
    post,
    path = "/api/v1/agents/{id}/reports",
    operation_id = "report",
    tag = "reports",
    summary = "A report in our own words",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
        ("X-Headsup-Spooled-At" = Option<UnixMs>, Header, description = "When a report that had to wait was made"),
    ),
    request_body(content = ReportBody),
    responses(
        (status = 202, description = "Stored", body = Receipt),
        (status = 200, description = "It was stored before", body = Receipt),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn post(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    let (parts, body) = request.into_parts();
    Caller::of_an_act(&app, &parts.headers, &parts.extensions)?.about(&app, &agent)?;
    Query::parse(parts.uri.query(), &[])?;
    let body = body::read(body, BODY).await?;
    let key = headers::key(&parts.headers, agent.as_str(), &body)?;
    let spooled = headers::spooled_at(&parts.headers)?;
    let mut report: ReportBody = json::read(&body)?;
    check_lengths(&report)?;
    clean(&mut report);
    let said = serde_json::to_value(&report).unwrap_or_default();
    let said_at = spooled.or(report.at);
    let reported =
        report.parse().map_err(|error| Refused::new(400, "bad_report", error.to_string()))?;
    let moment = app.inbox.evidence().now();
    let of_launch = shows_a_token(&parts.headers);
    let report = OwnReport { agent, of_launch, reported, spooled };
    let reply = app.inbox.submit(Work::Report(report), key).await?;
    if let Reply::Done { agent, .. } = &reply {
        let skew = flaws::of_time(said_at, moment.at, spooled.is_some());
        app.metrics.flaws.note(agent.as_ref(), skew.as_slice());
    }
    keep(&app, moment, &reply, "report", &said);
    Ok(receipt(StatusCode::ACCEPTED, &reply))
}

/// Keeps a report for `capture`, in whose words (`by`) it came.
pub(super) fn keep(app: &App, moment: Moment, reply: &Reply, by: &str, body: &Value) {
    if let Reply::Done { agent: Some(agent), .. } = reply {
        app.inbox.evidence().keep(agent, moment, &row(by, body));
    }
}

fn check_lengths(report: &ReportBody) -> Result<(), Refused> {
    check_length("reason", report.reason.as_deref(), LONGEST_WORD)?;
    check_length("outcome", report.outcome.as_deref(), LONGEST_WORD)?;
    check_length("detail", report.detail.as_deref(), LONGEST_DETAIL)
}

/// What is too long is refused, not cut: whoever sent it would not know.
pub(super) fn check_length(name: &str, value: Option<&str>, most: usize) -> Result<(), Refused> {
    if value.is_some_and(|value| value.chars().count() > most) {
        let detail = format!("{name} is longer than {most} characters");
        return Err(Refused::new(400, "too_long", detail));
    }
    Ok(())
}
