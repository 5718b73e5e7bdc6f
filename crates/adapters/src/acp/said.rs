//! What the hub is told of a message: small, and with all that is needed to understand it alone.

use super::message::Side;
use serde::Serialize;

/// One message as it is told, or what became of others by it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Said {
    /// What it does to the status.
    pub event: Event,
    pub from: &'static str,
    /// The method; of an answer, the one that it answers.
    pub method: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The turn of the agent as a whole that it is in.
    #[serde(rename = "turn_id", skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    #[serde(rename = "stopReason", skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// Of a failure: its number in JSON-RPC. Of a process: its exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(rename = "toolCallId", skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    #[serde(rename = "toolName", skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Of a prompt: what may be answered. Of an answer: what was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Choice>,
    /// Of a turn's end, and of what stands: what goes on behind.
    #[serde(skip_serializing_if = "is_zero")]
    pub shells: u32,
    /// Of what stands: how many prompts wait.
    #[serde(skip_serializing_if = "is_zero")]
    pub prompts: u32,
    /// Of a prompt: its session may be about to take it back.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub settles: bool,
    /// Of a turn's start: the seat comes into its session with it.
    #[serde(rename = "takesUp", skip_serializing_if = "std::ops::Not::not")]
    pub takes_up: bool,
    /// How many messages could not be told before this one.
    #[serde(skip_serializing_if = "is_zero")]
    pub lost: u64,
    /// The member by which a message says what no version of the protocol has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strange: Option<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Choice {
    #[serde(rename = "optionId")]
    pub value: String,
    #[serde(rename = "label")]
    pub words: String,
}

/// What a message does to the agent's status. The words are part of what is told: an old hub hears
/// a new proxy, and the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The agent has answered its first request: it is there.
    Ready,
    SessionStarted,
    SessionResumed,
    /// A prompt, where none was in flight in any session.
    TurnStarted,
    /// The last one in flight in any session is over.
    TurnEnded,
    TurnFailed,
    /// The agent asks for something that a person decides.
    PromptOpened,
    PromptAnswered,
    PromptCancelled,
    ToolStarted,
    ToolEnded,
    /// A title and the like.
    Described,
    /// What goes on is not known to the agent itself, or it has closed its output in the middle of it, or has lost the
    /// client that it waits for.
    Unclear,
    /// A prompt or its end beside others, and whatever else changes nothing.
    Noted,
    /// Not a message, or not one that can be read.
    Unreadable,
    /// Said again and again: how everything stands.
    Stands,
    /// The process has ended.
    Exited,
}

impl Event {
    const ALL: [Self; 17] = [
        Self::Ready,
        Self::SessionStarted,
        Self::SessionResumed,
        Self::TurnStarted,
        Self::TurnEnded,
        Self::TurnFailed,
        Self::PromptOpened,
        Self::PromptAnswered,
        Self::PromptCancelled,
        Self::ToolStarted,
        Self::ToolEnded,
        Self::Described,
        Self::Unclear,
        Self::Noted,
        Self::Unreadable,
        Self::Stands,
        Self::Exited,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::SessionStarted => "session_started",
            Self::SessionResumed => "session_resumed",
            Self::TurnStarted => "turn_started",
            Self::TurnEnded => "turn_ended",
            Self::TurnFailed => "turn_failed",
            Self::PromptOpened => "prompt_opened",
            Self::PromptAnswered => "prompt_answered",
            Self::PromptCancelled => "prompt_cancelled",
            Self::ToolStarted => "tool_started",
            Self::ToolEnded => "tool_ended",
            Self::Described => "described",
            Self::Unclear => "unclear",
            Self::Noted => "noted",
            Self::Unreadable => "unreadable",
            Self::Stands => "stands",
            Self::Exited => "exited",
        }
    }

    /// The event with this word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.word() == word)
    }

    /// Whether it can change a status: the others may be left out where there is no room.
    pub fn is_transition(self) -> bool {
        !matches!(
            self,
            Self::ToolStarted
                | Self::ToolEnded
                | Self::Described
                | Self::Noted
                | Self::Unreadable
                | Self::Stands
        )
    }
}

impl Said {
    /// The agent's process has ended: with a code, by a signal, or nobody knows how.
    pub fn exited(code: Option<i32>, signal: Option<i32>) -> Self {
        let code = code.map(i64::from);
        Self { code, signal, ..Self::new(Event::Exited, Side::Agent, "exited") }
    }

    /// So many messages could not be told.
    pub fn lost(count: u64) -> Self {
        Self { lost: count, ..Self::new(Event::Unreadable, Side::Agent, "lost") }
    }

    /// As it is sent.
    pub fn body(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub(super) fn new(event: Event, from: Side, method: &str) -> Self {
        Self {
            event,
            from: from.word(),
            method: method.to_owned(),
            id: None,
            session: None,
            turn: None,
            stop: None,
            code: None,
            signal: None,
            message: None,
            call: None,
            tool: None,
            title: None,
            description: None,
            model: None,
            cwd: None,
            options: Vec::new(),
            shells: 0,
            prompts: 0,
            settles: false,
            takes_up: false,
            lost: 0,
            strange: None,
        }
    }
}

fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}
