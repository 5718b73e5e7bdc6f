//! `POST /api/v1/prompts/{pid}/elicited`: what whoever sits before the agent's own program has said. The
//! first answer wins, whichever channel it comes by.

use super::super::asked;
use super::super::prompt_path::PromptPath;
use super::super::{App, Refused};
use super::answer::{Several, words};
use super::elicit::is_our_server;
use super::{look, one_doc, told};
use crate::caller::Caller;
use crate::job::{Given, Reply, TakenBack, Work};
use axum::Json;
use axum::extract::{Request, State};
use headsup_core::prompt::Via;
use headsup_core::prompt::answer::Said;
use headsup_core::wire::{OnePromptDoc, Problem, PromptState};
use serde::Deserialize;
use std::sync::Arc;
use utoipa::ToSchema;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ElicitedBody {
    action: ElicitedAction,
    /// With `accept`: a text; or the value or the label of an option, a list where several may be chosen.
    value: Option<Several<String>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ElicitedAction {
    Accept,
    Decline,
    /// It was closed without a word.
    Cancel,
}

#[utoipa::path(
    post,
    path = "/api/v1/prompts/{pid}/elicited",
    operation_id = "answer_elicited_prompt",
    tag = "prompts",
    summary = "What was said in the agent's own program, where that was allowed to ask",
    params(
        ("pid" = String, Path, description = "The prompt"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = ElicitedBody),
    responses(
        (status = 200, description = "The prompt with its resolution", body = OnePromptDoc),
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
    let (body, key) = asked::read::<ElicitedBody>(request).await?;
    let received = app.clock.wall();
    caller.about(&app, &path.agent)?;
    is_our_server(&extensions)?;
    let asked = look(&app, &path).await?;
    let is_with_agent = asked.delivered.iter().any(|mark| mark.via == Via::AgentClient);
    if asked.state == PromptState::Open && !is_with_agent {
        let detail = "the agent's own program was not to ask this";
        return Err(Refused::new(403, "not_elicited", detail)
            .hint("a person answers where the question is: the page, `headsup inbox`"));
    }
    let (agent, prompt, via) = (path.agent.clone(), path.id.clone(), Via::AgentClient);
    // Who it was nobody can tell.
    let actor = None;
    let said = match (body.action, body.value) {
        (ElicitedAction::Cancel, None) => None,
        (ElicitedAction::Decline, None) => Some(Said::Declined),
        (ElicitedAction::Accept, Some(value)) => Some(words(value)?),
        _ => {
            let detail = "accept comes with a value, decline and cancel without one";
            return Err(Refused::new(400, "bad_answer", detail));
        }
    };
    let work = match said {
        None => Work::TakeBack(Box::new(TakenBack { agent, prompt, via, actor })),
        Some(said) => {
            let is_verified = false;
            let given = Given { agent, prompt, said, via, actor, received, is_verified };
            Work::Answer(Box::new(given))
        }
    };
    match app.inbox.submit(work, key).await {
        Ok(Reply::Prompt { prompt, .. }) => Ok(Json(one_doc(&app, *prompt))),
        Ok(_) => {
            let prompt = look(&app, &path).await?;
            Ok(Json(OnePromptDoc { replayed: true, ..one_doc(&app, prompt) }))
        }
        Err(refusal) => Err(told::refused(&app, &path, refusal).await),
    }
}
