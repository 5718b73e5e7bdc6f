//! `OpenAI` Responses, streamed, as Codex 0.169.0 reads it.

use super::protocol::openai;
use super::reply::Reply;
use super::stream::id;
use super::tools::Call;
use super::wire::{Wire, tokens};
use serde_json::{Value, json};
use std::fmt::Write as _;

#[derive(Debug)]
pub(super) struct Responses {
    id: String,
    /// The items that are whole.
    output: Vec<Value>,
    /// The message whose text is being written.
    text: Option<(String, String)>,
}

impl Responses {
    pub(super) fn new() -> Self {
        Self { id: id("resp"), output: Vec::new(), text: None }
    }

    fn response(&self, status: &str) -> Value {
        json!({"id": self.id, "object": "response", "status": status, "output": self.output})
    }

    fn item(&mut self, item: Value) -> String {
        let place = self.output.len();
        let added =
            event("response.output_item.added", json!({"output_index": place, "item": item}));
        let done = event("response.output_item.done", json!({"output_index": place, "item": item}));
        self.output.push(item);
        added + &done
    }

    /// Ends the message that is open.
    fn close(&mut self) -> String {
        let Some((id, text)) = self.text.take() else { return String::new() };
        let item = message(&id, &text, "completed");
        let place = self.output.len();
        let part = json!({"type": "output_text", "text": text, "annotations": []});
        let at = json!({"item_id": id, "output_index": place, "content_index": 0});
        let mut out = event("response.output_text.done", with(&at, json!({"text": text})));
        out += &event("response.content_part.done", with(&at, json!({"part": part})));
        out += &event("response.output_item.done", json!({"output_index": place, "item": item}));
        self.output.push(item);
        out
    }
}

impl Wire for Responses {
    fn begin(&mut self) -> String {
        let response = self.response("in_progress");
        event("response.created", json!({"response": response}))
            + &event("response.in_progress", json!({"response": response}))
    }

    fn text(&mut self, piece: &str) -> String {
        let place = self.output.len();
        let mut out = String::new();
        if self.text.is_none() {
            let id = id("msg");
            let item = message(&id, "", "in_progress");
            out = event("response.output_item.added", json!({"output_index": place, "item": item}));
            let part = json!({"type": "output_text", "text": "", "annotations": []});
            let at = json!({"item_id": id, "output_index": place, "content_index": 0});
            out += &event("response.content_part.added", with(&at, json!({"part": part})));
            self.text = Some((id, String::new()));
        }
        if let Some((id, text)) = &mut self.text {
            text.push_str(piece);
            let at = json!({"item_id": id, "output_index": place, "content_index": 0});
            out += &event("response.output_text.delta", with(&at, json!({"delta": piece})));
        }
        out
    }

    fn thinking(&mut self, text: &str) -> String {
        let summary = json!([{"type": "summary_text", "text": text}]);
        let item = json!({"type": "reasoning", "id": id("rs"), "summary": summary});
        self.close() + &self.item(item)
    }

    fn call(&mut self, call: Call) -> String {
        let mut item = json!({
            "type": "function_call", "id": id("fc"), "call_id": call.id, "name": call.name,
            "arguments": call.input.to_string(), "status": "completed",
        });
        if let Some(namespace) = call.namespace {
            item["namespace"] = namespace.into();
        }
        self.close() + &self.item(item)
    }

    fn ping(&self) -> String {
        ": ping\n\n".to_owned()
    }

    fn error(&self, kind: &str) -> String {
        let mut response = self.response("failed");
        response["error"] = openai(kind, "The script says so.");
        event("response.failed", json!({"response": response}))
    }

    fn end(&mut self, reply: &Reply) -> String {
        let mut out = self.close();
        let response = self.document(reply);
        let name = format!("response.{}", response["status"].as_str().unwrap_or_default());
        let _written = write!(out, "{}", event(&name, json!({"response": response})));
        out
    }

    fn document(&mut self, reply: &Reply) -> Value {
        drop(self.close());
        // Another reason to stop is an answer that is not whole.
        let mut response =
            self.response(if reply.stop.is_some() { "incomplete" } else { "completed" });
        if let Some(stop) = &reply.stop {
            response["incomplete_details"] = json!({"reason": stop});
        }
        let (taken, given) = tokens(reply);
        response["usage"] = json!({
            "input_tokens": taken, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": given, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": taken + given,
        });
        response
    }
}

fn message(id: &str, text: &str, status: &str) -> Value {
    let content = match text {
        "" => json!([]),
        text => json!([{"type": "output_text", "text": text, "annotations": []}]),
    };
    json!({"type": "message", "id": id, "role": "assistant", "status": status, "content": content})
}

fn with(at: &Value, more: Value) -> Value {
    let mut whole = at.clone();
    if let (Some(whole), Value::Object(more)) = (whole.as_object_mut(), more) {
        whole.extend(more);
    }
    whole
}

fn event(name: &str, mut data: Value) -> String {
    data["type"] = name.into();
    format!("event: {name}\ndata: {data}\n\n")
}
