//! What waits for a person: permissions, questions, plans, forms.

use super::payload::Payload;
use super::tools::{self, PLAN, QUESTION};
use super::{ATTENDED, ENTRY_POINT};
use crate::HookContext;
use crate::asks::{permission, plan, prompt, question};
use crate::calls;
use crate::json::Raw;
use crate::text::{self, DETAIL, NAME, TITLE};
use headsup_core::observation::Fact;
use headsup_core::prompt::{NewPrompt, PromptKind, Resolution, ResolvedBy, Via};
use headsup_core::status::BlockedReason;
use headsup_core::time::UnixMs;

/// How long a request of a session without a person settles: print mode answers it by itself in
/// 0.2 s and no dialog is ever shown (measured).
const SETTLE_MS: u32 = 1_000;

/// What a call asks of a person.
pub(super) fn of_call(tool: Option<&str>, input: Raw<'_>) -> NewPrompt {
    match tool {
        Some(QUESTION) => question(input),
        Some(PLAN) => plan(input),
        name => permission(name, input),
    }
}

/// `PermissionRequest`: a dialog is shown, or in print mode would be. It has no `tool_use_id`.
pub(crate) fn requested(payload: &Payload<'_>, context: &HookContext) -> Fact {
    let prompt = of_call(payload.tool().as_deref(), payload.tool_input);
    let prompt = NewPrompt { tool: calls::asked(tools::of(payload)), ..prompt };
    Fact::PromptOpened {
        actor: payload.actor(),
        prompt,
        settle_ms: settle_ms(context),
        turn_ref: payload.turn_ref(),
    }
}

fn settle_ms(context: &HookContext) -> u32 {
    let alone =
        context.variable(ATTENDED) == Some("0") || context.variable(ENTRY_POINT) == Some("sdk-cli");
    if alone { SETTLE_MS } else { 0 }
}

/// `Elicitation`: a tool server asks the person to fill in a form, or to open an address.
pub(crate) fn elicited(payload: &Payload<'_>, context: &HookContext) -> Fact {
    let title = payload.message.text().map(|message| text::line(&message, TITLE));
    let title = title.filter(|title| !title.is_empty());
    let server = payload.mcp_server_name.text();
    let prompt = NewPrompt {
        key: key(payload),
        body: server.map(|server| text::line(&format!("from MCP server {server}"), DETAIL)),
        ..prompt(
            PromptKind::Elicitation,
            BlockedReason::Elicitation,
            title.unwrap_or_else(|| "Input needed".to_owned()),
        )
    };
    Fact::PromptOpened {
        actor: payload.actor(),
        prompt,
        settle_ms: settle_ms(context),
        turn_ref: payload.turn_ref(),
    }
}

/// `ElicitationResult`: answered, declined or cancelled in the terminal.
pub(crate) fn elicitation_result(payload: &Payload<'_>) -> Fact {
    let resolution = Resolution {
        value: payload.action.text().map(|action| text::line(&action, NAME)),
        via: Some(Via::Terminal),
        // No clock here: the gate knows when it was received.
        ..Resolution::of(ResolvedBy::Human, UnixMs::default())
    };
    Fact::PromptResolved {
        actor: payload.actor(),
        reason: BlockedReason::Elicitation,
        key: key(payload),
        resolution,
    }
}

/// The program gives none in a form (measured); an address to open has one (read).
fn key(payload: &Payload<'_>) -> Option<String> {
    payload.elicitation_id.text().and_then(|id| text::id(&id))
}
