//! The session's transcript, one JSON object a line.
//!
//! Claude Code 2.1.330 (measured unless marked). It never shows a dialog and never an exit; what it
//! tells that no hook tells is the person's Esc, and what a person has refused with words.
//!
//! | line | fact |
//! |---|---|
//! | `user` with `[Request interrupted by user…]` or `interruptedMessageId` | turn interrupted; `promptId` names the turn, or (2.1.242; 2.1.330 for Esc in a call) the queued prompt that is sent in its place, of which no `UserPromptSubmit` tells (2.1.330) |
//! | `user` of a `human` origin, or of `task-notification` | prompt logged, should its hook be lost; the others are commands of the person's own, results of calls, and the like |
//! | `user` with `isMeta` and `Stop hook feedback:` | stop undone: another hook of it has the agent go on in the same turn |
//! | `system` / `local_command` with `Compaction canceled.` on its error output | turn interrupted: Esc in `/compact` (read; 2.1.330 wrote no such line, measured) |
//! | the same with `Error during compaction` | turn failed: no hook tells of it but one of the compaction's own helper, which takes no part in the turn |
//! | `system` / `compact_boundary` of a `manual` trigger | compaction ended: without hooks nothing else tells that it was no interruption |
//! | `system` / `local_command` with `<command-name>` | command ran: what the program has done by itself for a person, of which no hook tells |
//! | `user` with `toolDenialKind` `user-rejected` and `userFeedback` | call refused: the turn goes on with these words. Without words an interruption follows |
//! | `queue-operation` | `enqueue` of a `<task-notification>`: what a background task tells waits for the end of the answer, and so does what a person has typed meanwhile, with which the next turn begins about 0.1 s behind its stop (2.1.330, 2.1.332); any other one: something was taken out, with `absorbed_mid_turn` (2.1.330) told to the model before the answer's end |
//! | `assistant` with `isApiErrorMessage` | turn failed; `error` is the code of `StopFailure` |
//! | `system` / `api_error` | working: the request is tried again, after `retryInMs` |
//! | `system` / `turn_duration` | turn ended as it should, unless `pendingBackgroundAgentCount` says that helpers go on |
//! | `assistant` of a run without a terminal (`entrypoint` `sdk-cli`) with `stop_reason` `end_turn` | the same: such a run writes no `turn_duration` |
//! | all others | nothing; the first read takes prompts, model and title from them |
//!
//! `prompt_snapshot` attachments and `api-request*` lines hold the vendor's own prompt and may have
//! hundreds of kilobytes: their members are skipped unread.

use crate::json::{self, Raw, skim};
use crate::text;
use crate::transcript::LogLine;
use headsup_core::observation::{Background, Fact, Level, Submitter};
use headsup_core::prompt::{Resolution, ResolvedBy, Via};
use headsup_core::status::WorkingReason;
use headsup_core::time::UnixMs;

const INTERRUPTED: &str = "[Request interrupted by user";
/// `/compact` throws this when it is stopped (read).
const STOPPED_COMPACTION: &str = "Compaction canceled.";
/// And this when it fails, with what the server has said behind it (measured).
const FAILED_COMPACTION: &str = "Error during compaction";

/// What a hook of its stop has said, whether by `"decision": "block"` or by an exit code of 2 (measured).
const STOP_HOOK: &str = "Stop hook feedback:";

skim! {
    Line {
        kind: "type",
        subtype: "subtype",
        session: "sessionId",
        is_sidechain: "isSidechain",
        is_meta: "isMeta",
        prompt_id: "promptId",
        origin: "origin",
        message: "message",
        content: "content",
        interrupted: "interruptedMessageId",
        denial: "toolDenialKind",
        feedback: "userFeedback",
        operation: "operation",
        reason: "reason",
        is_api_error: "isApiErrorMessage",
        error: "error",
        retry_in: "retryInMs",
        timestamp: "timestamp",
        pending_agents: "pendingBackgroundAgentCount",
        compaction: "compactMetadata",
        entrypoint: "entrypoint",
        title: "aiTitle",
        custom_title: "customTitle",
    }
}

skim! {
    Message {
        content: "content",
        model: "model",
        stop_reason: "stop_reason",
    }
}

