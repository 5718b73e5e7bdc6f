//! Dimension *turn*: what the agent in the seat is doing for its person.

use serde::{Deserialize, Serialize};

/// The state of the turn, with the reason that only that state can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", content = "reason", rename_all = "snake_case")]
pub enum Turn {
    /// No process: no turn.
    None,
    /// A process, and nobody says what it does.
    Unknown,
    Idle(IdleReason),
    Working(WorkingReason),
    Blocked(BlockedReason),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdleReason {
    Ready,
    TurnEnded,
    Cleared,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkingReason {
    Prompt,
    Model,
    Tool,
    Subagent,
    Background,
    Compacting,
    Retrying,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockedReason {
    Permission,
    Question,
    Elicitation,
    PlanApproval,
    Trust,
    Auth,
    ResumeDialog,
    HookReview,
    RateLimit,
    Other,
}

impl Turn {
    /// The state's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Unknown => "unknown",
            Self::Idle(_) => "idle",
            Self::Working(_) => "working",
            Self::Blocked(_) => "blocked",
        }
    }

    /// The reason's word, where the state has one.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Self::None | Self::Unknown => None,
            Self::Idle(reason) => Some(reason.word()),
            Self::Working(reason) => Some(reason.word()),
            Self::Blocked(reason) => Some(reason.word()),
        }
    }

    /// State and reason as people read them: `working(tool)`.
    pub fn phrase(self) -> String {
        match self.reason() {
            Some(reason) => format!("{}({reason})", self.word()),
            None => self.word().to_owned(),
        }
    }

    pub fn is_open(self) -> bool {
        matches!(self, Self::Working(_) | Self::Blocked(_))
    }

    /// Is a move from this state to `to` legal while the process is `running` or `starting`?
    pub fn may_become(self, to: Self, running: bool) -> bool {
        use Turn as T;
        if !running {
            // Before the program runs, only its first dialogs can be seen.
            return matches!(to, T::None | T::Unknown | T::Blocked(_));
        }
        match (self, to) {
            (T::Unknown, _) | (_, T::Unknown) => true,
            (T::None, T::None | T::Idle(_) | T::Working(_) | T::Blocked(_)) => true,
            (_, T::None) => false,
            (
                T::Idle(_) | T::Working(_) | T::Blocked(_),
                T::Idle(_) | T::Working(_) | T::Blocked(_),
            ) => true,
        }
    }
}

macro_rules! words {
    ($name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}
pub(crate) use words;

words!(IdleReason { Ready = "ready", TurnEnded = "turn_ended", Cleared = "cleared" });
words!(WorkingReason {
    Prompt = "prompt", Model = "model", Tool = "tool", Subagent = "subagent",
    Background = "background", Compacting = "compacting", Retrying = "retrying",
});
words!(BlockedReason {
    Permission = "permission", Question = "question", Elicitation = "elicitation",
    PlanApproval = "plan_approval", Trust = "trust", Auth = "auth",
    ResumeDialog = "resume_dialog", HookReview = "hook_review", RateLimit = "rate_limit",
    Other = "other",
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_starting_program_can_be_blocked_but_not_working() {
        assert!(Turn::None.may_become(Turn::Blocked(BlockedReason::Trust), false));
        assert!(!Turn::None.may_become(Turn::Working(WorkingReason::Tool), false));
        assert!(!Turn::None.may_become(Turn::Idle(IdleReason::Ready), false));
    }

    #[test]
    fn a_running_turn_never_becomes_none_by_itself() {
        for from in [Turn::Idle(IdleReason::Ready), Turn::Working(WorkingReason::Tool)] {
            assert!(!from.may_become(Turn::None, true));
            assert!(from.may_become(Turn::Unknown, true));
        }
    }
}
