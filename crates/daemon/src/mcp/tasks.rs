//! The Tasks extension: a client that has it polls for the answer by itself, so that no turn of a model
//! is spent on waiting. A task is a prompt; the hub keeps it, whatever becomes of us.

use super::failure::Failure;
use super::operation;
use super::wait::is_open;
use rmcp::ErrorData;
use rmcp::model::{
    CreateTaskResult, DetailedTask, GetTaskResult, JsonObject, Task, TaskPayload, TaskStatus,
};
use serde_json::Value;

/// Between two looks of a client.
const POLL_MS: u64 = 5_000;

/// The task of a prompt that has just been opened, or found.
pub(crate) fn created(prompt: &Value) -> CreateTaskResult {
    CreateTaskResult::new(task(prompt))
}

/// How the task of a prompt stands.
pub(crate) fn state(prompt: Value) -> GetTaskResult {
    let task = task(&prompt);
    let by = prompt.pointer("/resolution/by").and_then(Value::as_str);
    let payload = match by {
        _ if is_open(&prompt) => TaskPayload::Working,
        Some("cancelled") => TaskPayload::Cancelled,
        _ => TaskPayload::Completed { result: result(prompt) },
    };
    GetTaskResult::new(DetailedTask::new(task, payload))
}

/// What the hub says of a task that there is none of.
pub(crate) fn refused(failure: Failure) -> ErrorData {
    match failure.retryable {
        true => ErrorData::internal_error(failure.message, None),
        false => ErrorData::invalid_params(failure.message, None),
    }
}

fn task(prompt: &Value) -> Task {
    let text = |at: &str| prompt.pointer(at).and_then(Value::as_str).unwrap_or_default();
    let opened = text("/opened_at");
    let changed = match text("/resolution/at") {
        "" => opened,
        at => at,
    };
    let task = Task::new(text("/id"), TaskStatus::Working, opened, changed);
    let task = task.with_poll_interval_ms(POLL_MS);
    if is_open(prompt) { task.with_status_message("waiting for a person") } else { task }
}

/// What the call itself would have answered.
fn result(prompt: Value) -> JsonObject {
    let result = serde_json::to_value(operation::resolution(prompt));
    match result {
        Ok(Value::Object(result)) => result,
        _ => JsonObject::new(),
    }
}
