//! From a hook event to a fact: the one table.
//!
//! Codex 0.169.0. "measured": seen in recordings; "read": not provoked.
//!
//! | event | fact | |
//! |---|---|---|
//! | `SessionStart` | session started; it comes with the first prompt, not with the program, and after a compaction with the next prompt; `fork` without a log is a `/side`, whose events are a helper's | measured |
//! | `SessionEnd` | session ended: it leaves (`/quit`), or goes back in its conversation (Esc twice, Enter), goes on in that and tells its start anew with the next prompt; a daemon tells it a minute after its terminal has left, and a `/side` a minute after it was closed | measured |
//! | `UserPromptSubmit` | prompt submitted; what is typed into a running turn has that turn's id | measured |
//! | `PreToolUse` | tool started: before the permission, so never blocked; `request_user_input` opens a question | measured |
//! | `PostToolUse` | tool ended; none comes for a command that outlives its turn | measured |
//! | `PermissionRequest` | prompt opened; the dialog comes when the hook has ended; where a model answers (`auto_review`), none does, nor where another hook does: the daemon looks into the log and the configuration for that | measured |
//! | `SubagentStart`, `SubagentStop` | helper started, ended; both name the turn of its own that it runs, and it may outlive its main agent's | measured |
//! | `Stop` | turn ended, but for helpers, which it does not list; another hook of it may make it go on, and the log tells its end behind all of them; none comes after an error, a prompt that a hook refuses, or a command of a person's (`!`) | measured |
//! | `Interrupt` | turn interrupted: Esc, also at a dialog | measured |
//! | `PreCompact`, `PostCompact` | compaction started, ended; a manual one is a turn of its own, by its name, and has no `Stop` after it | manual measured |
//! | `PreModelRequest`, `PostModelRequest` | nothing: a failed request may be tried again, and the log tells how it ended | measured |
//!
//! Events of a helper touch nothing but its own tools and prompts. One that has lost its id is there all the same: the
//! main agent's stop is no end before it.

use super::event::Event;
use super::payload::Payload;
use super::tools::{self, QUESTION};
use crate::payload::{ANY, COMPACTS, Reasons, Wanted};
use crate::{FactExt, asks, calls, payload};
use headsup_core::observation::{Background, Fact, SessionStart, Submitter};
use headsup_core::prompt::NewPrompt;

/// `other` is the only reason that was seen (measured).
const REASONS: Reasons = Reasons {
    clears: &["clear"],
    exits: &["exit", "logout", "prompt_input_exit"],
    either: &["other"],
};

/// How a session starts (measured: `startup`, `resume`, `compact`; read).
const SOURCES: &[&str] = &["startup", "resume", "clear", "compact", "fork"];

/// Why nobody knows whose a helper's event is.
const NAMELESS: &str = "a helper without an agent_id";

pub(crate) fn fact(event: Event, payload: &Payload<'_>) -> Fact {
    match event {
        Event::PreToolUse if payload.tool().as_deref() == Some(QUESTION) => {
            opened(payload, asks::question(payload.tool_input))
        }
        Event::PreToolUse => Fact::ToolStarted {
            actor: payload.actor(),
            tool: tools::of(payload),
            turn_ref: payload.turn_ref(),
        },
        Event::PostToolUse => Fact::ToolsEnded {
            actor: payload.actor(),
            tools: vec![tools::of(payload)],
            interrupted: false,
            turn_ref: payload.turn_ref(),
        },
        Event::PermissionRequest => {
            let tool = payload.tool();
            opened(payload, asks::permission(tool.as_deref(), payload.tool_input))
        }
        Event::SubagentStart | Event::SubagentStop => {
            let starts = event == Event::SubagentStart;
            let fact = payload::helper(payload.actor(), payload.is_nameless(), starts);
            payload::in_run(fact, payload.turn_ref())
        }
        _ if payload.is_nameless() => Fact::not_understood(NAMELESS),
        _ if payload.is_helpers() => Fact::Nothing,
        Event::Stop | Event::Interrupt | Event::SessionEnd
            if payload.unreadable_end().is_some() =>
        {
            Fact::not_understood(&payload.unreadable_end().unwrap_or_default())
        }
        Event::SessionStart => Fact::SessionStarted { how: session_start(payload), attach: None },
        Event::SessionEnd => payload::session_end(payload.reason, &REASONS),
        Event::UserPromptSubmit => {
            Fact::PromptSubmitted { by: Submitter::Person, turn_ref: payload.turn_ref() }
        }
        Event::Stop => {
            let logged = payload.log().is_some();
            let background = Background { logged, ..Background::unlisted() };
            Fact::TurnEnded { background, turn_ref: payload.turn_ref() }
        }
        Event::Interrupt => Fact::TurnInterrupted { turn_ref: payload.turn_ref() },
        Event::PreCompact => payload::compaction(payload.turn_ref()),
        Event::PostCompact => Fact::CompactionEnded { manual: payload::by_person(payload.trigger) },
        Event::PreModelRequest | Event::PostModelRequest => Fact::Nothing,
    }
}

/// What an event lacks that it has in this version, or what word of it is new.
pub(crate) fn strange(event: Event, payload: &Payload<'_>) -> Option<&'static str> {
    if payload.is_unread_helpers() {
        return Some("agent_id");
    }
    let tool: Wanted<'_> = ("tool_name", payload.tool_name, ANY);
    let call = ("tool_use_id", payload.tool_use_id, ANY);
    let turn = ("turn_id", payload.turn_id, ANY);
    match event {
        Event::SessionStart => payload::strange(("source", payload.source, SOURCES)),
        Event::SessionEnd => payload::strange_end(payload.reason, &REASONS),
        Event::PreToolUse | Event::PostToolUse => payload::any_strange([tool, call, turn]),
        Event::PermissionRequest => payload::any_strange([tool, turn]),
        Event::UserPromptSubmit | Event::Stop | Event::Interrupt => payload::strange(turn),
        Event::SubagentStart | Event::SubagentStop => {
            payload::any_strange([("agent_id", payload.agent_id, ANY), turn])
        }
        Event::PreCompact | Event::PostCompact => {
            payload::any_strange([("trigger", payload.trigger, COMPACTS), turn])
        }
        Event::PreModelRequest | Event::PostModelRequest => None,
    }
}

/// `/side` is a fork that keeps no log, and goes on beside the conversation that it comes from; `/fork` and `codex fork`
/// have a log of their own, and take that one's place (measured).
fn session_start(payload: &Payload<'_>) -> SessionStart {
    let log = payload.transcript_path;
    match payload::session_start(payload.source) {
        SessionStart::Fork if log.is_there() && log.json().is_none() => SessionStart::Side,
        how => how,
    }
}

fn opened(payload: &Payload<'_>, prompt: NewPrompt) -> Fact {
    Fact::PromptOpened {
        actor: payload.actor(),
        prompt: NewPrompt { tool: calls::asked(tools::of(payload)), ..prompt },
        settle_ms: 0,
        turn_ref: payload.turn_ref(),
    }
}
