//! A prompt on the wire, and lists of them.

use crate::id::AgentId;
use crate::prompt::{
    Actor, Answerable, Choice, Mark, OnTimeout, OpenPrompt, PromptKind, Resolution, Risk,
};
use crate::time::UnixMs;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PromptState {
    Open,
    Resolved,
}

/// A prompt on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PromptDoc {
    pub id: String,
    pub agent_id: AgentId,
    pub kind: PromptKind,
    /// The helper that asks; absent for the agent itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub subagent: Option<String>,
    pub title: String,
    pub body: Option<String>,
    pub options: Vec<Choice>,
    pub multi_select: bool,
    pub default_action: Option<String>,
    pub expires_at: Option<UnixMs>,
    /// Until then, where it is open and the hub is asked: never negative, and in no event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub remaining_seconds: Option<u64>,
    pub opened_at: UnixMs,
    pub answerable: Vec<Answerable>,
    pub state: PromptState,
    pub resolution: Option<Resolution>,
    /// Asked again under this key it is the same question. This and what follows is told of input
    /// requests alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub dedupe_key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub on_timeout: Option<OnTimeout>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub risk: Option<Risk>,
    /// Which channels have brought it to a person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delivered: Vec<Mark>,
    /// In which channels a person has looked at it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<Mark>,
}

impl PromptDoc {
    pub fn new(agent: &AgentId, open: &OpenPrompt, resolution: Option<Resolution>) -> Self {
        let input = open.input.as_deref();
        let subagent = match &open.actor {
            Actor::Main => None,
            Actor::Sub(id) => Some(id.clone()),
        };
        Self {
            id: open.id.clone(),
            agent_id: agent.clone(),
            kind: open.ask.kind,
            subagent,
            title: open.ask.title.clone(),
            body: open.ask.body.clone(),
            options: open.ask.options.clone(),
            multi_select: open.ask.multi_select,
            default_action: input.map(|input| input.default_action.clone()),
            expires_at: input.map(|input| input.expires_at),
            remaining_seconds: None,
            opened_at: open.opened_at,
            answerable: open.ask.answerable.clone(),
            state: if resolution.is_some() { PromptState::Resolved } else { PromptState::Open },
            resolution,
            dedupe_key: input.and_then(|input| input.dedupe_key.clone()),
            on_timeout: input.map(|input| input.on_timeout),
            risk: input.map(|input| input.risk),
            delivered: input.map(|input| input.delivered.clone()).unwrap_or_default(),
            seen: input.map(|input| input.seen.clone()).unwrap_or_default(),
        }
    }
}

/// One prompt, as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OnePromptDoc {
    pub schema: u32,
    /// The answer was given before, by the same request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
    #[serde(flatten)]
    pub prompt: PromptDoc,
}

/// Prompts, the open ones oldest first, the resolved ones newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PromptsDoc {
    pub schema: u32,
    pub prompts: Vec<PromptDoc>,
}
