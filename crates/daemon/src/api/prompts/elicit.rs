//! `POST /api/v1/prompts/{pid}/elicit`: may the agent's own program ask whoever sits before it?
//!
//! Only where nothing else reaches a person: a program that shows a question of its own may go on showing it
//! when it has been answered elsewhere, and nobody but the agent vouches for who has answered.

use super::super::prompt_path::PromptPath;
use super::super::{App, Refused};
use super::{look, one_doc, told};
use crate::caller::{Caller, FromTheTools, at_the_other_end};
use crate::job::{Noticed, Refusal, Work};
use crate::namespaces::Peer;
use crate::process;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::Extensions;
use headsup_core::prompt::{PromptKind, Risk, Via};
use headsup_core::wire::{OnePromptDoc, Problem, PromptState};
use std::path::PathBuf;
use std::sync::Arc;

/// Only the server of the tools asks so: an agent that calls by itself has shown its question to nobody.
///
/// # Errors
/// The process that asks is seen, and is another program.
pub(super) fn is_our_server(extensions: &Extensions) -> Result<(), Refused> {
    if extensions.get::<FromTheTools>().is_some() {
        return Ok(());
    }
    let Peer::Process(pid) = at_the_other_end(extensions) else { return Ok(()) };
    let name = |program: PathBuf| {
        let name = program.file_name()?.to_str()?;
        // So the kernel calls one that has been replaced since.
        Some(name.strip_suffix(" (deleted)").unwrap_or(name).to_owned())
    };
    let is_ours = |theirs: &String| {
        theirs == "headsup" || std::env::current_exe().ok().and_then(name).as_ref() == Some(theirs)
    };
    if process::program(pid).and_then(name).as_ref().is_some_and(is_ours) {
        return Ok(());
    }
    let detail = "only the server of the agent's tools asks in the agent's own program";
    Err(Refused::new(403, "not_the_server", detail)
        .hint("a person answers where the question is: the page, `headsup inbox`"))
}

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
    let extensions = request.extensions().clone();
    let caller = Caller::of_an_act(&app, request.headers(), &extensions)?;
    caller.about(&app, &path.agent)?;
    is_our_server(&extensions)?;
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
