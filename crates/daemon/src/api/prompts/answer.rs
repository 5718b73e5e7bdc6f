//! `POST /api/v1/prompts/{pid}/answer`: a person answers. The first answer wins.

use super::super::asked;
use super::super::prompt_path::PromptPath;
use super::super::reports::check_length;
use super::super::{App, Refused};
use super::{look, one_doc, told};
use crate::caller::{Caller, is_no_orphan_of};
use crate::job::{Given, Reply, Work};
use axum::Json;
use axum::extract::{Request, State};
use headsup_adapters::text;
use headsup_core::prompt::Via;
use headsup_core::prompt::answer::Said;
use headsup_core::wire::{OnePromptDoc, Problem};
use serde::{Deserialize, Deserializer, de};
use std::sync::Arc;
use utoipa::ToSchema;

/// One of the first five says what the answer is.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerBody {
    /// A text; or the value or the label of an option.
    value: Option<Several<String>>,
    /// An option by its place, from 1; a list where several may be chosen.
    option: Option<Places>,
    #[schema(nullable = false)]
    allow: Option<bool>,
    #[schema(nullable = false)]
    deny: Option<bool>,
    /// What the asker said it would do by itself.
    #[schema(nullable = false)]
    default: Option<bool>,
    /// Through which channel it comes; `api` if nothing is said.
    #[serde(default, deserialize_with = "channel")]
    #[schema(value_type = Option<Channel>)]
    via: Option<Via>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(untagged, expecting = "it is a string, or a list of strings")]
pub(crate) enum Several<T> {
    One(T),
    Many(Vec<T>),
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(untagged, expecting = "it is a whole number from 1 on, or a list of those")]
pub(crate) enum Places {
    One(usize),
    Many(Vec<usize>),
}

#[utoipa::path(
    post,
    path = "/api/v1/prompts/{pid}/answer",
    operation_id = "answer_prompt",
    tag = "prompts",
    summary = "A person answers; the first answer wins",
    params(
        ("pid" = String, Path, description = "The prompt"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = AnswerBody),
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
    let (headers, extensions) = (request.headers().clone(), request.extensions().clone());
    let caller = Caller::of_an_act(&app, &headers, &extensions)?;
    let (body, key) = asked::read::<AnswerBody>(request).await?;
    // From here on it counts as received.
    let received = app.clock.wall();
    caller.answers(&app, &path.agent)?;
    is_no_orphan_of(&app, &headers, &extensions, &path.agent)?;
    app.attendance.acted(app.clock.monotonic_ms());
    let via = via(body.via)?;
    let said = said(body)?;
    let (agent, prompt) = (path.agent.clone(), path.id.clone());
    let actor = Some(app.name.clone());
    let given = Given { agent, prompt, said, via, actor, received, is_verified: true };
    match app.inbox.submit(Work::Answer(Box::new(given)), key).await {
        Ok(Reply::Prompt { prompt, .. }) => Ok(Json(one_doc(&app, *prompt))),
        Ok(_) => {
            let prompt = look(&app, &path).await?;
            Ok(Json(OnePromptDoc { replayed: true, ..one_doc(&app, prompt) }))
        }
        Err(refusal) => Err(told::refused(&app, &path, refusal).await),
    }
}

/// What a channel may say of itself; the others are seen by the hub.
#[derive(Debug, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "it describes what is read by its words")]
pub(crate) enum Channel {
    Web,
    Cli,
    Tui,
    Api,
    Notification,
}

const CHANNELS: &[&str] = &["web", "cli", "tui", "api", "notification"];

/// A word that is none is told those that whoever calls may say.
pub(super) fn channel<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Via>, D::Error> {
    let Some(word) = Option::<String>::deserialize(from)? else { return Ok(None) };
    let via = Via::parse(&word).ok_or_else(|| de::Error::unknown_variant(&word, CHANNELS));
    via.map(Some)
}

pub(super) fn via(said: Option<Via>) -> Result<Via, Refused> {
    match said {
        None => Ok(Via::Api),
        Some(via) if CHANNELS.contains(&via.word()) => Ok(via),
        Some(_) => {
            let detail = format!("via is one of {}", CHANNELS.join(", "));
            Err(Refused::new(400, "bad_answer", detail).allowed(CHANNELS.iter().copied()))
        }
    }
}

fn said(body: AnswerBody) -> Result<Said, Refused> {
    let flag = |flag: Option<bool>, said: Said| flag.filter(|flag| *flag).map(|_| said);
    let value = body.value.map(words);
    let option = body.option.map(|option| match option {
        Places::One(place) => Said::Options(vec![place]),
        Places::Many(places) => Said::Options(places),
    });
    let said = [
        value.transpose()?,
        option,
        flag(body.allow, Said::Allow),
        flag(body.deny, Said::Deny),
        flag(body.default, Said::Default),
    ];
    let mut said = said.into_iter().flatten();
    match (said.next(), said.next()) {
        (Some(said), None) => Ok(said),
        _ => Err(Refused::new(
            400,
            "bad_answer",
            "an answer has one of value, option, allow, deny and default",
        )),
    }
}

/// A text, or several: values or labels of options.
pub(super) fn words(value: Several<String>) -> Result<Said, Refused> {
    match value {
        Several::One(text) => clean(&text).map(Said::Text),
        Several::Many(texts) => {
            let texts: Result<Vec<_>, _> = texts.iter().map(|text| clean(text)).collect();
            texts.map(Said::Texts)
        }
    }
}

/// What is stored holds no key and nothing hidden, whoever wrote it.
fn clean(value: &str) -> Result<String, Refused> {
    check_length("value", Some(value), text::BODY)?;
    Ok(text::block(value, text::BODY))
}
