//! The log of a session, `session-state/SESSION/events.jsonl`, one JSON object a line.
//!
//! Copilot CLI 1.0.102 (measured). What it tells that no hook tells is how a dialog was answered,
//! Esc at a dialog or, twice, in mid-turn, that a helper was stopped or has failed, that a call of the model is not tried
//! again, and that a person has the conversation summed up.
//!
//! | line | fact |
//! |---|---|
//! | `abort` | main agent interrupted: helpers go on behind it (Esc once more stops them), but for those that were stopped with it |
//! | `session.usage_checkpoint` behind a `rewind` | main agent interrupted: after Esc before the first word the prompt goes back into its box, and the log is replaced by one without that turn, and without its `abort`; of the next such turn in a row that alone tells ([`rewound`](super::rewound)) |
//! | `session.error` | turn failed: it comes once, after the last try, and a few milliseconds behind `agentStop` where the model has said nothing (measured) |
//! | `subagent.failed`, `subagent.completed` that is `cancelled` | helper ended, of which no hook tells; one that was stopped stands before `abort`. Completed otherwise nothing: the hook tells |
//! | `permission.requested` | prompt opened, by its name: of several calls at once each has one, and the dialogs come one after the other. Its notice comes within some 200 ms before or after it, and none does where a rule answers it at once (read). Nothing with `resolvedByHook` (read) |
//! | `permission.completed` | the prompt of that name resolved, by the program itself where `decisionSource` is `unattended_fallback`; `cancelled` is Esc, which stops the main agent as `abort` does, which stands just before or behind it |
//! | `human_response.recorded` | prompt resolved: a question, or with `exit_plan_mode` for its kind a plan. A plan that is not `approved`, without a word of `feedback`, is Esc, which stops the main agent: `abort` follows within half a second (measured; the word of advice read) |
//! | `session.compaction_start` | compaction started, if a person wants it (`trigger` is `manual`); else the turn goes on beside it (read) |
//! | `session.compaction_complete` | compaction ended, also one that came to nothing (read) |
//! | `assistant.message` whose `toolRequests` are empty; `hook.end` of `agentStop` | the answer that its turn ends with, unless something goes on: a hook tells that, too, and may have been lost |
//! | `assistant.turn_start`, `assistant.turn_retry`, `tool.execution_start`; `hook.start` of `agentStop`, which may take long and make it go on | the main agent goes on, perhaps behind such an answer |
//! | all others | nothing; the first read takes prompts and model from them |
//!
//! Lines of a helper have its `agentId`.

use crate::json::{self, Raw, skim};
use crate::transcript::LogLine;
use crate::{asks, text};
use headsup_core::observation::Fact;
use headsup_core::prompt::{Actor, NewPrompt, PromptKind, Resolution, ResolvedBy, Via};
use headsup_core::status::BlockedReason;
use headsup_core::time::UnixMs;

/// How a permission was answered by Esc.
const CANCELLED: &str = "cancelled";

/// Who has denied a permission where nobody could be asked (`-p`).
const UNATTENDED: &str = "unattended_fallback";

/// The kind of an answer to a plan; Esc gives one, too, just before `abort`.
const PLAN: &str = "exit_plan_mode";

/// Why the model's cache is of no use any more: what was said last was taken back.
const REWOUND: &str = "rewind";

/// The conversation of the main agent, as that line calls it.
const MAIN: &str = "main";

/// No calls, as an answer lists them.
pub(super) const NONE: &str = "[]";

/// The event of the main agent's stop.
pub(super) const STOP: &str = "agentStop";

/// A request waits so long for its notice, or for the rule that answers it. Milliseconds.
pub(super) const SETTLE_MS: u32 = 1_500;

skim! {
    Line {
        kind: "type",
        data: "data",
        timestamp: "timestamp",
        agent_id: "agentId",
    }
}

skim! {
    Data {
        session: "sessionId",
        selected_model: "selectedModel",
        new_model: "newModel",
        trigger: "trigger",
        request: "requestId",
        asked: "promptRequest",
        by_hook: "resolvedByHook",
        result: "result",
        decided_by: "decisionSource",
        response: "response",
        error_type: "errorType",
        message: "message",
        cancelled: "cancelled",
        caches: "promptCacheBreakState",
        calls: "toolRequests",
        hook: "hookType",
    }
}

skim! {
    /// What the model has to read anew of a conversation, and why.
    Cache {
        conversation: "conversation",
        sources: "pendingRewriteSources",
    }
}

skim! {
    /// What a request asks, as it is shown.
    Asked {
        command: "fullCommandText",
        intention: "intention",
        tool: "toolTitle",
        tool_name: "toolName",
    }
}

skim! {
    Answer {
        kind: "kind",
    }
}

skim! {
    Response {
        kind: "responseKind",
        approved: "approved",
        feedback: "feedback",
    }
}

