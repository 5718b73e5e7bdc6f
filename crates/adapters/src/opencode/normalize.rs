//! From an event to a fact: the one table.
//!
//! OpenCode 1.18.33, Kilo 7.7.9. "measured": seen in recordings; "read": not provoked.
//!
//! | event | fact | |
//! |---|---|---|
//! | `plugin.init` | session started, of which nothing is known yet: the program comes up. A run without a terminal is told of with its conversation alone, and a command that has no agent (`models`, `session list`) not at all | measured |
//! | `session.started` | session started: the first one, one that is taken up again, or another one in the same terminal. Of a run without a terminal behind its prompt: who can type to it | measured |
//! | `session.created` | helper started: a session with a parent | measured |
//! | `session.status` of `busy` | prompt submitted, once for a turn; the same turn again only confirms. A helper's: helper started | measured |
//! | `session.status` of `retry`, as which the plugin also tells that Kilo waits for its network | the same: the turn goes on | measured, Kilo's read |
//! | `session.status` of `compacting`, as which the plugin tells that the conversation is summed up | compaction started; a helper's: helper started | measured |
//! | `session.compacted`, also where that came to nothing | compaction ended; what comes next tells whether the turn goes on | measured |
//! | `session.idle` | turn ended; failed, if an error was its last word; interrupted, if it was stopped, also before the model was asked, where its answer alone says so, and as a command of a person's own (`!`), or ends with a request that was refused; over without an answer, if the answer to one or its error could not be read. While helpers go on, it lists them, and comes again with the end of the last one, which its error and its deletion are, too. Of a turn that goes on beside the conversation that was prompted after it, by its own session and turn. A helper's: helper ended. Of no turn: idle, all that runs in the terminal | measured, helpers and conversations that go on read |
//! | `permission.asked`, `question.asked` | prompt opened; of a run without a terminal, which rejects it by itself, if it stays | measured |
//! | `permission.replied`, `question.replied`, `question.rejected` | prompt resolved, or refused where the turn ends with it: a refusal with a word of advice does not end it. None comes for what is open when a turn is stopped | measured |
//! | `message.part.updated` | tool started, before it asks; tool ended, also with an error | measured |
//! | `session.updated` | nothing but a title and a model | measured |
//! | `session.deleted` | session ended. A helper's, or another conversation's in the same terminal: helper ended. Behind the end of the one that is shown, another that goes on is started, with what is asked there | read |
//! | any with `not_understood` | nothing: the plugin could not read it. New names of a status, too | by construction |
//! | `session.status`, `session.idle` with a status that nobody knows, or with none where there is one | nothing | by construction |
//! | `dispose` | session ended, and perhaps the program: it also comes when the configuration is read anew | measured |

use super::payload::Payload;
use crate::json::Raw;
use crate::payload::ANY;
use crate::text::{self, DETAIL, NAME};
use crate::{FactExt, asks, background, payload};
use headsup_core::observation::{Background, Fact, SessionEnd, Submitter};
use headsup_core::prompt::{Actor, NewPrompt, Resolution, ResolvedBy, Via};
use headsup_core::status::{Attach, BlockedReason};
use headsup_core::time::UnixMs;

/// A run without a terminal rejects by itself what it asks, within a tenth of this (measured). Milliseconds.
const ANSWERS_MS: u32 = 1_500;

/// The plugin's own word for a status.
const SUMS_UP: &str = "compacting";

pub(super) fn fact(event: &str, payload: &Payload<'_>) -> Fact {
    if let Some(why) = payload.not_understood.text() {
        return Fact::not_understood(&text::line(&why, DETAIL));
    }
    match (event, payload.actor()) {
        ("plugin.init" | "session.started", _) => Fact::SessionStarted {
            how: payload::session_start(payload.source),
            attach: attach(payload),
        },
        // What it means is not known: neither work nor rest.
        ("session.status", _) if strange(event, payload) == Some(STATUS) => Fact::Nothing,
        ("session.created" | "session.status", Actor::Sub(id)) => Fact::SubagentStarted { id },
        ("session.idle" | "session.deleted", Actor::Sub(id)) => Fact::SubagentEnded { id },
        ("session.status", Actor::Main) if payload.status.text().as_deref() == Some(SUMS_UP) => {
            Fact::CompactionStarted
        }
        // The plugin tells it only of what it has told the start of, whoever is in front by then.
        ("session.compacted", _) => Fact::CompactionEnded { manual: Some(false) },
        ("session.status", Actor::Main) => {
            Fact::PromptSubmitted { by: Submitter::Person, turn_ref: payload.turn_ref() }
        }
        ("session.idle" | "session.deleted" | "dispose", _)
            if payload.session_id.is_other_than('"')
                || payload.turn_id.is_other_than('"')
                || payload.background_tasks.is_other_than('[') =>
        {
            Fact::not_understood("whose end it is cannot be read")
        }
        ("session.idle", Actor::Main) if strange(event, payload) == Some(STATUS) => Fact::Nothing,
        ("session.idle", Actor::Main) => rested(payload),
        ("session.deleted", Actor::Main) => Fact::SessionEnded { how: SessionEnd::Clear },
        ("dispose", _) => Fact::SessionEnded { how: SessionEnd::Either },
        ("permission.asked" | "question.asked", actor) => opened(event, actor, payload),
        ("permission.replied" | "question.replied" | "question.rejected", actor) => {
            resolved(event, actor, payload)
        }
        ("message.part.updated", actor) => tool(actor, payload),
        ("session.created" | "session.updated", _) => Fact::Nothing,
        (other, _) => payload::unknown(other),
    }
}

