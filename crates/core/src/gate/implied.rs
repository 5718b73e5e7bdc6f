//! What a fact says of the turn, in words.

use super::{process, report};
use crate::observation::{BackgroundShells, Fact, Level, SessionStart};
use crate::status::Turn;

impl Fact {
    /// What a fact says of the turn, in words for `explain`; `None` if it says nothing of it.
    pub(super) fn implies(&self, shells: BackgroundShells) -> Option<String> {
        let word = match self {
            Self::SessionStarted { how, .. } => match how {
                SessionStart::Compact => return None,
                SessionStart::Clear => "idle(cleared)",
                SessionStart::Asked => "unknown",
                _ => "idle(ready)",
            },
            Self::SessionEnded { .. } => "none",
            Self::PromptSubmitted { .. } | Self::PromptTold | Self::PromptLogged { .. } => {
                "working(prompt)"
            }
            Self::ToolStarted { actor, .. } | Self::ToolGranted { actor, .. }
                if actor.is_main() =>
            {
                "working(tool)"
            }
            Self::ToolsEnded { actor, .. } if actor.is_main() => "working(model)",
            Self::ToolStarted { .. }
            | Self::ToolGranted { .. }
            | Self::ToolsEnded { .. }
            | Self::SubagentStarted { .. }
            | Self::RunStarted { .. }
            | Self::NamesakeStarted { .. }
            | Self::HelperWorks => "working(subagent)",
            Self::PromptOpened { prompt, .. } | Self::DialogShown { prompt, .. } => {
                return Some(Turn::Blocked(prompt.reason).phrase());
            }
            Self::PromptResolved { .. } | Self::CallRefused { .. } | Self::StopUndone { .. } => {
                "working(model)"
            }
            Self::PromptRefused { .. } => "idle(turn_ended)",
            Self::PromptConfirmed => "blocked",
            Self::TurnEnded { background, .. }
                if !background.subagents.is_empty()
                    || (background.shells > 0 && shells == BackgroundShells::Working) =>
            {
                "working(background)"
            }
            Self::TurnEnded { .. }
            | Self::TurnFailed { .. }
            | Self::TurnInterrupted { .. }
            | Self::MainInterrupted
            | Self::SomeoneStopped { .. } => "idle(turn_ended)",
            Self::CompactionStarted | Self::CompactionBegun { .. } => "working(compacting)",
            Self::CompactionEnded { manual: None | Some(true) } => "idle(turn_ended)",
            Self::Answered | Self::CompactionEnded { manual: Some(false) } => "working(model)",
            Self::IdleNotice { .. }
            | Self::IdleForLong { .. }
            | Self::TurnOver
            | Self::CommandRan
            | Self::ScreenPrompt { .. } => "idle",
            Self::AsksAgain { .. } => "working(retrying)",
            Self::Level(level) => level.word(),
            Self::ScreenDialog { reason, .. }
            | Self::PartStatus { level: Some(Level::Blocked { reason, .. }), .. } => {
                return Some(Turn::Blocked(*reason).phrase());
            }
            Self::Reported(reported) => return report::phrase(reported),
            Self::Process(fact) => return process::phrase(*fact),
            Self::SubagentEnded { .. }
            | Self::RunEnded { .. }
            | Self::NamesakeEnded { .. }
            | Self::History(_)
            | Self::Nothing
            | Self::AnswerLogged
            | Self::AnswerBegun
            | Self::TurnUnanswered
            | Self::ScreenCleared
            | Self::Withdrawn
            | Self::WakeQueued(_)
            | Self::PromptQueued
            | Self::WakeAbsorbed
            | Self::PartStatus { .. }
            | Self::NotUnderstood { .. } => return None,
        };
        Some(word.to_owned())
    }
}