skim! {
    Part {
        kind: "type",
        text: "text",
        call: "tool_use_id",
    }
}

skim! {
    Origin {
        kind: "kind",
    }
}

skim! {
    Compaction {
        trigger: "trigger",
    }
}

pub(crate) fn read(line: &[u8]) -> Option<LogLine> {
    let text = json::decode(line);
    let text = json::trim(&text);
    let line: Line<'_> = json::walked(text)?;
    let kind = line.kind.text()?;
    let mut read = LogLine {
        session: line.session.text().and_then(|id| text::session(&id)),
        written_at: line.timestamp.text().and_then(|at| text::id(&at)),
        ..LogLine::default()
    };
    // A helper's conversation says nothing of the main agent's turn.
    if line.is_sidechain.is_true() || kind.starts_with("api-request") {
        return Some(read);
    }
    match &*kind {
        "user" => {
            if is_interruption(&line) {
                let turn_ref = line.prompt_id.text().and_then(|id| text::id(&id));
                read.fact = Some(Fact::TurnInterrupted { turn_ref });
            } else if line.denial.json().is_some() {
                read.fact = refused(&line);
            } else if is_hooks_word(&line) {
                let turn_ref = line.prompt_id.text().and_then(|id| text::id(&id));
                read.fact = turn_ref.map(|turn_ref| Fact::StopUndone { turn_ref });
            } else {
                let by = submitter(&line);
                read.is_prompt = by == Some(Submitter::Person);
                let turn_ref = line.prompt_id.text().and_then(|id| text::id(&id));
                let logged = by.zip(turn_ref);
                read.fact = logged.map(|(by, turn_ref)| Fact::PromptLogged { by, turn_ref });
            }
        }
        "queue-operation" => read.fact = queued(&line),
        "assistant" if line.is_api_error.is_true() => {
            let code = line.error.text().map(|code| text::line(&code, text::NAME));
            let code = code.filter(|code| !code.is_empty()).unwrap_or_else(|| "unknown".to_owned());
            read.fact = Some(Fact::TurnFailed { code, detail: None, turn_ref: None });
        }
        "assistant" => {
            let message: Message<'_> = line.message.walked();
            let model = message.model.text().filter(|model| !model.starts_with('<'));
            read.model = model.map(|model| text::line(&model, text::NAME));
            let ends = message.stop_reason.text().as_deref() == Some("end_turn");
            if ends && line.entrypoint.text().as_deref() == Some("sdk-cli") {
                let background = Background::default();
                read.fact = Some(Fact::TurnEnded { background, turn_ref: None });
            }
        }
        "system" if line.subtype.text().as_deref() == Some("api_error") => {
            let reason = Some(WorkingReason::Retrying);
            let retries = Fact::Level(Level::Working { reason });
            let wait_ms = wait_ms(&line);
            read.fact = Some(wait_ms.map_or(retries, |wait_ms| Fact::AsksAgain { wait_ms }));
        }
        "system" if has_thrown(&line, STOPPED_COMPACTION) => {
            read.fact = Some(Fact::TurnInterrupted { turn_ref: None });
        }
        "system" if has_thrown(&line, FAILED_COMPACTION) => {
            let code = "compaction_failed".to_owned();
            read.fact = Some(Fact::TurnFailed { code, detail: None, turn_ref: None });
        }
        "system" if line.subtype.text().as_deref() == Some("compact_boundary") => {
            let compaction: Compaction<'_> = line.compaction.walked();
            let is_a_persons = compaction.trigger.text().as_deref() == Some("manual");
            read.fact = is_a_persons.then_some(Fact::CompactionEnded { manual: Some(true) });
        }
        "system" if is_command(&line) => read.fact = Some(Fact::CommandRan),
        "system" if line.subtype.text().as_deref() == Some("turn_duration") => {
            // With helpers behind it the turn is not over, and which they are is not said.
            if matches!(line.pending_agents.json(), None | Some("0")) {
                let background = Background::default();
                read.fact = Some(Fact::TurnEnded { background, turn_ref: None });
            }
        }
        // Read in the program, not provoked.
        "ai-title" => read.title = title(line.title),
        "custom-title" => read.title = title(line.custom_title),
        _ => {}
    }
    if read.fact.is_some() {
        if !json::is_whole(text) {
            return None;
        }
        read.name = text::line(&line.subtype.text().unwrap_or(kind), text::EVENT);
    }
    Some(read)
}

