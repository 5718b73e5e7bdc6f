//! `POST /api/v1/prompts/{pid}/seen`: a channel has brought it to a person, or one has looked at it.

use super::super::prompt_path::PromptPath;
use super::super::{App, Receipt, Refused, asked, receipt};
use super::answer::{Channel, channel, via};
use super::told;
use crate::caller::Caller;
use crate::job::{Noticed, Work};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use headsup_core::prompt::Via;
use headsup_core::wire::Problem;
use serde::Deserialize;
use std::sync::Arc;
use utoipa::ToSchema;

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NoticeBody {
    /// Through which channel; `api` if nothing is said.
    #[serde(default, deserialize_with = "channel")]
    #[schema(value_type = Option<Channel>)]
    via: Option<Via>,
    /// It has come to where a person would see it, and nobody has looked yet.
    only_delivered: bool,
}

#[utoipa::path(
    post,
    path = "/api/v1/prompts/{pid}/seen",
    operation_id = "see_prompt",
    tag = "prompts",
    summary = "A person has seen it, or a channel has brought it to one",
    params(
        ("pid" = String, Path, description = "The prompt"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = Option<NoticeBody>),
    responses(
        (status = 200, description = "Stored", body = Receipt),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::api) async fn post(
    State(app): State<Arc<App>>,
    path: PromptPath,
    request: Request,
) -> Result<Response, Refused> {
    let caller = Caller::of_an_act(&app, request.headers(), request.extensions())?;
    let (body, key) = asked::read_if_any::<NoticeBody>(request).await?;
    caller.answers(&app, &path.agent)?;
    app.attendance.acted(app.clock.monotonic_ms());
    let (agent, prompt) = (path.agent.clone(), path.id.clone());
    let noticed = Noticed { agent, prompt, via: via(body.via)?, seen: !body.only_delivered };
    match app.inbox.submit(Work::Notice(Box::new(noticed)), key).await {
        Ok(reply) => Ok(receipt(StatusCode::OK, &reply)),
        Err(refusal) => Err(told::refused(&app, &path, refusal).await),
    }
}
