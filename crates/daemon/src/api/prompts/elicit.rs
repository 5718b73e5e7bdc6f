//! `POST /api/v1/prompts/{pid}/elicit`: may the agent's own program ask whoever sits before it?
//!
//! Only where nothing else reaches a person: a program that shows a question of its own may go on showing it
//! when it has been answered elsewhere, and nobody but the agent vouches for who has answered.

use super::super::prompt_path::PromptPath;
use super::super::{App, Refused};
use super::{look, one_doc, told};
use crate::caller::Caller;
use crate::job::{Noticed, Refusal, Work};
use axum::Json;
use axum::extract::{Request, State};
use headsup_core::prompt::{PromptKind, Risk, Via};
use headsup_core::wire::{OnePromptDoc, Problem, PromptState};
use std::sync::Arc;

#[utoipa::path(
    post,
    path = "/api/v1/prompts/{pid}/elicit",
    operation_id = "elicit_prompt",
    tag = "prompts",
    summary = "The agent's own program asks its person, where nothing else reaches one",
    params(("pid" = String, Path, description = "The prompt")),
    responses(
        (status = 200, description = "It may; the prompt", body = OnePromptDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::api) async fn post(
    State(app): State<Arc<App>>,
    path: PromptPath,
    request: Request,
) -> Result<Json<OnePromptDoc>, Refused> {
    let caller = Caller::of_an_act(&app, request.headers(), request.extensions())?;
    caller.about(&app, &path.agent)?;
    let prompt = look(&app, &path).await?;
    if prompt.state == PromptState::Resolved {
        return Err(told::refused(&app, &path, Refusal::AlreadyResolved).await);
    }
    if prompt.kind != PromptKind::Input {
        return Err(told::refused(&app, &path, Refusal::TerminalOnly).await);
    }
    if prompt.risk == Some(Risk::High) {
        let detail = "much depends on this answer, and in the agent's own program nobody can tell who gives it";
        return Err(Refused::new(409, "high_risk", detail)
            .hint("it waits in the inbox: the page, `headsup inbox`"));
    }
    let marks = prompt.delivered.iter().chain(&prompt.seen);
    let is_known = marks.into_iter().any(|mark| mark.via != Via::AgentClient);
    if is_known || app.attendance.is_somebody_there(app.clock.monotonic_ms()) {
        let detail = "a person is within reach: the question is where they look";
        return Err(Refused::new(409, "person_in_reach", detail)
            .hint("wait for the answer: call wait_for_input"));
    }
    let (agent, id) = (path.agent.clone(), path.id.clone());
    let noticed = Noticed { agent, prompt: id, via: Via::AgentClient, seen: false };
    match app.inbox.submit(Work::Notice(Box::new(noticed)), None).await {
        Ok(_) => Ok(Json(one_doc(&app, look(&app, &path).await?))),
        Err(refusal) => Err(told::refused(&app, &path, refusal).await),
    }
}
