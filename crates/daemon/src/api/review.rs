//! `POST /api/v1/agents/{id}/review`: an agent's work waits for a reviewer.

use super::agent_path::AgentPath;
use super::agent_task::handed_in::{HandedIn, submit};
use super::reports::check_length;
use super::task::words_of;
use super::{App, Refused, asked};
use crate::caller::Caller;
use crate::job::TaskAct;
use axum::extract::{Request, State};
use axum::response::Response;
use headsup_adapters::text;
use headsup_core::id::AgentId;
use headsup_core::wire::{Problem, ReviewBody};
use std::path::Path;
use std::sync::Arc;

/// In characters.
const LONGEST_URL: usize = 2_000;

#[utoipa::path(
    post,
    path = "/api/v1/agents/{id}/review",
    operation_id = "submit_for_review",
    tag = "tasks",
    summary = "An agent's work waits for a reviewer",
    description = "One unit: its workflow is `awaiting_review`, its task, if it has one, is `in_review` and gets the summary as a comment.",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = ReviewBody),
    responses(
        (status = 200, description = "Stored; what has come of it at the task", body = HandedIn),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn post(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    Caller::of_an_act(&app, request.headers(), request.extensions())?.about(&app, &agent)?;
    let (said, key) = asked::read::<ReviewBody>(request).await?;
    let pr_url = url_of(&app, &said.pr_url).await?;
    let summary = words_of("summary", &said.summary)?;
    let notes = said.notes_for_reviewer.as_deref();
    let notes = notes.map(|notes| words_of("notes_for_reviewer", notes)).transpose()?;
    let notes = notes.map(|notes| format!("\n\nFor the reviewer: {notes}")).unwrap_or_default();
    let comment = format!("Ready for review: {pr_url}\n\n{summary}{notes}");
    // The board has room for a line.
    let summary = text::line(&summary, text::DETAIL);
    let pr_url = named(&app, &pr_url, &agent).await;
    let act = TaskAct::Review { agent: agent.clone(), comment, summary, pr_url };
    submit(&app, &agent, act, true, key).await
}

/// What the pull request at this address is called in the agent's document.
pub(super) async fn named(app: &App, url: &str, agent: &AgentId) -> String {
    let folder = app.board.seat(agent).and_then(|seat| seat.about.cwd.clone());
    app.pulls.named(url, agent, folder.as_deref().map(Path::new)).await
}

/// The address of a pull request at a forge of the settings, or of one of the hub's own. No other is kept: it is
/// shown and told to others, and may hold a password.
pub(super) async fn url_of(app: &App, url: &str) -> Result<String, Refused> {
    check_length("pr_url", Some(url), LONGEST_URL)?;
    let is_id =
        |id: &str| !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let is_own = url.strip_prefix("headsup://pr/").is_some_and(is_id);
    let is_plain = url.chars().all(|c| c.is_ascii_graphic());
    if is_own || (is_plain && app.pulls.is_address(url).await?) {
        return Ok(url.to_owned());
    }
    let detail = "pr_url is no address of a pull request at a forge of the settings";
    Err(Refused::new(422, "not_a_configured_forge", detail).hint(
        "as https://github.com/owner/repo/pull/1 or headsup://pr/ID; [github] of the settings names another host",
    ))
}
