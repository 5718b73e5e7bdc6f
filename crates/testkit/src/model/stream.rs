//! Replies as Anthropic's server-sent events, or as one document.
//!
//! Shapes: Messages API streaming, `anthropic-version: 2023-06-01`.

use super::reply::{Part, Reply};
use super::request::Request;
use super::tools::{self, Call};
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What is sent, in order; everything that takes time is a step of its own.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    Send(String),
    Wait(Duration),
    Hold(String),
    /// The last bytes of a whole message.
    Finish(String),
    Fail {
        kind: String,
        event: String,
    },
    Cut,
}

/// A block of the message's content.
fn block(part: &Part, request: &Request, index: usize) -> Option<Value> {
    Some(match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Thinking(text) => {
            json!({"type": "thinking", "thinking": text, "signature": "c2NyaXB0ZWQ="})
        }
        Part::Slow(words, _) => {
            let words: Vec<_> = (0..*words).map(word).collect();
            json!({"type": "text", "text": words.concat()})
        }
        Part::Tool(tool) => {
            let Call { id, name, input, .. } = tools::call(tool, request, index)?;
            json!({"type": "tool_use", "id": id, "name": name, "input": input})
        }
        Part::Hold(_) | Part::Ping | Part::Error(_) | Part::Cut => return None,
    })
}

pub(super) fn word(at: u32) -> String {
    format!("word{at:03} ")
}

/// Never the same again, also not for a session that goes on with another server.
pub(super) fn id(kind: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{kind}_scripted_{:x}", now.as_nanos())
}

fn stop_reason(reply: &Reply) -> &str {
    let own = if reply.calls_tools() { "tool_use" } else { "end_turn" };
    reply.stop.as_deref().unwrap_or(own)
}

fn usage(reply: &Reply, out: usize) -> Value {
    json!({
        "input_tokens": reply.taken.unwrap_or(1_200), "output_tokens": out,
        "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
    })
}

/// A whole message; in a stream its content is still empty.
fn message(reply: &Reply, request: &Request, content: Vec<Value>, whole: bool) -> Value {
    let stop = whole.then(|| stop_reason(reply));
    json!({
        "id": id("msg"), "type": "message", "role": "assistant",
        "model": request.model(), "content": content, "stop_reason": stop, "stop_sequence": null,
        "usage": usage(reply, if whole { 20 } else { 1 }),
    })
}

/// The answer to a request without `stream`.
pub(super) fn document(reply: &Reply, request: &Request) -> Value {
    let parts = reply.parts.iter().enumerate();
    let blocks = parts.filter_map(|(at, part)| block(part, request, at)).collect();
    message(reply, request, blocks, true)
}

fn event(name: &str, mut data: Value) -> String {
    data["type"] = json!(name);
    format!("event: {name}\ndata: {data}\n\n")
}

fn delta(index: usize, delta: Value) -> String {
    event("content_block_delta", json!({"index": index, "delta": delta}))
}

/// The answer to a request with `stream`.
pub(super) fn steps(reply: &Reply, request: &Request) -> Vec<Step> {
    let head = message(reply, request, Vec::new(), false);
    let mut steps = vec![
        Step::Send(event("message_start", json!({"message": head}))),
        Step::Send(event("ping", json!({}))),
    ];
    let mut open: Option<usize> = None;
    let mut index = 0;
    for part in &reply.parts {
        let stop = |at: usize| Step::Send(event("content_block_stop", json!({"index": at})));
        let Some(block) = block(part, request, index) else {
            steps.extend(match part {
                Part::Hold(name) => Some(Step::Hold(name.clone())),
                Part::Ping => Some(Step::Send(event("ping", json!({})))),
                Part::Error(kind) => {
                    let event = event("error", failure(kind, "The script says so."));
                    Some(Step::Fail { kind: kind.clone(), event })
                }
                Part::Cut => Some(Step::Cut),
                _ => None,
            });
            continue;
        };
        // Text goes on in the block of the text before it, so that a hold stands inside it.
        let is_text = block["type"] == "text";
        if let Some(at) = open.take_if(|_| !is_text) {
            steps.push(stop(at));
        }
        let at = *open.get_or_insert_with(|| {
            let mut start = block.clone();
            for (field, empty) in
                [("text", json!("")), ("thinking", json!("")), ("input", json!({}))]
            {
                if start.get(field).is_some() {
                    start[field] = empty;
                }
            }
            start.as_object_mut().map(|start| start.remove("signature"));
            let start = json!({"index": index, "content_block": start});
            steps.push(Step::Send(event("content_block_start", start)));
            index += 1;
            index - 1
        });
        deltas(part, &block, at, &mut steps);
        if !is_text {
            steps.push(stop(at));
            open = None;
        }
    }
    if let Some(at) = open {
        steps.push(Step::Send(event("content_block_stop", json!({"index": at}))));
    }
    let delta = json!({"stop_reason": stop_reason(reply), "stop_sequence": null});
    let mut last = event("message_delta", json!({"delta": delta, "usage": usage(reply, 20)}));
    let _written = write!(last, "{}", event("message_stop", json!({})));
    steps.push(Step::Finish(last));
    steps
}

fn deltas(part: &Part, block: &Value, at: usize, steps: &mut Vec<Step>) {
    let field = |name: &str| block[name].as_str().unwrap_or_default();
    match part {
        Part::Text(text) => {
            for piece in text.split_inclusive(' ') {
                steps.push(Step::Send(delta(at, json!({"type": "text_delta", "text": piece}))));
            }
        }
        Part::Slow(words, each) => {
            for number in 0..*words {
                steps.push(Step::Wait(*each));
                let piece = json!({"type": "text_delta", "text": word(number)});
                steps.push(Step::Send(delta(at, piece)));
            }
        }
        Part::Thinking(_) => {
            let said = json!({"type": "thinking_delta", "thinking": field("thinking")});
            let signed = json!({"type": "signature_delta", "signature": field("signature")});
            steps.extend([said, signed].map(|piece| Step::Send(delta(at, piece))));
        }
        Part::Tool(_) => {
            let input = block["input"].to_string();
            let middle = input.char_indices().nth(input.chars().count() / 2);
            let (first, second) = input.split_at(middle.map_or(0, |(at, _)| at));
            for piece in [first, second] {
                let piece = json!({"type": "input_json_delta", "partial_json": piece});
                steps.push(Step::Send(delta(at, piece)));
            }
        }
        Part::Hold(_) | Part::Ping | Part::Error(_) | Part::Cut => {}
    }
}

/// Anthropic's error document.
pub(super) fn failure(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}})
}

/// The error type that goes with a status (Anthropic API documentation, "Errors").
pub(super) fn failure_kind(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        400..=499 => "invalid_request_error",
        504 => "timeout_error",
        529 => "overloaded_error",
        _ => "api_error",
    }
}
