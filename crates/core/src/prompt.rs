//! A prompt: anything that waits for a human.

pub mod answer;
pub mod input;

pub use input::{Input, Mark, OnTimeout, Risk};

use crate::id::AgentId;
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

impl ToolRef {
    /// The name of a call whose tool was not told.
    pub const UNNAMED: &'static str = "unknown";

    pub fn is_unnamed(&self) -> bool {
        self.name == Self::UNNAMED
    }

    /// May both be one call, by its tool and its input? Where one of them does not name its tool, its input must do.
    pub fn is_like(&self, other: &Self) -> bool {
        let is_untold = (self.is_unnamed() || other.is_unnamed()) && self.input.is_some();
        (self.name == other.name || is_untold) && self.input == other.input
    }
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
            title: title.map_or_else(|| Self::untitled(reason), str::to_owned),
            body: None,
            options: Vec::new(),
            multi_select: false,
            answerable: vec![Answerable::Terminal],
        }
    }

    /// A title for what is asked in no words that are known.
    pub fn untitled(reason: BlockedReason) -> String {
        match reason {
            BlockedReason::Other => "Action required".to_owned(),
            _ => reason.word().replace('_', " "),
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
    /// It was told by a notice that may be late and names no call: nothing such tells how it is answered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_notice: bool,
    /// How its request reads in the log, where a notice that reads otherwise was taken for its.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logged: Option<String>,
    #[serde(flatten)]
    pub ask: NewPrompt,
    /// What an input request has beside that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Box<Input>>,
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
    /// The agent's own program has asked whoever sits before it. Nobody but the agent vouches for that.
    AgentClient,
}

words!(Via {
    Web = "web", Cli = "cli", Tui = "tui", Comment = "comment", Terminal = "terminal",
    Api = "api", Notification = "notification", AgentClient = "agent_client",
});

/// The agent whose prompt has this id; `None` if it cannot be one's. Ids are `AGENT-pNUMBER`.
pub fn agent_of(id: &str) -> Option<AgentId> {
    let (agent, number) = id.rsplit_once("-p")?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    AgentId::new(agent).ok().filter(|_| is_number)
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
    /// What was chosen, where several could be; `value` names them all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// The value is what the asker said it would do by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub default_used: bool,
    /// It ended by its deadline, and no channel had brought it to anybody.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nobody_saw_it: bool,
    /// A person has been asked and does not want to answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub declined: bool,
    /// False where the channel cannot show that it was a person.
    #[serde(default = "by_itself", skip_serializing_if = "is_by_itself")]
    pub verified: bool,
}

fn by_itself() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over like this")]
fn is_by_itself(verified: &bool) -> bool {
    *verified
}

impl Resolution {
    /// It went away in the terminal; what was chosen is not known.
    pub fn elsewhere(at: UnixMs) -> Self {
        Self { via: Some(Via::Terminal), ..Self::of(ResolvedBy::Elsewhere, at) }
    }

    pub fn cancelled(at: UnixMs) -> Self {
        Self::of(ResolvedBy::Cancelled, at)
    }

    /// Of which nothing more is known than how and when.
    pub fn of(by: ResolvedBy, at: UnixMs) -> Self {
        let (value, via, actor, values) = (None, None, None, Vec::new());
        Self {
            by,
            value,
            via,
            actor,
            at,
            values,
            default_used: false,
            nobody_saw_it: false,
            declined: false,
            verified: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_in_no_words_has_a_title_that_people_can_read() {
        let title = |reason| NewPrompt::plain(reason, None).title;
        assert_eq!(title(BlockedReason::PlanApproval), "plan approval");
        assert_eq!(title(BlockedReason::Other), "Action required");
        assert_eq!(NewPrompt::plain(BlockedReason::Other, Some("EU West")).title, "EU West");
    }
}
