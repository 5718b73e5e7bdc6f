//! A prompt: anything that waits for a human.

use crate::status::BlockedReason;
use crate::status::turn::words;
use crate::time::UnixMs;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PromptKind {
    Permission,
    Question,
    Elicitation,
    PlanApproval,
    /// Trust, sign-in, resume, rate limit and the like: answerable in the terminal only.
    Dialog,
    /// A `request_input`: ends only by answer, deadline or cancel.
    Input,
}

words!(PromptKind {
    Permission = "permission", Question = "question", Elicitation = "elicitation",
    PlanApproval = "plan_approval", Dialog = "dialog", Input = "input",
});

/// Whose prompt it is: the agent's own, or a named helper's.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    Main,
    Sub(String),
}

impl Actor {
    pub fn is_main(&self) -> bool {
        *self == Self::Main
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Choice {
    pub label: String,
    pub value: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub description: Option<String>,
}

/// Where an answer can be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Answerable {
    Hook,
    Api,
    Terminal,
    Mcp,
}

/// The tool call a prompt or an event is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolRef {
    pub name: String,
    /// The vendor's id of this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Digest of the tool's input, to match calls where no id is carried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
}

/// What a source knows of a prompt at its opening.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewPrompt {
    pub kind: PromptKind,
    pub reason: BlockedReason,
    /// The vendor's id of the prompt, where it has one.
    pub key: Option<String>,
    pub tool: Option<ToolRef>,
    pub title: String,
    pub body: Option<String>,
    pub options: Vec<Choice>,
    pub multi_select: bool,
    pub answerable: Vec<Answerable>,
}

impl NewPrompt {
    /// A prompt of which only the reason is known, and at best a line of text. It can be
    /// answered where it is shown.
    pub fn plain(reason: BlockedReason, title: Option<&str>) -> Self {
        let kind = match reason {
            BlockedReason::Permission => PromptKind::Permission,
            BlockedReason::Question => PromptKind::Question,
            BlockedReason::Elicitation => PromptKind::Elicitation,
            BlockedReason::PlanApproval => PromptKind::PlanApproval,
            _ => PromptKind::Dialog,
        };
        Self {
            kind,
            reason,
            key: None,
            tool: None,
            title: title.map_or_else(|| reason.word().replace('_', " "), str::to_owned),
            body: None,
            options: Vec::new(),
            multi_select: false,
            answerable: vec![Answerable::Terminal],
        }
    }
}

/// An open prompt in a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenPrompt {
    pub id: String,
    pub actor: Actor,
    #[serde(with = "crate::time::stored")]
    pub opened_at: UnixMs,
    pub source: crate::source::Source,
    #[serde(flatten)]
    pub ask: NewPrompt,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ResolvedBy {
    Human,
    Timeout,
    Agent,
    /// Answered where we could not see it: in the agent's own terminal.
    Elsewhere,
    Cancelled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Via {
    Web,
    Cli,
    Tui,
    Comment,
    Terminal,
    Api,
    Notification,
}

/// How a prompt ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Resolution {
    pub by: ResolvedBy,
    pub value: Option<String>,
    pub via: Option<Via>,
    pub actor: Option<String>,
    pub at: UnixMs,
}

impl Resolution {
    /// It went away in the terminal; what was chosen is not known.
    pub fn elsewhere(at: UnixMs) -> Self {
        let via = Some(Via::Terminal);
        Self { by: ResolvedBy::Elsewhere, value: None, via, actor: None, at }
    }

    pub fn cancelled(at: UnixMs) -> Self {
        Self { by: ResolvedBy::Cancelled, value: None, via: None, actor: None, at }
    }
}
