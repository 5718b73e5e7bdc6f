//! One JSON-RPC message, read as far as it tells of a status.

use crate::json::{self, Raw, Skim, skim};
use crate::{digest, text};
use serde_json::Value;

/// Which end has sent a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    Client,
    Agent,
}

impl Side {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Agent => "agent",
        }
    }
}

/// A message's id, as JSON: `3` and `"3"` are two ids. In place of a long one stands its digest.
pub(super) type Id = String;

/// Longer ids, in bytes of JSON, have a digest: what is told of one is short.
const LONGEST_ID: usize = 64;

/// The id that is written so.
const NULL: &str = "null";

/// What a message is. Ids are the sender's own in a request, the other end's in an answer.
#[derive(Clone, Debug)]
pub(super) enum Form<'a> {
    Request { id: Id, method: Raw<'a>, params: Raw<'a> },
    Notification { method: Raw<'a>, params: Raw<'a> },
    Result { id: Id, result: Raw<'a> },
    Error { id: Id, error: Raw<'a> },
}

/// The names of all members that are read of any message: see [`Lines`](super::lines::Lines).
pub(super) const WANTED: &[&[&str]] = &[
    Envelope::NAMES,
    Params::NAMES,
    Update::NAMES,
    Work::NAMES,
    Call::NAMES,
    Meta::NAMES,
    Answer::NAMES,
    Outcome::NAMES,
    Models::NAMES,
    Setting::NAMES,
    Failure::NAMES,
    Choice::NAMES,
];

skim! {
    Envelope {
        id: "id",
        method: "method",
        params: "params",
        result: "result",
        error: "error",
    }
}

skim! {
    /// The parameters of all requests that matter.
    Params {
        session: "sessionId",
        request: "requestId",
        update: "update",
        title: "title",
        description: "description",
        message: "message",
        call: "toolCall",
        options: "options",
        cwd: "cwd",
        model: "modelId",
    }
}

skim! {
    /// `session/update`.
    Update {
        kind: "sessionUpdate",
        state: "state",
        stop: "stopReason",
        background: "background",
        call: "toolCallId",
        title: "title",
        tool: "kind",
        status: "status",
        meta: "_meta",
        settings: "configOptions",
    }
}

skim! {
    /// Something that goes on behind a session.
    Work { kind: "type" }
}

/// How much goes on behind a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Behind {
    /// Work of agents.
    pub(super) helpers: u32,
    /// All else.
    pub(super) shells: u32,
}

skim! {
    /// A call of a tool, in a request for its permission.
    Call {
        title: "title",
        tool: "kind",
        meta: "_meta",
    }
}

skim! {
    /// What an agent adds to the protocol.
    Meta { tool: "toolName" }
}

skim! {
    /// The results of all requests that matter.
    Answer {
        version: "protocolVersion",
        session: "sessionId",
        stop: "stopReason",
        message: "messageId",
        outcome: "outcome",
        action: "action",
        models: "models",
        settings: "configOptions",
    }
}

skim! {
    Outcome { outcome: "outcome", option: "optionId" }
}

skim! {
    Models { current: "currentModelId" }
}

skim! {
    /// What a session can be set to. `OpenCode` names its model there alone (1.18.33, measured).
    Setting { id: "id", category: "category", value: "currentValue" }
}

skim! {
    Failure { code: "code", message: "message" }
}

skim! {
    Choice { id: "optionId", name: "name" }
}

/// The messages of a line; several where it is a batch. Empty: it is none.
pub(super) fn read(line: &str) -> Vec<Form<'_>> {
    let line = json::trim(line);
    if line.starts_with('[') {
        let batch: Vec<Raw<'_>> = serde_json::from_str(line).unwrap_or_default();
        return batch.into_iter().filter_map(|item| form(&item.object())).collect();
    }
    json::payload(line).ok().as_ref().and_then(form).into_iter().collect()
}

