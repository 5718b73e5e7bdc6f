//! The log of a conversation, `sessions/YYYY/MM/DD/rollout-*.jsonl`, one JSON object a line.
//!
//! Codex 0.169.0 (measured unless marked). It never shows a dialog and never an exit; what it tells
//! that no hook tells is that a turn has ended by an error, and early enough that a command has. A
//! line that says something of a turn names it, so one that is read late changes nothing.
//!
//! | line | fact |
//! |---|---|
//! | `event_msg` / `task_started` | a turn begins, by a person if `turn_trigger` is `user` or `exec`, and towards a goal (`/goal`) if it is `goal`; `/compact` has none |
//! | `event_msg` / `thread_goal_updated`, `thread_goal_cleared` | with an `active` goal the next turn begins about 15 ms behind a stop, and the terminal shows work throughout; with any other status (measured: `paused`), and without one, none does |
//! | `response_item` / `function_call_output` of `create_goal`, `update_goal` | the same, of a goal that the agent has set or reached itself |
//! | `event_msg` / `task_complete` | turn ended, and all hooks of it with it, also those of a compaction; with `error`, failed: `codex_error_info` is the code |
//! | `event_msg` / `item_completed` of a command of the agent's | its call has ended. Of several that are asked about at once hooks tell the end of all but the last only behind its answer |
//! | `retained_context` / `verified_answer` | a question is answered, as the call of that name asks it; it stands there some 20 ms before the hook of its end |
//! | `event_msg` / `item_completed` of a `HookPrompt` | another hook of the stop has made the turn go on |
//! | `event_msg` / `turn_aborted` | turn interrupted, whatever the `reason` (measured: `interrupted`) |
//! | all others, also `compacted` | nothing; the first read takes prompts and model from them |
//!
//! A helper has a log of its own beside it, whose name ends with the helper's id. Of that its ends, and those of its
//! commands, are taken.

use super::tools::SHELL;
use crate::json::{self, Raw, skim};
use crate::text;
use crate::transcript::LogLine;
use headsup_core::observation::{Background, Fact, Submitter};
use headsup_core::prompt::{Actor, Resolution, ToolRef};
use headsup_core::time::UnixMs;

skim! {
    Line {
        kind: "type",
        timestamp: "timestamp",
        payload: "payload",
    }
}

skim! {
    Payload {
        kind: "type",
        thread_id: "thread_id",
        turn_id: "turn_id",
        root_turn_id: "root_turn_id",
        call_id: "call_id",
        reason: "reason",
        attribution: "turn_attribution",
        error: "error",
        item: "item",
        model: "model",
        goal: "goal",
        output: "output",
    }
}

skim! {
    Attribution {
        trigger: "turn_trigger",
    }
}

skim! {
    Item {
        kind: "type",
        id: "id",
        source: "source",
    }
}

skim! {
    /// What its own tools for goals answer.
    Answer {
        goal: "goal",
    }
}

skim! {
    Goal {
        status: "status",
    }
}

skim! {
    /// What a turn ended by.
    Failure {
        message: "message",
        info: "codex_error_info",
    }
}

pub(crate) fn read(line: &[u8]) -> Option<LogLine> {
    let text = json::decode(line);
    let (line, mut read) = begin(&text)?;
    match &*line.kind.text()? {
        "turn_context" => {
            let payload: Payload<'_> = line.payload.walked();
            read.model = payload.model.text().map(|model| text::line(&model, text::NAME));
        }
        "event_msg" => event(line.payload.walked(), &mut read),
        "response_item" => answered(line.payload, &mut read),
        "retained_context" => question(&line.payload.walked(), &mut read),
        _ => {}
    }
    end(&text, read)
}

/// A line of a helper's log. It tells what no hook does: that it was stopped, as by a refusal, or has failed; and its end
/// behind all of its hooks, should one be lost. One that is `replaced` goes on. The log begins with a copy of the main
/// agent's, whose turns stand below no other.
pub(crate) fn read_helpers(line: &[u8], helper: &str) -> Option<LogLine> {
    let text = json::decode(line);
    let (line, mut read) = begin(&text)?;
    if line.kind.text()? == "event_msg" {
        let payload: Payload<'_> = line.payload.walked();
        let root = payload.root_turn_id.text();
        let own = payload.turn_id.text();
        let own = own.filter(|own| root.as_ref().is_some_and(|root| root != own));
        let run = own.and_then(|own| text::id(&own));
        let kind = payload.kind.text().unwrap_or_default();
        let ends = match &*kind {
            "turn_aborted" => payload.reason.text().as_deref() != Some("replaced"),
            "task_complete" => true,
            _ => false,
        };
        if let Some(run) = run.filter(|_| ends) {
            read.name = text::line(&kind, text::EVENT);
            read.fact = Some(Fact::RunEnded { id: helper.to_owned(), run });
        } else if kind == "item_completed" && payload.thread_id.text().as_deref() == Some(helper) {
            let turn_ref = payload.turn_id.text().and_then(|id| text::id(&id));
            let actor = Actor::Sub(helper.to_owned());
            read.fact = command(&payload.item.walked(), actor, turn_ref);
            if read.fact.is_some() {
                read.name = text::line(&kind, text::EVENT);
            }
        }
    }
    end(&text, read)
}

