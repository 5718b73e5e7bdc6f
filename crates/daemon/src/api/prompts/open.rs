//! `POST /api/v1/agents/{id}/prompts`: an agent, or a person for it, asks a person.

use super::super::agent_path::AgentPath;
use super::super::prompt_path::PromptPath;
use super::super::reports::check_length;
use super::super::{App, Refused, asked, json, query, stage};
use super::{LONGEST_WAIT_S, awaited, bring, look, one_doc};
use crate::caller::Caller;
use crate::job::{Asked, Refusal, Reply, Work};
use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use headsup_adapters::text;
use headsup_core::id::AgentId;
use headsup_core::prompt::input::{MINUTES, MOST_OPTIONS, USUAL_MINUTES};
use headsup_core::prompt::{Answerable, Choice, NewPrompt, OnTimeout, PromptKind, Risk};
use headsup_core::status::BlockedReason;
use headsup_core::wire::{OnePromptDoc, Problem};
use headsup_core::workflow::By;
use icu_normalizer::ComposingNormalizerBorrowed;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;
use utoipa::ToSchema;

const LONGEST_KEY: usize = 200;
const MINUTE_MS: i64 = 60_000;

/// A question for a person.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuestionBody {
    question: String,
    /// What the asker does if nobody answers in time.
    default_action: String,
    #[serde(default)]
    #[schema(max_items = 20)]
    options: Vec<OptionBody>,
    /// 1 to 120; 30 if nothing is said.
    #[serde(default, deserialize_with = "minutes")]
    #[schema(minimum = 1, maximum = 120)]
    timeout_minutes: Option<u32>,
    /// The same in milliseconds, instead.
    #[serde(default)]
    timeout_ms: Option<i64>,
    /// 0 to 300: for so long the answer waits for the resolution; 0 if nothing is said.
    #[serde(default, deserialize_with = "wait_seconds")]
    #[schema(minimum = 0, maximum = 300)]
    wait_seconds: Option<u32>,
    /// Asked again under this key it is the same question.
    #[serde(default)]
    dedupe_key: Option<String>,
    /// Where the same question is open, with the same choices, it is that one.
    #[serde(default)]
    once: bool,
    #[serde(default)]
    multi_select: bool,
    /// What the deadline does: `default`; `block` where the risk is high.
    #[serde(default)]
    on_timeout: Option<OnTimeout>,
    #[serde(default)]
    risk: Option<Risk>,
    /// A line for lists, if the question is longer than one.
    #[serde(default)]
    title: Option<String>,
}

