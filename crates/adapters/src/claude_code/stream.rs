//! What `-p --output-format stream-json` writes.
//!
//! Claude Code 2.1.330 (measured: `fixtures/claude-code/2.1.330/print_mode`, `sdk_stream_json`).
//!
//! | line | shows |
//! |---|---|
//! | `system` of `init`, `status`, `api_retry`; `assistant`, `user`, `stream_event`, but a helper's | working |
//! | `control_request` of `can_use_tool`, `elicitation` | blocked |
//! | `system` of `session_state_changed` | running, idle, `requires_action`: as they say |
//! | `control_response` of the client, `control_cancel_request` | what was asked last is asked no more: working |
//! | `result` | done; idle where it was stopped; else failed |
//! | all others, as what hooks and tasks do | nothing |

use crate::json::{self, Raw, skim};
use crate::stream::{Asked, Shown, name};
use crate::text;
use headsup_core::observation::Level;
use headsup_core::status::BlockedReason;

skim! {
    Row {
        kind: "type",
        subtype: "subtype",
        session: "session_id",
        cwd: "cwd",
        model: "model",
        state: "state",
        request: "request",
        helper: "parent_tool_use_id",
        is_error: "is_error",
        reason: "terminal_reason",
        error: "api_error_type",
    }
}

skim! {
    Control { kind: "type", id: "request_id", request: "request", response: "response" }
}

skim! {
    Response { id: "request_id" }
}

skim! {
    Request { subtype: "subtype", tool: "tool_name" }
}

const WORKING: Level = Level::Working { reason: None };
const IDLE: Level = Level::Idle { shells: 0 };

pub(crate) fn read(line: &str) -> Option<Shown> {
    let row: Row<'_> = json::payload(json::trim(line)).ok()?;
    let kind = row.kind.text()?;
    let subtype = row.subtype.text();
    let level = match (&*kind, subtype.as_deref()) {
        ("system", Some("init" | "status" | "api_retry")) => Some(WORKING),
        ("system", Some("session_state_changed")) => state(row.state),
        ("assistant" | "user" | "stream_event", _) if row.helper.json().is_none() => Some(WORKING),
        ("control_request", _) => blocked(&row.request.object()),
        ("result", _) => Some(result(&row)),
        _ => None,
    };
    Some(Shown {
        name: name(&kind, subtype.as_deref()),
        session: row.session.text().and_then(|id| text::id(&id)),
        cwd: row.cwd.text().and_then(|path| text::path(&path)),
        model: row.model.text().map(|model| text::line(&model, text::NAME)),
        level,
        ..Shown::default()
    })
}

/// Does a line, of the program or of its client, open a request to the client, or end one?
pub(crate) fn request(line: &str) -> Option<Asked> {
    let row: Control<'_> = json::payload(json::trim(line)).ok()?;
    let id = |raw: Raw<'_>| raw.text().and_then(|id| text::id(&id));
    match &*row.kind.text()? {
        "control_request" => {
            blocked(&row.request.object())?;
            Some(Asked::Opened(id(row.id)?))
        }
        "control_response" => Some(Asked::Over(id(row.response.object::<Response<'_>>().id)?)),
        "control_cancel_request" => Some(Asked::Over(id(row.id)?)),
        _ => None,
    }
}

fn state(state: Raw<'_>) -> Option<Level> {
    match &*state.text()? {
        "running" => Some(WORKING),
        "idle" => Some(IDLE),
        "requires_action" => Some(Level::Blocked { reason: BlockedReason::Other, detail: None }),
        _ => None,
    }
}

fn blocked(request: &Request<'_>) -> Option<Level> {
    let reason = match &*request.subtype.text()? {
        "can_use_tool" => BlockedReason::Permission,
        "elicitation" => BlockedReason::Elicitation,
        _ => return None,
    };
    let detail = request.tool.text().map(|tool| text::line(&tool, text::NAME));
    Some(Level::Blocked { reason, detail })
}

fn result(row: &Row<'_>) -> Level {
    let stopped = row.reason.text().is_some_and(|reason| reason.starts_with("aborted"));
    let subtype = row.subtype.text().unwrap_or_default();
    match row.is_error.is_true() || subtype != "success" {
        true if stopped => IDLE,
        true => {
            let code = row.error.text().unwrap_or(subtype);
            Level::Failed { code: text::line(&code, text::NAME) }
        }
        false => Level::Done,
    }
}
