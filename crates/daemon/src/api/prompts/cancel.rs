//! `POST /api/v1/prompts/{pid}/cancel`: whoever has asked, or a person, takes it back.

use super::super::asked;
use super::super::prompt_path::PromptPath;
use super::super::{App, Refused};
use super::answer::{Channel, channel, via};
use super::{look, one_doc, told};
use crate::caller::Caller;
use crate::job::{Reply, TakenBack, Work};
use axum::Json;
use axum::extract::{Request, State};
use headsup_core::prompt::Via;
use headsup_core::wire::{OnePromptDoc, Problem};
use headsup_core::workflow::By;
use serde::Deserialize;
use std::sync::Arc;
use utoipa::ToSchema;

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct CancelBody {
    /// Through which channel it comes; `api` if nothing is said.
    #[serde(default, deserialize_with = "channel")]
    #[schema(value_type = Option<Channel>)]
    via: Option<Via>,
}

#[utoipa::path(
    post,
    path = "/api/v1/prompts/{pid}/cancel",
    operation_id = "cancel_prompt",
    tag = "prompts",
    summary = "Takes an input request back",
    params(
        ("pid" = String, Path, description = "The prompt"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = Option<CancelBody>),
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
    let caller = Caller::of_an_act(&app, request.headers(), request.extensions())?;
    let (body, key) = asked::read_if_any::<CancelBody>(request).await?;
    let by = caller.about(&app, &path.agent)?;
    let actor = match by {
        By::Agent => path.agent.as_str().to_owned(),
        By::Person => app.name.clone(),
    };
    let (agent, prompt) = (path.agent.clone(), path.id.clone());
    let back = TakenBack { agent, prompt, via: via(body.via)?, actor: Some(actor) };
    match app.inbox.submit(Work::TakeBack(Box::new(back)), key).await {
        Ok(Reply::Prompt { prompt, .. }) => Ok(Json(one_doc(&app, *prompt))),
        Ok(_) => Ok(Json(one_doc(&app, look(&app, &path).await?))),
        Err(refusal) => Err(told::refused(&app, &path, refusal).await),
    }
}