fn begin(text: &str) -> Option<(Line<'_>, LogLine)> {
    let line: Line<'_> = json::walked(json::trim(text))?;
    let written_at = line.timestamp.text().and_then(|at| text::id(&at));
    Some((line, LogLine { written_at, ..LogLine::default() }))
}

/// Of a line that is not whole nothing is believed.
fn end(text: &str, read: LogLine) -> Option<LogLine> {
    (read.fact.is_none() || json::is_whole(json::trim(text))).then_some(read)
}

fn event(payload: Payload<'_>, read: &mut LogLine) {
    let Some(kind) = payload.kind.text() else { return };
    let turn_ref = payload.turn_id.text().and_then(|id| text::id(&id));
    read.fact = match &*kind {
        "task_started" => {
            let attribution: Attribution<'_> = payload.attribution.walked();
            let by = match attribution.trigger.text().as_deref() {
                Some("user" | "exec") => Submitter::Person,
                Some("goal") => Submitter::Goal,
                _ => Submitter::Program,
            };
            Some(Fact::PromptSubmitted { by, turn_ref })
        }
        "task_complete" if payload.error.json().is_some() => {
            let failure: Failure<'_> = payload.error.object();
            let detail = failure.message.text().map(|text| text::line(&text, text::DETAIL));
            Some(Fact::TurnFailed { code: code(failure.info), detail, turn_ref })
        }
        "task_complete" => {
            let background = Background { logged: true, ..Background::default() };
            Some(Fact::TurnEnded { background, turn_ref })
        }
        "turn_aborted" => Some(Fact::TurnInterrupted { turn_ref }),
        "thread_goal_cleared" => Some(Fact::WakeQueued(false)),
        "thread_goal_updated" => Some(pursued(payload.goal)),
        "item_completed" => {
            let item: Item<'_> = payload.item.walked();
            let kind = item.kind.text();
            read.is_prompt = kind.as_deref() == Some("UserMessage");
            match kind.as_deref() == Some("HookPrompt") {
                true => turn_ref.map(|turn_ref| Fact::StopUndone { turn_ref }),
                false => command(&item, Actor::Main, turn_ref),
            }
        }
        _ => None,
    };
    if read.fact.is_some() {
        read.name = text::line(&kind, text::EVENT);
    }
}

/// A person has answered the question of this call, and the turn goes on. The hook of its end may be lost.
fn question(payload: &Payload<'_>, read: &mut LogLine) {
    let Some(kind) = payload.kind.text().filter(|kind| kind == "verified_answer") else { return };
    let Some(call) = payload.call_id.text().and_then(|id| text::id(&id)) else { return };
    // No clock here: the gate knows when it was told.
    let resolution = Resolution::elsewhere(UnixMs::default());
    read.name = text::line(&kind, text::EVENT);
    read.fact = Some(Fact::CallRefused { call, resolution });
}

/// How an answer of its tools for goals begins, as it stands in the log (measured: `create_goal`, `update_goal`).
const GOAL: &str = r#""{\"goal\":{\"threadId\":"#;

/// The agent has set a goal itself, or reached it: nothing but the answer of that call tells.
fn answered(payload: Raw<'_>, read: &mut LogLine) {
    let may_be_its = payload.json().is_some_and(|text| text.contains(GOAL));
    if !may_be_its {
        return;
    }
    let payload: Payload<'_> = payload.walked();
    let is_begun = payload.output.json().is_some_and(|output| output.starts_with(GOAL));
    let Some(kind) = payload.kind.text().filter(|_| is_begun) else { return };
    let Some(output) = payload.output.text() else { return };
    let answer: Answer<'_> = json::walked(&output).unwrap_or_default();
    if kind == "function_call_output" {
        read.name = text::line(&kind, text::EVENT);
        read.fact = Some(pursued(answer.goal));
    }
}

/// With an active one a prompt of the program's own waits for each stop.
fn pursued(goal: Raw<'_>) -> Fact {
    let goal: Goal<'_> = goal.walked();
    Fact::WakeQueued(goal.status.text().as_deref() == Some("active"))
}

/// How a command began that the agent has called, and no person (`agent` read).
const CALLED: &[&str] = &["agent", "unified_exec_startup"];

/// Its end, by the name under which hooks have told of its call.
fn command(item: &Item<'_>, actor: Actor, turn_ref: Option<String>) -> Option<Fact> {
    let is_command = item.kind.text().as_deref() == Some("CommandExecution");
    let source = item.source.text().filter(|source| CALLED.contains(&&**source));
    let id = item.id.text().and_then(|id| text::id(&id))?;
    let is_its = is_command && source.is_some() && turn_ref.is_some();
    let tool = ToolRef { name: SHELL.to_owned(), id: Some(id), input: None };
    let (tools, interrupted) = (vec![tool], false);
    is_its.then_some(Fact::ToolsEnded { actor, tools, interrupted, turn_ref })
}

/// A word, or an object of one member whose name is the word.
pub(super) fn code(info: Raw<'_>) -> String {
    let named = || {
        let text = info.json()?.trim_start().strip_prefix('{')?.trim_start();
        let (name, _) = text.strip_prefix('"')?.split_once('"')?;
        Some(name.to_owned().into())
    };
    let word = info.text().or_else(named).map(|word| text::line(&word, text::NAME));
    word.filter(|word| !word.is_empty()).unwrap_or_else(|| "unknown".to_owned())
}
