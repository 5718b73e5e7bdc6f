//! `OpenAI` chat completions, as OpenCode 1.18.33, Qwen Code 0.24.4 and Copilot CLI 1.0.102 read it.

use super::protocol::openai;
use super::reply::Reply;
use super::request::Request;
use super::stream::id;
use super::tools::Call;
use super::wire::{Wire, tokens};
use serde_json::{Value, json};

#[derive(Debug)]
pub(super) struct Chat {
    id: String,
    model: String,
    text: String,
    calls: Vec<Value>,
}

impl Chat {
    pub(super) fn new(request: &Request) -> Self {
        let model = request.model().to_owned();
        Self { id: id("chatcmpl"), model, text: String::new(), calls: Vec::new() }
    }

    fn chunk(&self, choices: &Value, usage: Option<Value>) -> String {
        let mut chunk = json!({
            "id": self.id, "object": "chat.completion.chunk", "created": 1_700_000_000,
            "model": self.model, "choices": choices,
        });
        if let Some(usage) = usage {
            chunk["usage"] = usage;
        }
        format!("data: {chunk}\n\n")
    }

    fn delta(&self, delta: &Value) -> String {
        self.chunk(&json!([{"index": 0, "delta": delta, "finish_reason": null}]), None)
    }

    fn stop<'a>(&self, reply: &'a Reply) -> &'a str {
        let own = if self.calls.is_empty() { "stop" } else { "tool_calls" };
        match reply.stop.as_deref() {
            // The other protocol's word.
            Some("max_tokens") => "length",
            other => other.unwrap_or(own),
        }
    }
}

fn usage(reply: &Reply) -> Value {
    let (taken, given) = tokens(reply);
    json!({"prompt_tokens": taken, "completion_tokens": given, "total_tokens": taken + given})
}

impl Wire for Chat {
    fn begin(&mut self) -> String {
        self.delta(&json!({"role": "assistant", "content": ""}))
    }

    fn text(&mut self, piece: &str) -> String {
        self.text.push_str(piece);
        self.delta(&json!({"content": piece}))
    }

    fn thinking(&mut self, text: &str) -> String {
        self.delta(&json!({"reasoning_content": text}))
    }

    fn call(&mut self, call: Call) -> String {
        let (place, arguments) = (self.calls.len(), call.input.to_string());
        let mut whole = json!({
            "id": call.id, "type": "function",
            "function": {"name": call.name, "arguments": arguments},
        });
        self.calls.push(whole.clone());
        // The name first, what it is called with behind it.
        whole["index"] = place.into();
        whole["function"]["arguments"] = "".into();
        let first = self.delta(&json!({"tool_calls": [whole]}));
        let more = json!({"index": place, "function": {"arguments": arguments}});
        first + &self.delta(&json!({"tool_calls": [more]}))
    }

    fn ping(&self) -> String {
        ": ping\n\n".to_owned()
    }

    fn error(&self, kind: &str) -> String {
        format!("data: {}\n\n", json!({"error": openai(kind, "The script says so.")}))
    }

    fn end(&mut self, reply: &Reply) -> String {
        let choices = json!([{"index": 0, "delta": {}, "finish_reason": self.stop(reply)}]);
        let last = self.chunk(&choices, None);
        last + &self.chunk(&json!([]), Some(usage(reply))) + "data: [DONE]\n\n"
    }

    fn document(&mut self, reply: &Reply) -> Value {
        let mut message = json!({"role": "assistant", "content": self.text});
        if !self.calls.is_empty() {
            message["tool_calls"] = json!(self.calls);
        }
        json!({
            "id": self.id, "object": "chat.completion", "created": 1_700_000_000, "model": self.model,
            "choices": [{"index": 0, "message": message, "finish_reason": self.stop(reply)}],
            "usage": usage(reply),
        })
    }
}