fn form<'a>(envelope: &Envelope<'a>) -> Option<Form<'a>> {
    let Envelope { id, method, params, result, error } = *envelope;
    // One that is written as `null` needs something beside it.
    let is_any = method.text().is_some() || result.is_there() || error.json().is_some();
    let id = self::id(id).filter(|id| id != NULL || is_any);
    match (id, method.text(), error.json()) {
        (Some(id), Some(_), _) => Some(Form::Request { id, method, params }),
        (None, Some(_), _) => Some(Form::Notification { method, params }),
        (Some(id), None, Some(_)) => Some(Form::Error { id, error }),
        // `null` is a result too.
        (Some(id), None, None) => Some(Form::Result { id, result }),
        (None, None, _) => None,
    }
}

/// An id as it is kept: its value, however it is written. Whoever answers may write it in another way
/// (`"\u00e9"` for `"é"`, `1` for `1.0`). A digest is no JSON, so it is no other id. `null` is one as well
/// (version 1, read), and whoever could not read a request does not know another.
pub(super) fn id(raw: Raw<'_>) -> Option<Id> {
    let Some(json) = raw.json() else { return raw.is_there().then(|| NULL.to_owned()) };
    let value = match raw.text() {
        Some(text) => Value::from(&*text).to_string(),
        None => number(json),
    };
    let digested = || format!("digest-{:016x}", digest::of_text(&value));
    Some(if value.len() <= LONGEST_ID { value } else { digested() })
}

/// A whole number in its shortest form; all else as it is.
fn number(json: &str) -> String {
    match json.parse::<f64>() {
        Ok(number) if number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0 => {
            format!("{number:.0}")
        }
        _ => json.to_owned(),
    }
}

impl Answer<'_> {
    /// The model of the session that it tells of.
    pub(super) fn model(&self) -> Option<String> {
        let models: Models<'_> = self.models.object();
        models.current.text().and_then(|model| model_name(&model)).or_else(|| set_to(self.settings))
    }
}

/// The model among a session's settings: of its category, or where there are no categories of its name
/// (`agent-client-protocol-schema` 1.20.0, read).
fn set_to(settings: Raw<'_>) -> Option<String> {
    let settings = settings.items().into_iter().map(Raw::object::<Setting<'_>>);
    let is_model = |setting: &Setting<'_>| {
        let category = setting.category.text().or_else(|| setting.id.text());
        category.as_deref() == Some("model")
    };
    settings.filter(is_model).find_map(|setting| model_name(&setting.value.text()?))
}

/// A model's name as it is told.
pub(super) fn model_name(model: &str) -> Option<String> {
    Some(text::line(model, text::NAME)).filter(|model| !model.is_empty())
}

impl Update<'_> {
    /// The model that its session works with from now on.
    pub(super) fn model(&self) -> Option<String> {
        set_to(self.settings)
    }

    /// What it lists of all that goes on behind its session. `None`: it does not say that, also where
    /// something else stands in the list's place (`agent-client-protocol-schema` 1.15.0, read).
    ///
    /// In all but terminals and calls of tools, and in what is to come, some agent works.
    pub(super) fn behind(&self) -> Option<Behind> {
        if !self.background.is_list() {
            return None;
        }
        let list = self.background.items();
        let is_shell = |work: &&Raw<'_>| {
            let work: Work<'_> = work.object();
            matches!(work.kind.text().as_deref(), Some("terminal" | "tool_call"))
        };
        let shells = list.iter().filter(is_shell).count();
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Some(Behind { helpers: count(list.len() - shells), shells: count(shells) })
    }

    /// What the tool is called, or what kind of thing it does.
    pub(super) fn tool(&self) -> String {
        name(self.meta, self.tool)
    }
}

impl Call<'_> {
    pub(super) fn tool(&self) -> String {
        name(self.meta, self.tool)
    }
}

fn name(meta: Raw<'_>, kind: Raw<'_>) -> String {
    let own = meta.object::<Meta<'_>>().tool.text();
    own.or_else(|| kind.text()).map(|name| text::line(&name, text::NAME)).unwrap_or_default()
}
