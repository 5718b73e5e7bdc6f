//! What waits for a person, out of the calls that it is about.

use crate::calls::{self, Question};
use crate::json::{Raw, skim};
use crate::text::{self, BODY, DETAIL, NAME, TITLE};
use headsup_core::prompt::{Answerable, Choice, NewPrompt, PromptKind};
use headsup_core::status::BlockedReason;
use std::borrow::Cow;

/// How many options of a question are kept.
const OPTIONS: usize = 20;

skim! {
    /// An option of a question.
    Answer { label: "label", description: "description" }
}

skim! {
    /// What a tool says of its own call.
    Purpose { description: "description" }
}

skim! {
    /// The input of a call that shows a plan.
    Plan { plan: "plan", summary: "summary" }
}

pub(crate) fn prompt(kind: PromptKind, reason: BlockedReason, title: String) -> NewPrompt {
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

/// May this tool be called with this input?
pub(crate) fn permission(tool: Option<&str>, input: Raw<'_>) -> NewPrompt {
    let title = match (tool, calls::telling(input)) {
        (Some(tool), Some(telling)) => text::line(&format!("{tool}: {telling}"), TITLE),
        (Some(tool), None) => tool.to_owned(),
        (None, _) => "Permission needed".to_owned(),
    };
    let body = input.object::<Purpose>().description.text();
    let body = body.or_else(|| input.json().filter(|json| *json != "{}").map(Into::into));
    NewPrompt {
        body: body.and_then(|body| block(&body)),
        options: yes_or_no(),
        ..prompt(PromptKind::Permission, BlockedReason::Permission, title)
    }
}

/// Is this how it is to be done?
pub(crate) fn plan(input: Raw<'_>) -> NewPrompt {
    let input: Plan = input.object();
    let plan = input.plan.text().or_else(|| input.summary.text());
    let title = "Plan ready for approval".to_owned();
    NewPrompt {
        body: plan.and_then(|plan| block(&plan)),
        options: vec![choice("Approve", "allow"), choice("Keep planning", "deny")],
        ..prompt(PromptKind::PlanApproval, BlockedReason::PlanApproval, title)
    }
}

/// One dialog may ask several questions: the first is the prompt, the rest its body.
pub(crate) fn question(input: Raw<'_>) -> NewPrompt {
    let asked = calls::questions(input).items();
    let asked: Vec<Question> = asked.into_iter().map(Raw::object).collect();
    let first = asked.first();
    let title = first.and_then(words);
    let cut = title.as_ref().filter(|title| title.chars().count() > TITLE);
    let rest = asked.iter().enumerate().skip(1);
    // Its options are numbered, and these are none.
    let rest =
        rest.filter_map(|(at, next)| Some(format!("then question {}: {}", at + 1, words(next)?)));
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

/// The two answers to a request.
pub(crate) fn yes_or_no() -> Vec<Choice> {
    vec![choice("Allow", "allow"), choice("Deny", "deny")]
}

fn choice(label: &str, value: &str) -> Choice {
    Choice { label: label.to_owned(), value: value.to_owned(), description: None }
}

/// A longer text, if there is one.
pub(crate) fn block(body: &str) -> Option<String> {
    let body = text::block(body, BODY);
    (!body.is_empty()).then_some(body)
}
