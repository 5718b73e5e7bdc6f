//! From what a proxy tells of a message to a fact: the one table.
//!
//! | told | message | fact |
//! |---|---|---|
//! | `ready` | `initialize` answered | idle |
//! | `session_started`, `session_resumed` | `session/new`, `session/fork`; `session/load`, `session/resume` answered | session started, if nothing else is under way |
//! | `turn_started` | `session/prompt`, `state_update: running` | prompt submitted; in a session that was taken up while others were at work, with that session |
//! | `turn_ended` | the last prompt in flight answered, `state_update: idle`, `session/close` or `session/delete` answered | turn ended with `end_turn`; failed with `error`, and with `end_turn` where another session has failed before; with all other reasons it was stopped before its end, and was not completed: interrupted |
//! | `turn_failed` | a JSON-RPC error in its place, or in that of the first answer to `initialize` | turn failed; interrupted where the request was cancelled |
//! | `prompt_opened` | `session/request_permission`, `elicitation/create`, `state_update: requires_action` | prompt opened |
//! | `prompt_answered`, `prompt_cancelled` | their answer, `$/cancel_request`, the end of their session's turn or of itself | prompt resolved |
//! | `tool_started`, `tool_ended` | `tool_call`, `tool_call_update` in a turn | tool started, ended |
//! | `described` | `session_info_update` of the session that was taken up last, or before it was; `config_option_update`, `session/set_model` and `session/set_config_option` answered, where the model of the session that was taken up last is another one | nothing, with a title or a model |
//! | `unclear` | `state_update: unknown`, where nothing else is under way and nothing is asked; the end of the agent's output, or of its client's while it waits for that, where it lives on | the turn is unknown, and goes on |
//! | `stands` | every 15 s, but not while it is unclear; where it is so no more, where only what goes on behind has changed, and behind an end that does not list it | the level of all sessions together |
//! | `exited` | the process has ended | process exited |

use super::said::Event;
use crate::json::{Raw, skim};
use crate::{FactExt, asks, text};
use headsup_core::observation::{
    Background, Fact, Level, ProcessFact, Reported, ReportedTurn, SessionStart, Submitter,
};
use headsup_core::prompt::{Actor, Choice, NewPrompt, PromptKind, Resolution, ResolvedBy, ToolRef};
use headsup_core::status::{BlockedReason, Exit};
use headsup_core::time::UnixMs;

skim! {
    /// What a proxy tells: see [`Said`](super::Said).
    Told {
        event: "event",
        method: "method",
        id: "id",
        session: "sessionId",
        turn: "turn_id",
        stop: "stopReason",
        code: "code",
        signal: "signal",
        message: "message",
        call: "toolCallId",
        tool: "toolName",
        title: "title",
        description: "description",
        model: "model",
        cwd: "cwd",
        options: "options",
        shells: "shells",
        prompts: "prompts",
        settles: "settles",
        takes_up: "takesUp",
        lost: "lost",
        strange: "strange",
    }
}

skim! {
    Answer { value: "optionId", label: "label" }
}

/// Tools of agents that ask a question by a request for permission (Qwen Code 0.24.4, measured).
const QUESTIONS: [&str; 2] = ["ask_user_question", "AskUserQuestion"];

/// A session that has just been answered says within a moment that it goes on, if it does.
const SETTLE_MS: u32 = 1_000;

/// JSON-RPC's number for a request that was cancelled (ACP v1 and v2).
pub(super) const CANCELLED: i64 = -32_800;

pub(super) fn fact(event: &str, told: &Told<'_>) -> Fact {
    let Some(event) = Event::named(event) else { return Fact::not_understood("not known") };
    match event {
        Event::Ready => Fact::Level(Level::Idle { shells: 0 }),
        Event::SessionStarted => Fact::SessionStarted { how: SessionStart::Startup, attach: None },
        Event::SessionResumed => Fact::SessionStarted { how: SessionStart::Resume, attach: None },
        Event::TurnStarted => {
            let by_person = told.method.text().as_deref() == Some("session/prompt");
            let by = if by_person { Submitter::Person } else { Submitter::Program };
            Fact::PromptSubmitted { by, turn_ref: turn(told) }
        }
        Event::TurnEnded => ended(told),
        Event::TurnFailed => failed(told),
        Event::PromptOpened => {
            let (prompt, turn_ref) = (prompt(told), turn(told));
            let settle_ms = if told.settles.is_true() { SETTLE_MS } else { 0 };
            Fact::PromptOpened { actor: Actor::Main, prompt, settle_ms, turn_ref }
        }
        Event::PromptAnswered => resolved(told, ResolvedBy::Elsewhere),
        Event::PromptCancelled => resolved(told, ResolvedBy::Cancelled),
        Event::ToolStarted => {
            Fact::ToolStarted { actor: Actor::Main, tool: tool(told), turn_ref: turn(told) }
        }
        Event::ToolEnded => {
            let (tools, turn_ref) = (vec![tool(told)], turn(told));
            Fact::ToolsEnded { actor: Actor::Main, tools, interrupted: false, turn_ref }
        }
        Event::Described | Event::Noted => Fact::Nothing,
        // Nothing has ended, and what goes on is no more than its last known one.
        Event::Unclear => {
            let turn = Some(ReportedTurn::Unknown);
            Fact::Reported(Reported { turn, detail: None, outcome: None, process: None })
        }
        Event::Stands => Fact::Level(level(told)),
        Event::Exited => {
            let number = |raw: Raw<'_>| raw.json().and_then(|json| json.parse().ok());
            let exit = Exit::from_wait(number(told.code), number(told.signal), false);
            Fact::Process(ProcessFact::Exited(exit))
        }
        Event::Unreadable => {
            let lost: u64 = count(told.lost);
            let why = told.message.text().map(|why| text::line(&why, text::DETAIL));
            let why = why.unwrap_or_else(|| format!("{lost} messages could not be told"));
            Fact::NotUnderstood { why }
        }
    }
}

