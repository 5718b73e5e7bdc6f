//! What a `request_input` has beside what every prompt has: a key, a default, a deadline, and who
//! has been shown it.

use super::Via;
use crate::status::turn::words;
use crate::time::{UnixMs, stored};
use serde::{Deserialize, Serialize};

/// The shortest and the longest time that a question may stand, in minutes.
pub const MINUTES: std::ops::RangeInclusive<u32> = 1..=120;
/// How long it stands where nobody says, in minutes.
pub const USUAL_MINUTES: u32 = 30;
/// Open at once: more are no questions to a person.
pub const MOST_OF_AGENT: usize = 16;
/// More to choose from is no choice.
pub const MOST_OPTIONS: usize = 20;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Asked again under this key it is the same question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dedupe_key: Option<String>,
    /// What the asker does if nobody answers.
    pub default_action: String,
    /// A moment on the wall clock.
    #[serde(with = "stored")]
    pub expires_at: UnixMs,
    pub on_timeout: OnTimeout,
    pub risk: Risk,
    /// Asked by an agent that waits for it: its last answer brings the workflow back to work.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub moved_stage: bool,
    /// Which channels have brought it to a person, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delivered: Vec<Mark>,
    /// In which channels a person has looked at it, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<Mark>,
}

impl Input {
    /// Nobody can have known of it, as far as anybody but the agent can tell.
    pub fn nobody_saw_it(&self) -> bool {
        self.delivered.iter().chain(&self.seen).all(|mark| mark.via == Via::AgentClient)
    }
}

/// Something happened to a prompt in a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Mark {
    pub via: Via,
    pub at: UnixMs,
}

/// What a deadline does that nobody has met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnTimeout {
    /// The default is taken.
    Default,
    /// Nothing is taken: the workflow is blocked.
    Block,
    /// Nothing is taken: the asker is told that it got no answer.
    Fail,
}

words!(OnTimeout { Default = "default", Block = "block", Fail = "fail" });

/// What depends on the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    Low,
    /// No time-out may go on by itself.
    High,
}

words!(Risk { Low = "low", High = "high" });
