//! What people and agents ask of each other: input requests, answers, stages.

use headsup_core::id::AgentId;
use headsup_core::prompt::answer::Said;
use headsup_core::prompt::{NewPrompt, OnTimeout, Risk, Via};
use headsup_core::time::UnixMs;
use headsup_core::workflow::{By, Stage};

/// A question for a person.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) agent: AgentId,
    pub(crate) by: By,
    /// An agent that is not known is registered by it.
    pub(crate) registers: bool,
    pub(crate) ask: NewPrompt,
    pub(crate) default_action: String,
    pub(crate) timeout_ms: i64,
    pub(crate) on_timeout: OnTimeout,
    pub(crate) risk: Risk,
    /// Asked again under this key it is the same question.
    pub(crate) dedupe_key: Option<String>,
    /// The same question, where it is open, is this one.
    pub(crate) once: bool,
    /// The request that asks, where it says which one it is.
    pub(crate) request: Option<String>,
    /// The workflow waits for the answer.
    pub(crate) moves_stage: bool,
}

impl Asked {
    /// The key of a request, among those of prompts.
    pub(crate) fn request_key(id: &str) -> String {
        format!("r {id}")
    }

    /// The same question is the same as long as nothing new has begun in the seat.
    pub(crate) fn dedupe(agent: &AgentId, incarnation: u32, key: &str) -> String {
        format!("d {agent} {incarnation} {key}")
    }
}

/// An answer of a person.
#[derive(Debug)]
pub(crate) struct Given {
    pub(crate) agent: AgentId,
    pub(crate) prompt: String,
    pub(crate) said: Said,
    pub(crate) via: Via,
    pub(crate) actor: Option<String>,
    /// When it was received, on the wall clock: that decides whether it was in time.
    pub(crate) received: UnixMs,
    /// Whether it is certain that a person has given it.
    pub(crate) is_verified: bool,
}

/// A question is taken back.
#[derive(Debug)]
pub(crate) struct TakenBack {
    pub(crate) agent: AgentId,
    pub(crate) prompt: String,
    pub(crate) via: Via,
    pub(crate) actor: Option<String>,
}

/// A channel has brought a question to a person, or a person has looked at it there.
#[derive(Debug)]
pub(crate) struct Noticed {
    pub(crate) agent: AgentId,
    pub(crate) prompt: String,
    pub(crate) via: Via,
    pub(crate) seen: bool,
}

/// A move of a workflow.
#[derive(Debug)]
pub(crate) struct Moved {
    pub(crate) agent: AgentId,
    pub(crate) registers: bool,
    pub(crate) stage: Stage,
    pub(crate) by: By,
    pub(crate) message: Option<String>,
    pub(crate) phase: Option<String>,
    pub(crate) progress: Option<f64>,
    pub(crate) blockers: Vec<String>,
}
