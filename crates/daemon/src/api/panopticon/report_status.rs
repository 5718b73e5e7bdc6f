//! `POST /api/specialists/{name}/report-status`: what a specialist found of an issue.

use crate::api::agent_path::AgentPath;
use crate::api::{App, Receipt, Refused, asked, receipt, verdicts};
use crate::caller::Caller;
use crate::job::{VerdictOn, Work};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use headsup_adapters::text;
use headsup_core::compat::Scale as _;
use headsup_core::compat::panopticon::{Report, ReportStatusBody};
use headsup_core::id::AgentId;
use headsup_core::wire::Problem;
use std::sync::Arc;

#[utoipa::path(
    post,
    path = "/api/specialists/{name}/report-status",
    operation_id = "report_specialist_status",
    tag = "compatibility",
    summary = "What a specialist found of an issue, in Panopticon's words",
    params(
        ("name" = AgentId, Path, description = "The specialist; one that is not known is registered"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = ReportStatusBody),
    responses(
        (status = 200, description = "Stored", body = Receipt),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::api) async fn post(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    Caller::of_an_act(&app, request.headers(), request.extensions())?.about(&app, &agent)?;
    let (said, key) = asked::read::<ReportStatusBody>(request).await?;
    let report = Report::parse(&said.status).ok_or_else(|| unknown_status(&said.status))?;
    let (task, notes) = verdicts::checked("issueId", &said.issue_id, said.notes.as_deref())?;
    let verdict = report.verdict();
    let on = VerdictOn { agent, task, verdict, notes, registers: true };
    let reply = app.inbox.submit(Work::Verdict(Box::new(on)), key).await?;
    Ok(receipt(StatusCode::OK, &reply))
}

fn unknown_status(word: &str) -> Refused {
    let allowed: Vec<_> = Report::ALL.iter().map(|known| known.word()).collect();
    let word: String = word.chars().take(text::NAME).collect();
    let detail = format!("status {word:?} is not one of {}", allowed.join(", "));
    Refused::new(400, "bad_verdict", detail)
}
