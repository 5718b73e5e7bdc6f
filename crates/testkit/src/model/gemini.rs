//! Google's Gemini API (`v1beta`), as Gemini CLI 0.61.0 reads it.

use super::reply::Reply;
use super::request::Request;
use super::tools::Call;
use super::wire::{Wire, tokens};
use serde_json::{Value, json};

#[derive(Debug)]
pub(super) struct Gemini {
    model: String,
    parts: Vec<Value>,
}

impl Gemini {
    pub(super) fn new(request: &Request) -> Self {
        Self { model: request.model().to_owned(), parts: Vec::new() }
    }

    fn part(&mut self, part: Value) -> String {
        let candidate = json!({"index": 0, "content": {"role": "model", "parts": [part]}});
        self.parts.push(part);
        event(&json!({"candidates": [candidate], "modelVersion": self.model}))
    }

    fn answer(&self, reply: &Reply, parts: &[Value]) -> Value {
        let (taken, given) = tokens(reply);
        let stop = match reply.stop.as_deref() {
            // The other protocol's word.
            Some("max_tokens") => "MAX_TOKENS",
            other => other.unwrap_or("STOP"),
        };
        let content = json!({"role": "model", "parts": parts});
        json!({
            "candidates": [{"index": 0, "content": content, "finishReason": stop}],
            "usageMetadata": {
                "promptTokenCount": taken, "candidatesTokenCount": given,
                "totalTokenCount": taken + given,
            },
            "modelVersion": self.model,
        })
    }
}

impl Wire for Gemini {
    fn begin(&mut self) -> String {
        String::new()
    }

    fn text(&mut self, piece: &str) -> String {
        self.part(json!({"text": piece}))
    }

    fn thinking(&mut self, text: &str) -> String {
        self.part(json!({"text": text, "thought": true}))
    }

    fn call(&mut self, call: Call) -> String {
        let call = json!({"id": call.id, "name": call.name, "args": call.input});
        self.part(json!({"functionCall": call}))
    }

    fn ping(&self) -> String {
        String::new()
    }

    fn error(&self, kind: &str) -> String {
        let error = json!({"code": 500, "message": "The script says so.", "status": kind});
        event(&json!({"error": error}))
    }

    fn end(&mut self, reply: &Reply) -> String {
        event(&self.answer(reply, &[json!({"text": ""})]))
    }

    fn document(&mut self, reply: &Reply) -> Value {
        self.answer(reply, &self.parts)
    }
}

fn event(data: &Value) -> String {
    format!("data: {data}\r\n\r\n")
}
