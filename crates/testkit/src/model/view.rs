//! What requests of all protocols have in common: who said what, and which tools there are.
//!
//! A conversation is put into the form of the Messages API: messages of a role, with blocks of text,
//! calls and results.

use super::protocol::Protocol;
use serde_json::{Value, json};

/// The body in that form; `None` if it has it already.
pub(super) fn of(protocol: Option<Protocol>, body: &Value) -> Option<Value> {
    let (messages, tools) = match protocol? {
        Protocol::Messages => return None,
        Protocol::Responses => (responses(body), responses_tools(body)),
        Protocol::Chat => (chat(body), chat_tools(body)),
        Protocol::Gemini => (gemini(body), gemini_tools(body)),
    };
    Some(json!({"messages": messages, "tools": tools}))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Puts blocks behind what this role has just said, or begins a message.
fn say(messages: &mut Vec<Value>, role: &str, blocks: Vec<Value>) {
    if let Some(last) = messages.last_mut().filter(|last| last["role"] == role)
        && let Some(said) = last["content"].as_array_mut()
    {
        said.extend(blocks);
        return;
    }
    messages.push(json!({"role": role, "content": blocks}));
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// A string, or parts with text.
fn texts(content: &Value) -> Vec<Value> {
    match content {
        Value::String(said) => vec![text(said)],
        parts => list(parts).filter_map(|part| Some(text(part["text"].as_str()?))).collect(),
    }
}

fn called(id: &Value, name: &Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name})
}

fn result(id: &Value, content: &Value) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": texts(content)})
}

fn responses(body: &Value) -> Vec<Value> {
    let mut messages = Vec::new();
    for item in list(&body["input"]) {
        match item["type"].as_str().unwrap_or("message") {
            "message" => {
                let mut known = ["user", "assistant"].into_iter();
                let role = known.find(|role| item["role"] == **role).unwrap_or("system");
                say(&mut messages, role, texts(&item["content"]));
            }
            "function_call" | "custom_tool_call" => {
                say(&mut messages, "assistant", vec![called(&item["call_id"], &item["name"])]);
            }
            "function_call_output" | "custom_tool_call_output" => {
                say(&mut messages, "user", vec![result(&item["call_id"], &item["output"])]);
            }
            _ => {}
        }
    }
    messages
}

fn tool(tool: &Value, schema: &Value, namespace: Option<&Value>) -> Value {
    json!({"name": tool["name"], "input_schema": schema, "namespace": namespace})
}

fn responses_tools(body: &Value) -> Vec<Value> {
    let mut tools = Vec::new();
    for one in list(&body["tools"]) {
        match one["type"].as_str() {
            Some("namespace") => {
                let own = list(&one["tools"]);
                tools.extend(own.map(|own| tool(own, &own["parameters"], Some(&one["name"]))));
            }
            _ => tools.push(tool(one, &one["parameters"], None)),
        }
    }
    tools
}

fn chat(body: &Value) -> Vec<Value> {
    let mut messages = Vec::new();
    for message in list(&body["messages"]) {
        let said = texts(&message["content"]);
        match message["role"].as_str().unwrap_or_default() {
            "tool" => {
                let id = &message["tool_call_id"];
                say(&mut messages, "user", vec![result(id, &message["content"])]);
            }
            "assistant" => {
                let calls = list(&message["tool_calls"]);
                let calls = calls.map(|call| called(&call["id"], &call["function"]["name"]));
                say(&mut messages, "assistant", said.into_iter().chain(calls).collect());
            }
            "user" => say(&mut messages, "user", said),
            _ => say(&mut messages, "system", said),
        }
    }
    messages
}

fn chat_tools(body: &Value) -> Vec<Value> {
    let functions = list(&body["tools"]).map(|one| &one["function"]);
    functions.map(|one| tool(one, &one["parameters"], None)).collect()
}

