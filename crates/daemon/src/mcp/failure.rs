//! Why a tool did not do what it was asked: for the model that called it, which reads this and tries
//! again.

use super::hub::{Reply, Unreachable};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};

/// What stands in a JSON-RPC error where arguments are wrong. Since 2025-11-25 such errors are answers
/// of the tool, which a model sees; the number is told beside the code.
const INVALID_PARAMS: i32 = -32_602;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    /// Stable; the hub's own where the hub refused.
    pub(crate) code: String,
    pub(crate) message: String,
    /// What would have been taken instead, where that is a closed set.
    pub(crate) allowed: Vec<String>,
    pub(crate) hint: Option<String>,
    /// The same call may succeed when it is simply made again.
    pub(crate) retryable: bool,
    is_of_arguments: bool,
    /// Further members of the hub's problem: who was first, what is open.
    facts: Box<Map<String, Value>>,
}

/// Members of a problem document that are told otherwise, or not at all.
const TOLD: [&str; 11] = [
    "type",
    "title",
    "status",
    "schema",
    "code",
    "detail",
    "hint",
    "retryable",
    "allowed",
    "legal",
    "options",
];

impl Failure {
    pub(crate) fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
            allowed: Vec::new(),
            hint: None,
            retryable: false,
            is_of_arguments: false,
            facts: Box::default(),
        }
    }

    /// The call itself is wrong.
    pub(crate) fn of_arguments(code: &str, message: impl Into<String>) -> Self {
        Self { is_of_arguments: true, ..Self::new(code, message) }
    }

    #[must_use]
    pub(crate) fn allowed<T: AsRef<str>>(mut self, allowed: impl IntoIterator<Item = T>) -> Self {
        self.allowed = allowed.into_iter().map(|word| word.as_ref().to_owned()).collect();
        self
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The hub's refusal.
    pub(crate) fn refused(reply: &Reply) -> Self {
        let text = |name: &str| reply.body.get(name).and_then(Value::as_str).map(str::to_owned);
        let code = text("code").unwrap_or_else(|| "internal".to_owned());
        let detail = text("detail");
        let message = detail.unwrap_or_else(|| format!("the hub answered {}", reply.status));
        let retryable = reply.body.get("retryable").and_then(Value::as_bool);
        let members = reply.body.as_object().into_iter().flatten();
        let facts = members.filter(|(name, _)| !TOLD.contains(&name.as_str()));
        let facts: Map<_, _> = facts.map(|(name, value)| (name.clone(), value.clone())).collect();
        let closed = ["allowed", "legal", "options"].iter().find_map(|name| reply.body.get(*name));
        let words = closed.and_then(Value::as_array).into_iter().flatten().filter_map(word);
        // A model has tools, and a shell; it has no requests.
        let hint = tools_for(&code, &reply.body)
            .or_else(|| text("hint").filter(|hint| !names_a_route(hint)));
        Self {
            hint,
            retryable: retryable.unwrap_or(reply.status >= 500),
            facts: Box::new(facts),
            ..Self::new(&code, message).allowed(words)
        }
    }

    /// The answer of a tool.
    fn into_result(self) -> CallToolResult {
        let text = self.text();
        let Self { code, message, allowed, hint, retryable, is_of_arguments, facts } = self;
        let mut error = Map::new();
        error.insert("code".to_owned(), json!(code));
        error.insert("message".to_owned(), json!(message));
        if !allowed.is_empty() {
            error.insert("allowed".to_owned(), json!(allowed));
        }
        if let Some(hint) = hint {
            error.insert("hint".to_owned(), json!(hint));
        }
        error.insert("retryable".to_owned(), json!(retryable));
        if is_of_arguments {
            error.insert("rpc_code".to_owned(), json!(INVALID_PARAMS));
        }
        error.extend(*facts);
        let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
        result.structured_content = Some(json!({ "error": error }));
        result
    }

    fn text(&self) -> String {
        let mut text = format!("{} ({}).", self.message.trim_end_matches('.'), self.code);
        if !self.allowed.is_empty() {
            text.push_str(" Allowed: ");
            text.push_str(&self.allowed.join(", "));
            text.push('.');
        }
        for more in self.hint.iter().map(|hint| hint.trim_end_matches('.')) {
            text.push(' ');
            text.push_str(more);
            text.push('.');
        }
        if self.retryable {
            text.push_str(" The same call may succeed later.");
        }
        text
    }
}

/// What to call, where the hub's own hint names a request.
fn tools_for(code: &str, problem: &Value) -> Option<String> {
    let has = |name: &str| problem.get(name).is_some_and(Value::is_string);
    let hint = match code {
        "open_question" | "illegal_stage" if has("prompt_id") => {
            "wait for the answer (wait_for_input), or take the question back (cancel_input): then the workflow goes on at working"
        }
        "illegal_stage" if problem.get("from") == Some(&json!("completed")) => {
            "this work is over: with your next prompt, your next start or your next task (link_task) a new workflow begins by \
             itself, and update_status(working) is taken again"
        }
        "no_task" => "call link_task first",
        "no_such_task" => "an identifier is like APP-12; `headsup task ls` lists them",
        "no_such_prompt" => "list_inputs lists yours that are open",
        "no_such_pr" => "list_session_prs lists yours, `headsup pr ls` all",
        "no_repository" => "run `headsup pr create --head BRANCH TITLE` in the repository",
        "draft" => "say that it is ready, `headsup pr ready` in a shell does; then merge_pr again",
        _ => return None,
    };
    Some(hint.to_owned())
}

fn names_a_route(hint: &str) -> bool {
    hint.contains("/api/")
        || ["GET ", "POST ", "PUT ", "PATCH "].iter().any(|word| hint.contains(word))
}

/// A word of a closed set: as it is, or the value of an option.
fn word(value: &Value) -> Option<String> {
    let value = value.get("value").unwrap_or(value);
    value.as_str().map(str::to_owned)
}

impl From<Failure> for CallToolResult {
    fn from(failure: Failure) -> Self {
        failure.into_result()
    }
}

impl From<Unreachable> for Failure {
    fn from(error: Unreachable) -> Self {
        let failure = Self { retryable: true, ..Self::new("hub_unreachable", error.message) };
        Self { hint: error.hint, ..failure }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_of_the_hub_is_told_with_what_would_have_been_allowed() {
        let body = json!({
            "type": "urn:headsup:problem:illegal_stage", "title": "illegal stage", "status": 409,
            "code": "illegal_stage", "detail": "a workflow at blocked cannot go to completed",
            "retryable": false, "from": "blocked", "legal": ["working"],
        });
        let result = Failure::refused(&Reply { status: 409, body }).into_result();
        assert_eq!(result.is_error, Some(true));
        let error = &result.structured_content.as_ref().unwrap()["error"];
        assert_eq!(
            error,
            &json!({
                "code": "illegal_stage", "message": "a workflow at blocked cannot go to completed",
                "allowed": ["working"], "retryable": false, "from": "blocked",
            })
        );
        let text = &result.content[0].as_text().unwrap().text;
        assert_eq!(
            text,
            "a workflow at blocked cannot go to completed (illegal_stage). Allowed: working."
        );
    }

    #[test]
    fn an_answer_that_is_no_problem_document_is_still_a_failure() {
        let failure = Failure::refused(&Reply { status: 502, body: Value::Null });
        assert_eq!((failure.code.as_str(), failure.retryable), ("internal", true));
    }
}