fn turn(told: &Told<'_>) -> Option<String> {
    told.turn.text().and_then(|id| text::id(&id))
}

/// Only a turn that has come to its own end is completed. No other end says what it leaves behind:
/// `stands` follows it.
fn ended(told: &Told<'_>) -> Fact {
    let turn_ref = turn(told);
    match told.stop.text().as_deref() {
        Some("end_turn") => {
            let background = Background { shells: count(told.shells), ..Background::default() };
            Fact::TurnEnded { background, turn_ref }
        }
        Some("error") => Fact::TurnFailed { code: "error".to_owned(), detail: None, turn_ref },
        _ => Fact::TurnInterrupted { turn_ref },
    }
}

fn failed(told: &Told<'_>) -> Fact {
    let turn_ref = turn(told);
    let number = told.code.json().and_then(|code| code.parse().ok());
    let code = match number {
        Some(CANCELLED) => return Fact::TurnInterrupted { turn_ref },
        Some(-32_000) => "authentication_required".to_owned(),
        Some(-32_002) => "resource_not_found".to_owned(),
        Some(-32_603) => "internal_error".to_owned(),
        Some(-32_602) => "invalid_params".to_owned(),
        Some(-32_601) => "method_not_found".to_owned(),
        Some(-32_600) => "invalid_request".to_owned(),
        Some(number) => format!("error_{number}"),
        None => "error".to_owned(),
    };
    let detail = told.message.text().map(|message| text::line(&message, text::DETAIL));
    Fact::TurnFailed { code, detail, turn_ref }
}

fn prompt(told: &Told<'_>) -> NewPrompt {
    let (kind, reason) = reason(told);
    let words = told.title.text().map(|title| text::line(&title, text::TITLE));
    let words = words.filter(|title| !title.is_empty());
    let name = told.tool.text().map(|tool| text::line(&tool, text::NAME));
    let title = match (words, name) {
        (Some(title), _) => title,
        (None, Some(tool)) => tool,
        (None, None) => NewPrompt::untitled(reason),
    };
    let options = told.options.items().into_iter().filter_map(|option| {
        let option: Answer<'_> = option.object();
        let value = text::line(&option.value.text()?, text::NAME);
        let label = option.label.text().map(|label| text::line(&label, text::NAME));
        Some(Choice { label: label.unwrap_or_else(|| value.clone()), value, description: None })
    });
    NewPrompt {
        key: key(told),
        body: told.description.text().and_then(|body| asks::block(&body)),
        options: options.collect(),
        ..asks::prompt(kind, reason, title)
    }
}

fn reason(told: &Told<'_>) -> (PromptKind, BlockedReason) {
    let is_question = told.tool.text().is_some_and(|tool| QUESTIONS.contains(&&*tool));
    match told.method.text().as_deref() {
        Some("elicitation/create") => (PromptKind::Elicitation, BlockedReason::Elicitation),
        Some("session/request_permission") if is_question => {
            (PromptKind::Question, BlockedReason::Question)
        }
        Some("session/request_permission") => (PromptKind::Permission, BlockedReason::Permission),
        _ => (PromptKind::Dialog, BlockedReason::Other),
    }
}

/// Ids count in one connection; sessions of two have two names.
fn key(told: &Told<'_>) -> Option<String> {
    let id = told.id.text()?;
    let session = told.session.text().unwrap_or_default();
    Some(text::line(&format!("{session} {id}"), text::DETAIL))
}

fn resolved(told: &Told<'_>, by: ResolvedBy) -> Fact {
    let chosen = told.options.items().into_iter().next();
    let value = chosen.and_then(|option| option.object::<Answer<'_>>().value.text());
    let value = value.map(|value| text::line(&value, text::NAME));
    let resolution = Resolution { value, ..Resolution::of(by, UnixMs(0)) };
    let (_, reason) = reason(told);
    Fact::PromptResolved { actor: Actor::Main, reason, key: key(told), resolution }
}

fn tool(told: &Told<'_>) -> ToolRef {
    let name = told.tool.text().or_else(|| told.title.text());
    let name = name.map(|name| text::line(&name, text::NAME)).filter(|name| !name.is_empty());
    ToolRef {
        name: name.unwrap_or_else(|| "tool".to_owned()),
        id: told.call.text().and_then(|id| text::id(&id)),
        input: None,
    }
}

fn level(told: &Told<'_>) -> Level {
    if count::<u32>(told.prompts) > 0 {
        let (_, reason) = reason(told);
        return Level::Blocked { reason, detail: None };
    }
    match told.turn.text() {
        Some(_) => Level::Working { reason: None },
        None => Level::Idle { shells: count(told.shells) },
    }
}

fn count<T: std::str::FromStr + Default>(raw: Raw<'_>) -> T {
    raw.json().and_then(|json| json.parse().ok()).unwrap_or_default()
}