fn gemini(body: &Value) -> Vec<Value> {
    let mut messages = vec![];
    if body["systemInstruction"].is_object() {
        say(&mut messages, "system", texts(&body["systemInstruction"]["parts"]));
    }
    for content in list(&body["contents"]) {
        let role = if content["role"] == "model" { "assistant" } else { "user" };
        let blocks = list(&content["parts"]).filter_map(|part| {
            let (call, response) = (&part["functionCall"], &part["functionResponse"]);
            match (part["text"].as_str(), call.is_object(), response.is_object()) {
                (Some(said), ..) => Some(text(said)),
                (_, true, _) => Some(called(&call["id"], &call["name"])),
                (_, _, true) => Some(result(&response["id"], &response["response"]["output"])),
                _ => None,
            }
        });
        say(&mut messages, role, blocks.collect());
    }
    messages
}

fn gemini_tools(body: &Value) -> Vec<Value> {
    let declared = list(&body["tools"]).flat_map(|group| list(&group["functionDeclarations"]));
    let schema = |one: &Value| match &one["parametersJsonSchema"] {
        Value::Null => one["parameters"].clone(),
        schema => schema.clone(),
    };
    declared.map(|one| tool(one, &schema(one), None)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::request::Request;
    use super::*;

    fn request(path: &str, body: Value) -> Request {
        Request::new("POST", path, vec![], body)
    }

    /// A prompt, a call, its result: the same in every protocol.
    fn three() -> [Request; 3] {
        let parameters = json!({"type": "object", "properties": {"command": {}}});
        let tool = json!({"name": "bash", "parameters": parameters});
        let function = json!({"type": "function", "function": tool});
        [
            request(
                "/v1/responses",
                json!({
                    "input": [
                        {"type": "message", "role": "developer", "content": [{"text": "Be brief."}]},
                        {"type": "message", "role": "user",
                         "content": [{"type": "input_text", "text": "go"}]},
                        {"type": "function_call", "call_id": "c", "name": "bash", "arguments": "{}"},
                        {"type": "function_call_output", "call_id": "c", "output": "out"},
                    ],
                    "tools": [{"type": "namespace", "name": "all", "tools": [tool]}],
                }),
            ),
            request(
                "/v1/chat/completions",
                json!({
                    "messages": [
                        {"role": "system", "content": "Be brief."},
                        {"role": "user", "content": [{"type": "text", "text": "go"}]},
                        {"role": "assistant", "content": "",
                         "tool_calls": [{"id": "c", "function": {"name": "bash"}}]},
                        {"role": "tool", "tool_call_id": "c", "content": "out"},
                    ],
                    "tools": [function],
                }),
            ),
            request(
                "/v1beta/models/m:streamGenerateContent?alt=sse",
                json!({
                    "systemInstruction": {"parts": [{"text": "Be brief."}]},
                    "contents": [
                        {"role": "user", "parts": [
                            {"text": "<session_context>here</session_context>"}, {"text": "go"},
                        ]},
                        {"role": "model", "parts": [{"functionCall": {"id": "c", "name": "bash"}}]},
                        {"role": "user", "parts": [
                            {"functionResponse": {"id": "c", "response": {"output": "out"}}},
                        ]},
                    ],
                    "tools": [{"functionDeclarations": [tool]}],
                }),
            ),
        ]
    }

    #[test]
    fn a_conversation_reads_the_same_in_every_protocol() {
        for request in three() {
            assert_eq!((request.prompt().as_str(), request.step()), ("go", 1), "{request:?}");
            assert_eq!(request.results(), ["out"], "{request:?}");
            assert_eq!(request.tool(&["Bash", "bash"]).as_deref(), Some("bash"));
            assert!(request.offers("bash", "command") && !request.offers("bash", "mode"));
        }
        assert_eq!(three()[0].namespace("bash").as_deref(), Some("all"));
        assert_eq!(three()[1].namespace("bash"), None);
    }
}