/// Is it what a hook of the main agent's stop has told it, so that it goes on?
fn is_hooks_word(line: &Line<'_>) -> bool {
    if !line.is_meta.is_true() {
        return false;
    }
    let message: Message<'_> = line.message.walked();
    message.content.text().is_some_and(|text| text.starts_with(STOP_HOOK))
}

/// Whose prompt it is, if it is one.
fn submitter(line: &Line<'_>) -> Option<Submitter> {
    let origin: Origin<'_> = line.origin.walked();
    let by = match origin.kind.text().as_deref()? {
        "human" => Submitter::Person,
        "task-notification" => Submitter::Program,
        _ => return None,
    };
    (!line.is_meta.is_true()).then_some(by)
}

/// A person has refused a call and has said what to do instead.
fn refused(line: &Line<'_>) -> Option<Fact> {
    if line.denial.text().as_deref() != Some("user-rejected") || line.feedback.text().is_none() {
        return None;
    }
    let message: Message<'_> = line.message.walked();
    let call = message.content.walked_items().find_map(|part| {
        let part: Part<'_> = part.walked();
        part.call.text().and_then(|id| text::id(&id))
    })?;
    let resolution = Resolution {
        value: Some("deny".to_owned()),
        via: Some(Via::Terminal),
        // No clock here: the gate knows when it was received.
        ..Resolution::of(ResolvedBy::Human, UnixMs::default())
    };
    Some(Fact::CallRefused { call, resolution })
}

/// How long the program waits until it asks its model once more. Nobody looks at fractions of it.
fn wait_ms(line: &Line<'_>) -> Option<u32> {
    let told = line.retry_in.json()?;
    told.split('.').next()?.parse().ok()
}

/// What a person has typed waits in the same queue. What is taken out is not named.
fn queued(line: &Line<'_>) -> Option<Fact> {
    if line.operation.text()? != "enqueue" {
        // Some versions say so (2.1.330 does): the model has read it with what a call has returned.
        let is_absorbed = line.reason.text().as_deref() == Some("absorbed_mid_turn");
        return Some(if is_absorbed { Fact::WakeAbsorbed } else { Fact::WakeQueued(false) });
    }
    let content = line.content.text()?;
    let content = content.trim_start();
    if content.starts_with("<task-notification>") {
        return Some(Fact::WakeQueued(true));
    }
    // Commands of the program's and of the shell are no prompts.
    let is_prompt = !content.is_empty() && !content.starts_with(['/', '!']);
    is_prompt.then_some(Fact::PromptQueued)
}

/// What the program does by itself for a person: `/context`, `/model`, `/rename`. A command of which the agent is told is a
/// line of type `user`.
fn is_command(line: &Line<'_>) -> bool {
    line.subtype.text().as_deref() == Some("local_command")
        && line.content.text().is_some_and(|text| text.starts_with("<command-name>"))
}

/// What a command of a person's throws is kept like that.
fn has_thrown(line: &Line<'_>, words: &str) -> bool {
    let is_it = |text: &str| text.starts_with("<local-command-stderr>") && text.contains(words);
    line.subtype.text().as_deref() == Some("local_command")
        && line.content.text().is_some_and(|text| is_it(&text))
}

fn title(title: Raw<'_>) -> Option<String> {
    let title = text::line(&title.text()?, text::TITLE);
    (!title.is_empty()).then_some(title)
}

/// The program's own words stand alone in their line; a person who types them has an `origin`.
fn is_interruption(line: &Line<'_>) -> bool {
    if line.interrupted.json().is_some() {
        return true;
    }
    if line.origin.json().is_some() {
        return false;
    }
    let message: Message<'_> = line.message.walked();
    message.content.walked_items().any(|part| {
        let part: Part<'_> = part.walked();
        let is_text = part.kind.text().as_deref() == Some("text");
        is_text && part.text.text().is_some_and(|text| text.starts_with(INTERRUPTED))
    })
}