pub(crate) fn read(line: &[u8]) -> Option<LogLine> {
    let text = json::decode(line);
    let text = json::trim(&text);
    let line: Line<'_> = json::walked(text)?;
    let kind = line.kind.text()?;
    let data: Data<'_> = line.data.walked();
    let actor = line.agent_id.text().and_then(|id| text::id(&id)).map_or(Actor::Main, Actor::Sub);
    let mut read = LogLine {
        written_at: line.timestamp.text().and_then(|at| text::id(&at)),
        ..LogLine::default()
    };
    match (&*kind, actor) {
        ("session.start", Actor::Main) => {
            read.session = data.session.text().and_then(|id| text::session(&id));
            read.model = data.selected_model.text().map(|name| text::line(&name, text::NAME));
        }
        ("session.model_change", Actor::Main) => {
            read.model = data.new_model.text().map(|name| text::line(&name, text::NAME));
        }
        ("user.message", Actor::Main) => read.is_prompt = true,
        ("abort", Actor::Main) => read.fact = Some(Fact::MainInterrupted),
        ("session.usage_checkpoint", Actor::Main) if is_rewound(&data) => {
            read.fact = Some(Fact::MainInterrupted);
        }
        ("session.error", Actor::Main) => read.fact = Some(failed(&data)),
        ("session.compaction_start", Actor::Main) => {
            let is_wanted = data.trigger.text().as_deref() == Some("manual");
            read.fact = is_wanted.then_some(Fact::CompactionStarted);
        }
        ("session.compaction_complete", Actor::Main) => {
            read.fact = Some(Fact::CompactionEnded { manual: Some(true) });
        }
        ("assistant.message", Actor::Main) if data.calls.json() == Some(NONE) => {
            read.fact = Some(Fact::AnswerLogged);
        }
        ("hook.end", Actor::Main) if is_stop(&data) => read.fact = Some(Fact::AnswerLogged),
        ("hook.start", Actor::Main) if is_stop(&data) => read.fact = Some(Fact::AnswerBegun),
        ("assistant.turn_start" | "assistant.turn_retry" | "tool.execution_start", Actor::Main) => {
            read.fact = Some(Fact::AnswerBegun);
        }
        ("subagent.failed", Actor::Sub(id)) => read.fact = Some(Fact::SubagentEnded { id }),
        ("subagent.completed", Actor::Sub(id)) if data.cancelled.is_true() => {
            read.fact = Some(Fact::SubagentEnded { id });
        }
        ("permission.requested", actor) if !data.by_hook.is_true() => {
            read.fact = key(data.request).map(|key| requested(actor, key, data.asked));
        }
        ("permission.completed", actor) => {
            let answer: Answer<'_> = data.result.walked();
            let value = answer.kind.text().map(|kind| text::line(&kind, text::NAME));
            let is_escaped = actor.is_main() && value.as_deref() == Some(CANCELLED);
            let (reason, key) = (BlockedReason::Permission, key(data.request));
            let is_unasked = data.decided_by.text().as_deref() == Some(UNATTENDED);
            let resolution = match is_unasked {
                true => Resolution { by: ResolvedBy::Agent, via: None, ..answered(value) },
                false => answered(value),
            };
            read.fact = Some(match is_escaped {
                true => Fact::PromptRefused { reason, key, resolution, turn_ref: None },
                false => Fact::PromptResolved { actor, reason, key, resolution },
            });
        }
        ("human_response.recorded", actor) => {
            let response: Response<'_> = data.response.walked();
            let is_plan = response.kind.text().as_deref() == Some(PLAN);
            let reason = match is_plan {
                true => BlockedReason::PlanApproval,
                false => BlockedReason::Question,
            };
            let is_denied = is_plan && actor.is_main() && response.approved.json() == Some("false");
            let is_escaped =
                is_denied && response.feedback.text().is_none_or(|words| words.is_empty());
            let (key, resolution) = (None, answered(None));
            read.fact = Some(match is_escaped {
                true => Fact::PromptRefused { reason, key, resolution, turn_ref: None },
                false => Fact::PromptResolved { actor, reason, key, resolution },
            });
        }
        _ => {}
    }
    if read.fact.is_some() {
        if !json::is_whole(text) {
            return None;
        }
        read.name = text::line(&kind, text::EVENT);
    }
    Some(read)
}

/// Is it about a hook of the main agent's stop, whoever's that is?
fn is_stop(data: &Data<'_>) -> bool {
    is_stop_of(data.hook)
}

pub(super) fn is_stop_of(hook: Raw<'_>) -> bool {
    hook.text().as_deref() == Some(STOP)
}

/// Was the main agent's last turn taken back?
fn is_rewound(data: &Data<'_>) -> bool {
    data.caches.items().into_iter().any(|cache| {
        let cache: Cache<'_> = cache.object();
        let is_main = cache.conversation.text().is_some_and(|name| name == MAIN);
        let is_it = |source: Raw<'_>| source.text().is_some_and(|source| source == REWOUND);
        is_main && cache.sources.items().into_iter().any(is_it)
    })
}

fn failed(data: &Data<'_>) -> Fact {
    let code = data.error_type.text().map(|code| text::line(&code, text::NAME));
    Fact::TurnFailed {
        code: code.filter(|code| !code.is_empty()).unwrap_or_else(|| "unknown".to_owned()),
        detail: data.message.text().map(|message| text::line(&message, text::DETAIL)),
        turn_ref: None,
    }
}

fn key(id: Raw<'_>) -> Option<String> {
    id.text().and_then(|id| text::id(&id))
}

/// A command is asked about in the words of its notice (measured), of all else it says at least what it is for.
fn requested(actor: Actor, key: String, asked: Raw<'_>) -> Fact {
    let asked: Asked<'_> = asked.walked();
    let command = asked.command.text().map(|command| format!("Run command: {command}").into());
    let other = [asked.intention, asked.tool, asked.tool_name].into_iter().find_map(Raw::text);
    let title = command.or(other).map(|title| text::line(&title, text::TITLE));
    let title = title.filter(|title| !title.is_empty());
    let title = title.unwrap_or_else(|| "Permission needed".to_owned());
    let prompt = asks::prompt(PromptKind::Permission, BlockedReason::Permission, title);
    let prompt = NewPrompt { key: Some(key), ..prompt };
    Fact::PromptOpened { actor, prompt, settle_ms: SETTLE_MS, turn_ref: None }
}

fn answered(value: Option<String>) -> Resolution {
    Resolution {
        value,
        via: Some(Via::Terminal),
        // No clock here: the gate knows when it was received.
        ..Resolution::of(ResolvedBy::Human, UnixMs::default())
    }
}
