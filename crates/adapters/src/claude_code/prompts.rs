//! What waits for a person: permissions, questions, plans, forms.

use super::payload::Payload;
use super::tools::{self, PLAN, QUESTION, Question};
use super::{ATTENDED, ENTRY_POINT};
use crate::HookContext;
use crate::json::{Raw, skim};
use crate::text::{self, BODY, DETAIL, NAME, TITLE};
use headsup_core::observation::Fact;
use headsup_core::prompt::{
    Answerable, Choice, NewPrompt, PromptKind, Resolution, ResolvedBy, Via,
};
use headsup_core::status::BlockedReason;
use headsup_core::time::UnixMs;
use std::borrow::Cow;

/// How long a request of a session without a person settles: print mode answers it by itself in
/// 0.2 s and no dialog is ever shown (measured).
const SETTLE_MS: u32 = 1_000;

/// How many options of a question are kept.
const OPTIONS: usize = 20;

skim! {
    /// The input of `ExitPlanMode`.
    Plan { plan: "plan" }
}

skim! {
    /// An option of a question.
    Answer { label: "label", description: "description" }
}

skim! {
    /// What a tool says of its own call.
    Purpose { description: "description" }
}

/// `PermissionRequest`: a dialog is shown, or in print mode would be. It has no `tool_use_id`.
pub(crate) fn requested(payload: &Payload<'_>, context: &HookContext) -> Fact {
    let tool = payload.tool();
    let prompt = match tool.as_deref() {
        Some(QUESTION) => question(payload),
        Some(PLAN) => plan(payload),
        name => permission(name, payload.tool_input),
    };
    let tool = tool.map(|_| tools::of(payload));
    let prompt = NewPrompt { tool, ..prompt };
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

fn prompt(kind: PromptKind, reason: BlockedReason, title: String) -> NewPrompt {
    NewPrompt {
        kind,
        reason,
        key: None,
        tool: None,
        title,
        body: None,
        options: Vec::new(),
        multi_select: false,
        answerable: vec![Answerable::Terminal],
    }
}

fn permission(tool: Option<&str>, input: Raw<'_>) -> NewPrompt {
    let title = match (tool, tools::telling(input)) {
        (Some(tool), Some(telling)) => text::line(&format!("{tool}: {telling}"), TITLE),
        (Some(tool), None) => tool.to_owned(),
        (None, _) => "Permission needed".to_owned(),
    };
    let body = input.object::<Purpose>().description.text();
    let body = body.or_else(|| input.json().filter(|json| *json != "{}").map(Into::into));
    NewPrompt {
        body: body.and_then(|body| block(&body)),
        options: vec![choice("Allow", "allow"), choice("Deny", "deny")],
        ..prompt(PromptKind::Permission, BlockedReason::Permission, title)
    }
}

fn plan(payload: &Payload<'_>) -> NewPrompt {
    let plan = payload.tool_input.object::<Plan>().plan.text();
    let title = "Plan ready for approval".to_owned();
    NewPrompt {
        body: plan.and_then(|plan| block(&plan)),
        options: vec![choice("Approve", "allow"), choice("Keep planning", "deny")],
        ..prompt(PromptKind::PlanApproval, BlockedReason::PlanApproval, title)
    }
}

/// One dialog may ask several questions: the first is the prompt, the rest its body.
fn question(payload: &Payload<'_>) -> NewPrompt {
    let asked = payload.tool_input.object::<super::tools::Telling>().questions.items();
    let asked: Vec<Question> = asked.into_iter().map(Raw::object).collect();
    let first = asked.first();
    let title = first.and_then(words);
    let cut = title.as_ref().filter(|title| title.chars().count() > TITLE);
    let rest = asked.iter().enumerate().skip(1);
    let rest = rest.filter_map(|(at, next)| Some(format!("{}. {}", at + 1, words(next)?)));
    let body: Vec<String> = cut.map(ToString::to_string).into_iter().chain(rest).collect();
    let title = title.map(|title| text::line(&title, TITLE)).filter(|title| !title.is_empty());
    NewPrompt {
        body: block(&body.join("\n")),
        options: first.map_or_else(Vec::new, |first| choices(first.options)),
        multi_select: first.is_some_and(|first| first.multi_select.is_true()),
        ..prompt(
            PromptKind::Question,
            BlockedReason::Question,
            title.unwrap_or_else(|| "Question".to_owned()),
        )
    }
}

fn words<'a>(question: &Question<'a>) -> Option<Cow<'a, str>> {
    question.words.text().or_else(|| question.header.text())
}

fn choices(options: Raw<'_>) -> Vec<Choice> {
    let choice = |option: Raw<'_>| {
        let answer: Answer = option.object();
        let label = text::line(&answer.label.text().or_else(|| option.text())?, NAME);
        let description = answer.description.text().map(|text| text::line(&text, DETAIL));
        (!label.is_empty()).then(|| Choice { value: label.clone(), label, description })
    };
    options.items().into_iter().filter_map(choice).take(OPTIONS).collect()
}

fn choice(label: &str, value: &str) -> Choice {
    Choice { label: label.to_owned(), value: value.to_owned(), description: None }
}

fn block(body: &str) -> Option<String> {
    let body = text::block(body, BODY);
    (!body.is_empty()).then_some(body)
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
        by: ResolvedBy::Human,
        value: payload.action.text().map(|action| text::line(&action, NAME)),
        via: Some(Via::Terminal),
        actor: None,
        // No clock here: the gate knows when it was received.
        at: UnixMs::default(),
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
