//! A prompt in an agent's log: that it was asked, and what became of it.

use crate::prompt::{PromptKind, ResolvedBy};
use crate::status::OutcomeKind;
use crate::wire::PromptDoc;

/// What it asks.
pub fn asked(prompt: &PromptDoc) -> String {
    let what = match prompt.kind {
        PromptKind::Permission => "asks permission",
        PromptKind::PlanApproval => "asks to approve a plan",
        PromptKind::Elicitation => "asks for input",
        PromptKind::Question | PromptKind::Input => "asks",
        PromptKind::Dialog => "shows a dialog",
    };
    about(what, prompt)
}

/// What became of it; `end` is how the turn ended at that very moment, if it did. A prompt that
/// went away in the agent's own terminal tells neither its answer nor who gave it, if anybody did;
/// but one that a person ended the turn with was not granted.
pub fn answered(prompt: &PromptDoc, end: Option<OutcomeKind>) -> String {
    let resolution = prompt.resolution.as_ref();
    let value = resolution.and_then(|resolution| resolution.value.as_deref());
    let grants = matches!(prompt.kind, PromptKind::Permission | PromptKind::PlanApproval);
    let what = match (value, resolution.map(|resolution| resolution.by)) {
        (_, Some(ResolvedBy::Timeout)) => "timed out",
        (_, Some(ResolvedBy::Cancelled)) => "withdrawn",
        (Some("allow"), _) if grants => "allowed",
        (Some("deny"), _) if grants => "denied",
        (Some(value), _) => return about(&format!("answered {value}"), prompt),
        (None, _) if end == Some(OutcomeKind::Interrupted) && grants => "denied",
        (None, _) if end.is_some() => "left unanswered",
        (None, Some(ResolvedBy::Elsewhere)) => "no longer asks",
        (None, _) => "answered",
    };
    about(what, prompt)
}

fn about(what: &str, prompt: &PromptDoc) -> String {
    let helper = prompt.subagent.as_deref().map(|id| format!(" [helper {id} asks]"));
    format!("{what}: {}{}", prompt.title, helper.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::AgentId;
    use crate::prompt::{Actor, NewPrompt, OpenPrompt, Resolution};
    use crate::source::Source;
    use crate::status::BlockedReason;
    use crate::time::UnixMs;

    fn prompt(reason: BlockedReason, by: Option<(ResolvedBy, Option<&str>)>) -> PromptDoc {
        let open = OpenPrompt {
            id: "a-p1".to_owned(),
            actor: Actor::Main,
            opened_at: UnixMs(1),
            source: Source::Hook,
            by_notice: false,
            logged: None,
            ask: NewPrompt::plain(reason, Some("Bash: make")),
            input: None,
        };
        let resolution = by.map(|(by, value)| Resolution {
            by,
            value: value.map(str::to_owned),
            ..Resolution::elsewhere(UnixMs(2))
        });
        PromptDoc::new(&AgentId::new("a").unwrap(), &open, resolution)
    }

    #[test]
    fn an_answer_says_no_more_than_is_known() {
        use ResolvedBy::{Cancelled, Elsewhere, Human, Timeout};
        let (stopped, died) = (Some(OutcomeKind::Interrupted), Some(OutcomeKind::Aborted));
        let (permission, question) = (BlockedReason::Permission, BlockedReason::Question);
        assert_eq!(asked(&prompt(permission, None)), "asks permission: Bash: make");
        assert_eq!(asked(&prompt(question, None)), "asks: Bash: make");
        for (reason, by, value, end, word) in [
            (permission, Human, Some("allow"), None, "allowed"),
            (permission, Human, Some("deny"), None, "denied"),
            (permission, Elsewhere, None, stopped, "denied"),
            (permission, Elsewhere, None, died, "left unanswered"),
            (permission, Elsewhere, None, None, "no longer asks"),
            (permission, Timeout, Some("deny"), None, "timed out"),
            (permission, Cancelled, None, None, "withdrawn"),
            (question, Human, Some("deny"), None, "answered deny"),
            (question, Elsewhere, None, stopped, "left unanswered"),
        ] {
            let said = answered(&prompt(reason, Some((by, value))), end);
            assert_eq!(said, format!("{word}: Bash: make"), "{reason:?} {by:?} {value:?}");
        }
    }
}
