//! `POST /api/v1/agents/{id}/verdicts`: what an agent found of a task.

use super::agent_path::AgentPath;
use super::reports::check_length;
use super::{App, Receipt, Refused, asked, receipt};
use crate::caller::Caller;
use crate::job::{VerdictOn, Work};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use headsup_adapters::text;
use headsup_core::id::AgentId;
use headsup_core::verdict::Verdict;
use headsup_core::wire::{Problem, VerdictBody};
use std::sync::Arc;

/// In characters.
const LONGEST_NOTES: usize = 4_000;

#[utoipa::path(
    post,
    path = "/api/v1/agents/{id}/verdicts",
    operation_id = "report_verdict",
    tag = "agents",
    summary = "What an agent found of a task",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = VerdictBody),
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
    let (said, key) = asked::read::<VerdictBody>(request).await?;
    caller.about(&app, &agent)?;
    let verdict = Verdict::parse(&said.verdict).ok_or_else(|| unknown_verdict(&said.verdict))?;
    let (task, notes) = checked("task", &said.task, said.notes.as_deref())?;
    let on = VerdictOn { agent, task, verdict, notes, registers: false };
    let reply = app.inbox.submit(Work::Verdict(Box::new(on)), key).await?;
    Ok(receipt(StatusCode::OK, &reply))
}

/// The task and the notes, cleaned. `field` is what the task is called in the request.
pub(super) fn checked(
    field: &'static str,
    task: &str,
    notes: Option<&str>,
) -> Result<(String, Option<String>), Refused> {
    check_length(field, Some(task), text::TITLE)?;
    check_length("notes", notes, LONGEST_NOTES)?;
    let task = text::line(task, text::TITLE);
    if task.is_empty() {
        let detail = format!("{field} has at least one visible character");
        return Err(Refused::new(400, "bad_verdict", detail));
    }
    let notes = notes.map(|notes| text::block(notes, LONGEST_NOTES));
    Ok((task, notes.filter(|notes| !notes.is_empty())))
}

fn unknown_verdict(word: &str) -> Refused {
    let allowed: Vec<_> = Verdict::ALL.iter().map(|known| known.word()).collect();
    let word: String = word.chars().take(text::NAME).collect();
    let detail = format!("verdict {word:?} is not one of {}", allowed.join(", "));
    Refused::new(400, "bad_verdict", detail)
}