/// A label, or more of an option.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(untagged, expecting = "an option is a string, or {label, value?, description?}")]
pub(crate) enum OptionBody {
    Label(String),
    Whole(#[serde(deserialize_with = "json::by_names")] WholeOption),
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WholeOption {
    label: String,
    /// What is answered by it: its label if nothing is said.
    #[serde(default)]
    value: Option<String>,
    #[serde(default)]
    description: Option<String>,
}

#[utoipa::path(
    post,
    path = "/api/v1/agents/{id}/prompts",
    operation_id = "open_prompt",
    tag = "prompts",
    summary = "Asks a person; it ends by an answer, its deadline, or by being taken back",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = QuestionBody),
    responses(
        (status = 201, description = "Asked", body = OnePromptDoc),
        (status = 200, description = "It was asked before, under the same key, by the same request, or `once`", body = OnePromptDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::api) async fn post(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<(StatusCode, Json<OnePromptDoc>), Refused> {
    let caller = Caller::of_an_act(&app, request.headers(), request.extensions())?;
    let (body, key) = asked::read::<QuestionBody>(request).await?;
    let by = caller.about(&app, &agent)?;
    let wait = body.wait()?;
    let mut asked = body.question(agent.clone(), by)?;
    asked.registers = caller == Caller::Agent(agent.clone());
    let request = key.as_ref().map(|key| key.id.clone());
    asked.request.clone_from(&request);
    let (status, prompt) = match app.inbox.submit(Work::Ask(Box::new(asked)), key).await {
        Ok(Reply::Prompt { prompt, is_new: true, .. }) => (StatusCode::CREATED, *prompt),
        Ok(Reply::Prompt { prompt, .. }) => (StatusCode::OK, *prompt),
        Ok(_) => {
            let request = Asked::request_key(&request.unwrap_or_default());
            let id = app.reader.run(move |reader| reader.prompt_of(&request)).await?;
            let path = PromptPath { id: id.ok_or(Refusal::NoSuchPrompt)?, agent: agent.clone() };
            (StatusCode::OK, look(&app, &path).await?)
        }
        Err(refusal) => return Err(stage::refused(&app, &agent, refusal)),
    };
    if wait.is_zero() {
        bring(&app, &prompt, &caller).await;
        return Ok((status, Json(one_doc(&app, prompt))));
    }
    let path = PromptPath { id: prompt.id.clone(), agent };
    // It is asked, also of whoever may not wait for its end.
    let prompt = awaited(&app, &path, &caller, wait).await.unwrap_or(prompt);
    Ok((status, Json(one_doc(&app, prompt))))
}

impl QuestionBody {
    fn question(self, agent: AgentId, by: By) -> Result<Asked, Refused> {
        check_length("question", Some(&self.question), text::BODY)?;
        check_length("default_action", Some(&self.default_action), text::BODY)?;
        check_length("title", self.title.as_deref(), text::TITLE)?;
        check_length("dedupe_key", self.dedupe_key.as_deref(), LONGEST_KEY)?;
        let timeout_ms = self.timeout_ms()?;
        let (risk, on_timeout) = self.risk()?;
        let question = text::block(&self.question, text::BODY).trim().to_owned();
        if question.is_empty() {
            return Err(bad("a question has at least one visible character"));
        }
        let default_action = text::block(&self.default_action, text::BODY).trim().to_owned();
        if default_action.is_empty() {
            return Err(bad("default_action says what is done if nobody answers"));
        }
        let title = self.title.as_deref().map(|title| text::line(title, text::TITLE));
        let title = title.filter(|title| !title.is_empty());
        let first = question.lines().next().unwrap_or_default();
        let fits = first.len() == question.len() && first.chars().count() <= text::TITLE;
        let body = (title.is_some() || !fits).then(|| question.clone());
        let title = title.unwrap_or_else(|| text::line(first, text::TITLE));
        let options = options(self.options)?;
        if self.multi_select && options.is_empty() {
            return Err(bad("multi_select needs options to choose from"));
        }
        let dedupe_key = self.dedupe_key.map(|key| text::line(&key, LONGEST_KEY));
        let ask = NewPrompt {
            kind: PromptKind::Input,
            reason: BlockedReason::Question,
            key: None,
            tool: None,
            title,
            body,
            options,
            multi_select: self.multi_select,
            answerable: vec![Answerable::Api],
        };
        Ok(Asked {
            agent,
            by,
            registers: false,
            ask,
            default_action,
            timeout_ms,
            on_timeout,
            risk,
            dedupe_key: dedupe_key.filter(|key| !key.is_empty()),
            once: self.once,
            request: None,
            moves_stage: true,
        })
    }

    fn wait(&self) -> Result<Duration, Refused> {
        let seconds = self.wait_seconds.unwrap_or(0);
        if seconds <= LONGEST_WAIT_S {
            return Ok(Duration::from_secs(seconds.into()));
        }
        Err(query::bad(&format!("wait_seconds is 0 to {LONGEST_WAIT_S}")))
    }

    fn timeout_ms(&self) -> Result<i64, Refused> {
        let of_minutes = |minutes: u32| i64::from(minutes) * MINUTE_MS;
        let (shortest, longest) = (of_minutes(*MINUTES.start()), of_minutes(*MINUTES.end()));
        let ms = match (self.timeout_minutes, self.timeout_ms) {
            (None, None) => of_minutes(USUAL_MINUTES),
            (Some(minutes), None) => of_minutes(minutes),
            (None, Some(ms)) => ms,
            (Some(_), Some(_)) => return Err(bad("timeout_minutes and timeout_ms are the same")),
        };
        if (shortest..=longest).contains(&ms) {
            return Ok(ms);
        }
        let detail = format!("a question stands {} to {} minutes", MINUTES.start(), MINUTES.end());
        Err(Refused::new(400, "bad_timeout", detail))
    }

    /// Where much depends on the answer, nothing may go on without one.
    fn risk(&self) -> Result<(Risk, OnTimeout), Refused> {
        match (self.risk.unwrap_or(Risk::Low), self.on_timeout) {
            (Risk::High, Some(OnTimeout::Default)) => {
                let detail = "with a high risk no time-out takes a default";
                Err(Refused::new(422, "risky_default", detail)
                    .with(|problem| problem.allowed = vec!["block".into(), "fail".into()]))
            }
            (Risk::High, None) => Ok((Risk::High, OnTimeout::Block)),
            (risk, on_timeout) => Ok((risk, on_timeout.unwrap_or(OnTimeout::Default))),
        }
    }
}

fn options(said: Vec<OptionBody>) -> Result<Vec<Choice>, Refused> {
    if said.len() > MOST_OPTIONS {
        return Err(bad(&format!("a question has at most {MOST_OPTIONS} options")));
    }
    let mut options: Vec<Choice> = Vec::with_capacity(said.len());
    for option in said {
        let (label, value, description) = match option {
            OptionBody::Label(label) => (label, None, None),
            OptionBody::Whole(whole) => (whole.label, whole.value, whole.description),
        };
        check_length("a label", Some(&label), text::TITLE)?;
        check_length("a value", value.as_deref(), text::TITLE)?;
        check_length("a description", description.as_deref(), text::BODY)?;
        let label = text::line(&label, text::TITLE);
        let value = value.map_or_else(|| label.clone(), |value| text::line(&value, text::TITLE));
        if label.is_empty() || value.is_empty() {
            return Err(bad("an option has a label and a value that can be seen"));
        }
        // Two that a person cannot tell apart are one.
        if options.iter().any(|other| looks(&other.value) == looks(&value)) {
            return Err(bad(&format!("two options have the value {value:?}")));
        }
        if options.iter().any(|other| looks(&other.label) == looks(&label)) {
            return Err(bad(&format!("two options have the label {label:?}")));
        }
        // A label that a person sees and types must not choose another one, by its value.
        let is_mixed_up = |other: &Choice| {
            looks(&other.label) == looks(&value) || looks(&other.value) == looks(&label)
        };
        if options.iter().any(is_mixed_up) {
            return Err(bad(&format!("the label or value of {label:?} is another option's, too")));
        }
        let description = description.map(|text| text::block(&text, text::BODY));
        options.push(Choice { label, value, description });
    }
    Ok(options)
}

/// A text without the differences that only Unicode sees.
fn looks(text: &str) -> Cow<'_, str> {
    ComposingNormalizerBorrowed::new_nfkc().normalize(text)
}

fn minutes<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    from.deserialize_option(Whole(MINUTES))
}

fn wait_seconds<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    from.deserialize_option(Whole(0..=LONGEST_WAIT_S))
}

/// A whole number that says its range where something else is said.
struct Whole(RangeInclusive<u32>);

impl<'de> Visitor<'de> for Whole {
    type Value = Option<u32>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number from {} to {}", self.0.start(), self.0.end())
    }

    fn visit_none<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_u32(self)
    }

    fn visit_u64<E: de::Error>(self, said: u64) -> Result<Self::Value, E> {
        // What is too long is told as such, however long.
        Ok(Some(u32::try_from(said).unwrap_or(u32::MAX)))
    }
}

fn bad(detail: &str) -> Refused {
    Refused::new(400, "bad_question", detail)
}