/// The member by which it tells how something stands, and the words in it: of a session at work, of one at rest, and of
/// a call.
const STATUS: &str = "status";
const WORKS: &[&str] = &["busy", "retry", SUMS_UP];
const RESTS: &[&str] = &["ended", "background", "stopped", "unclear", "failed"];
const CALLS: &[&str] = &["running", "completed", "error"];

/// What the plugin has not told that it tells in this version, or in what word that is new: it may be of another one.
pub(super) fn strange(event: &str, payload: &Payload<'_>) -> Option<&'static str> {
    const HOW: &[&str] = &["startup", "resume", "clear"];
    const WHO: &[&str] = &["headless", "interactive"];
    let status = |words| payload::strange((STATUS, payload.status, words));
    // `null` counts as absent.
    let has_status = payload.status.json().is_some();
    match event {
        "plugin.init" => payload::strange(("mode", payload.mode, WHO)),
        "session.started" => {
            let source = payload.source;
            let how = payload::strange(("source", source, HOW)).filter(|_| source.json().is_some());
            how.or_else(|| payload::strange(("mode", payload.mode, WHO)))
        }
        "session.status" => status(WORKS),
        // One that has asked something and done nothing else has had no turn.
        "session.idle" if has_status => status(RESTS),
        // Of a helper it does not say how, and all that runs in a terminal rests in no turn.
        "session.idle" => {
            let is_turns = payload.actor().is_main() && payload.turn_ref().is_some();
            is_turns.then_some(STATUS)
        }
        "permission.asked" | "question.asked" => {
            payload::strange(("prompt_id", payload.prompt_id, ANY))
        }
        "permission.replied" | "question.replied" | "question.rejected" => {
            let id = payload::strange(("prompt_id", payload.prompt_id, ANY));
            id.or_else(|| status(RESTS).filter(|_| has_status))
        }
        "message.part.updated" => status(CALLS),
        _ => None,
    }
}

fn attach(payload: &Payload<'_>) -> Option<Attach> {
    match payload.mode.text().as_deref() {
        Some("headless") => Some(Attach::Headless),
        Some("interactive") => Some(Attach::Interactive),
        _ => None,
    }
}

fn rested(payload: &Payload<'_>) -> Fact {
    let turn_ref = payload.turn_ref();
    if turn_ref.is_none() {
        return Fact::IdleNotice { turn_ref: None };
    }
    match payload.status.text().as_deref() {
        Some("ended") => Fact::TurnEnded { background: Background::default(), turn_ref },
        Some("background") => {
            Fact::TurnEnded { background: background::of(payload.background_tasks), turn_ref }
        }
        Some("stopped") => Fact::TurnInterrupted { turn_ref },
        Some("unclear") => Fact::TurnUnanswered,
        Some("failed") => Fact::TurnFailed {
            code: name(payload.error).unwrap_or_else(|| "unknown".to_owned()),
            detail: payload.message.text().map(|message| text::line(&message, DETAIL)),
            turn_ref,
        },
        _ => Fact::Nothing,
    }
}

fn name(word: Raw<'_>) -> Option<String> {
    let name = text::line(&word.text()?, NAME);
    (!name.is_empty()).then_some(name)
}

fn opened(event: &str, actor: Actor, payload: &Payload<'_>) -> Fact {
    let prompt = match event {
        "question.asked" => asks::question(payload.tool_input),
        _ => asks::permission(payload.tool().as_deref(), payload.tool_input),
    };
    // The input here is not that of the call's start.
    let tool = payload.tool_use_id.text().map(|_| {
        let mut call = payload.call();
        call.input = None;
        call
    });
    Fact::PromptOpened {
        actor,
        prompt: NewPrompt { key: payload.key(), tool, ..prompt },
        settle_ms: if attach(payload) == Some(Attach::Headless) { ANSWERS_MS } else { 0 },
        turn_ref: payload.turn_ref(),
    }
}

fn resolved(event: &str, actor: Actor, payload: &Payload<'_>) -> Fact {
    let reason = match event {
        "permission.replied" => BlockedReason::Permission,
        _ => BlockedReason::Question,
    };
    let value = match event {
        "question.rejected" => Some("reject".to_owned()),
        _ => name(payload.reply),
    };
    let resolution = Resolution {
        value,
        via: Some(Via::Terminal),
        // No clock here: the gate knows when it was received.
        ..Resolution::of(ResolvedBy::Human, UnixMs::default())
    };
    let key = payload.key();
    match (&actor, payload.status.text().as_deref()) {
        (Actor::Main, Some("stopped")) => {
            Fact::PromptRefused { reason, key, resolution, turn_ref: payload.turn_ref() }
        }
        _ => Fact::PromptResolved { actor, reason, key, resolution },
    }
}

fn tool(actor: Actor, payload: &Payload<'_>) -> Fact {
    let turn_ref = payload.turn_ref();
    match payload.status.text().as_deref() {
        Some("running") => Fact::ToolStarted { actor, tool: payload.call(), turn_ref },
        Some("completed" | "error") => {
            Fact::ToolsEnded { actor, tools: vec![payload.call()], interrupted: false, turn_ref }
        }
        _ => Fact::Nothing,
    }
}
