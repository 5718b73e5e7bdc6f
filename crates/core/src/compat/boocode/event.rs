//! The names of events that BooCode takes, and what each of them means.
//!
//! The names are those of its map, which it took from superset (2026-04 to 2026-08), and some of a
//! program whose other names it has. What they mean is not what that map says: a tool's start blocks
//! nobody, the start of a session is no work, and a notification says something only by its type.

use crate::observation::{
    Background, Fact, Reported, ReportedTurn, SessionEnd, SessionStart, Submitter,
};
use crate::prompt::{Actor, NewPrompt, ToolRef};
use crate::status::{BlockedReason, WorkingReason};

/// What an event says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A session began: idle where no turn runs.
    SessionStarted,
    /// A person handed it a prompt.
    Prompted,
    /// It goes on with its work, or begins some; whatever it waited for is settled.
    GoesOn,
    /// A person has answered what it waited for.
    Answered,
    /// A tool started: work, and no answer to what it waits for.
    ToolStarted,
    /// The program's own rules are asked about a tool: the same, and mostly of one that has started.
    ToolChecked,
    /// A tool ended: whatever asked about it is settled.
    ToolEnded,
    /// It asks a person.
    Asks(BlockedReason),
    /// A notice that it waits for a person, which may be the first word of it or come late.
    Waits(BlockedReason),
    /// A notice that it has been waiting for a prompt.
    Rests,
    /// The turn came to its end.
    Ended,
    Failed,
    Interrupted,
    /// The process left.
    Left,
    /// Nothing of the status.
    Nothing,
}

use Meaning as M;

/// Every name that is known, with what it means. `Notification` is looked up by its type.
pub const EVENTS: &[(&str, Meaning)] = &[
    ("Attached", M::SessionStarted),
    ("SessionStart", M::SessionStarted),
    ("sessionStart", M::SessionStarted),
    ("session_start", M::SessionStarted),
    ("UserPromptSubmit", M::Prompted),
    ("userPromptSubmitted", M::Prompted),
    ("user_prompt_submit", M::Prompted),
    ("beforeSubmitPrompt", M::Prompted),
    ("BeforeAgent", M::Prompted),
    ("Start", M::GoesOn),
    ("task_started", M::GoesOn),
    ("PermissionResult", M::Answered),
    ("PreToolUse", M::ToolStarted),
    ("preToolUse", M::ToolStarted),
    ("pre_tool_use", M::ToolStarted),
    ("BeforeTool", M::ToolStarted),
    ("before_tool", M::ToolStarted),
    // With every tool, before the program's own rules are asked; its `notification` tells of a dialog.
    ("permissionRequest", M::ToolChecked),
    ("PostToolUse", M::ToolEnded),
    ("postToolUse", M::ToolEnded),
    ("post_tool_use", M::ToolEnded),
    ("PostToolUseFailure", M::ToolEnded),
    ("post_tool_use_failure", M::ToolEnded),
    ("AfterTool", M::ToolEnded),
    ("PermissionRequest", M::Asks(BlockedReason::Permission)),
    ("exec_approval_request", M::Asks(BlockedReason::Permission)),
    ("apply_patch_approval_request", M::Asks(BlockedReason::Permission)),
    ("request_user_input", M::Asks(BlockedReason::Question)),
    ("Stop", M::Ended),
    ("stop", M::Ended),
    ("agentStop", M::Ended),
    ("agent-turn-complete", M::Ended),
    ("AfterAgent", M::Ended),
    ("task_complete", M::Ended),
    ("post_agent_turn", M::Ended),
    ("Failed", M::Failed),
    ("StopFailure", M::Failed),
    ("stop_failure", M::Failed),
    ("Interrupt", M::Interrupted),
    // Each try of a call of the model has one, also of one that is tried again.
    ("errorOccurred", M::Nothing),
    ("Detached", M::Left),
    ("SessionEnd", M::Left),
    ("sessionEnd", M::Left),
    ("session_end", M::Left),
];

/// The event that says nothing without its type.
pub const NOTIFICATION: [&str; 2] = ["Notification", "notification"];

/// Every type of notification that is known.
pub const NOTIFICATIONS: &[(&str, Meaning)] = &[
    ("permission_prompt", M::Waits(BlockedReason::Permission)),
    ("worker_permission_prompt", M::Waits(BlockedReason::Permission)),
    // Of the program whose turns are `BeforeAgent` to `AfterAgent`.
    ("ToolPermission", M::Waits(BlockedReason::Permission)),
    ("elicitation_dialog", M::Waits(BlockedReason::Elicitation)),
    ("elicitation_url_dialog", M::Waits(BlockedReason::Elicitation)),
    ("agent_needs_input", M::Waits(BlockedReason::Question)),
    ("idle_prompt", M::Rests),
    ("elicitation_complete", M::Nothing),
    ("elicitation_response", M::Nothing),
    ("auth_success", M::Nothing),
];

/// What every call is of: no event names its tool.
pub(super) const TOOL: &str = "tool";

impl Meaning {
    /// What an event means. `None`: it is not known, or it is a notification of a type that is not.
    pub fn of(event: &str, notification: Option<&str>) -> Option<Self> {
        let (table, name) = match notification {
            _ if !NOTIFICATION.contains(&event) => (EVENTS, event),
            None => return Some(Self::Nothing),
            Some(kind) => (NOTIFICATIONS, kind),
        };
        table.iter().find(|(known, _)| *known == name).map(|(_, meaning)| *meaning)
    }

    /// The fact that an event tells by itself. `is_blocked`: the agent waits for a person already, which a notice
    /// then only confirms. `None`: nothing of the status.
    pub(super) fn fact(self, is_blocked: bool) -> Option<Fact> {
        let (actor, turn_ref) = (Actor::Main, None);
        let tool = ToolRef { name: TOOL.to_owned(), id: None, input: None };
        let asks = |reason| {
            let prompt = NewPrompt { tool: Some(tool.clone()), ..NewPrompt::plain(reason, None) };
            Fact::PromptOpened { actor: Actor::Main, prompt, settle_ms: 0, turn_ref: None }
        };
        Some(match self {
            Self::SessionStarted => {
                Fact::SessionStarted { how: SessionStart::Startup, attach: None }
            }
            Self::Prompted => Fact::PromptSubmitted { by: Submitter::Person, turn_ref },
            Self::GoesOn => Fact::Reported(Reported {
                turn: Some(ReportedTurn::Working(WorkingReason::Model)),
                detail: None,
                outcome: None,
                process: None,
            }),
            Self::Answered => Fact::Answered,
            Self::ToolStarted | Self::ToolChecked => Fact::ToolStarted { actor, tool, turn_ref },
            Self::ToolEnded => {
                Fact::ToolsEnded { actor, tools: vec![tool], interrupted: false, turn_ref }
            }
            Self::Waits(_) if is_blocked => Fact::PromptConfirmed,
            Self::Asks(reason) | Self::Waits(reason) => asks(reason),
            Self::Rests => Fact::IdleNotice { turn_ref: None },
            Self::Ended => Fact::TurnEnded { background: Background::default(), turn_ref },
            Self::Failed => Fact::TurnFailed { code: "failed".to_owned(), detail: None, turn_ref },
            Self::Interrupted => Fact::TurnInterrupted { turn_ref },
            // A chat's agent has no process that we watch; where one does, it tells.
            Self::Left => Fact::SessionEnded { how: SessionEnd::Either },
            Self::Nothing => return None,
        })
    }
}
