//! A client that speaks JSON-RPC by hand, and the hub behind the server.

use crate::mcp::scope::Scope;
use crate::mcp::stdio;
use crate::mcp::{Call, Hub, Reply, Unreachable};
use headsup_core::id::AgentId;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, split};
use tokio::io::{ReadHalf, WriteHalf};
use tokio::task::yield_now;
use tokio::time::timeout;

/// Only a hang takes longer.
const PATIENCE: Duration = Duration::from_secs(20);

type Answer = dyn Fn(&Call) -> Result<Reply, Unreachable> + Send + Sync;

/// A hub of a few words, which keeps what it was asked.
#[derive(Clone)]
pub(super) struct Told {
    answer: Arc<Answer>,
    pub(super) calls: Arc<Mutex<Vec<Call>>>,
    /// How often everybody else has a go before the next call is heard.
    pub(super) slow_once: Arc<AtomicUsize>,
}

impl Told {
    pub(super) fn new(answer: impl Fn(&Call) -> (u16, Value) + Send + Sync + 'static) -> Self {
        Self::or_gone(move |call| {
            let (status, body) = answer(call);
            Ok(Reply { status, body })
        })
    }

    /// The same for a hub that knows the agent.
    pub(super) fn known(answer: impl Fn(&Call) -> (u16, Value) + Send + Sync + 'static) -> Self {
        Self::new(move |call| if is_look(call) { (200, json!({})) } else { answer(call) })
    }

    pub(super) fn or_gone(
        answer: impl Fn(&Call) -> Result<Reply, Unreachable> + Send + Sync + 'static,
    ) -> Self {
        Self { answer: Arc::new(answer), calls: Arc::default(), slow_once: Arc::default() }
    }

    pub(super) fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }
}

impl Told {
    /// What it was asked beside whether the agent, or its question, is there.
    pub(super) fn acts(&self) -> Vec<Call> {
        self.calls().into_iter().filter(|call| !is_look(call)).collect()
    }
}

fn is_look(call: &Call) -> bool {
    call.path == "/api/v1/agents/api" || call.path.starts_with("/api/v1/prompts?state=")
}

impl Hub for Told {
    async fn call(&self, call: Call) -> Result<Reply, Unreachable> {
        for _ in 0..self.slow_once.swap(0, Ordering::Relaxed) {
            yield_now().await;
        }
        self.calls.lock().unwrap().push(call.clone());
        (self.answer)(&call)
    }
}

/// One client and its server.
pub(super) struct Line {
    read: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
    last: u64,
    /// What the server has said beside its answers.
    pub(super) notes: Vec<Value>,
    /// What every request carries.
    meta: Value,
}

pub(super) fn agent() -> Scope {
    Scope::Agent(AgentId::new("api").unwrap())
}

impl Line {
    /// A client of the era with `initialize`.
    pub(super) async fn initialized(hub: Told, scope: Scope, capabilities: Value) -> Self {
        let mut line = Self::new(hub, scope, json!({}));
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": { "name": "test", "version": "1" },
        });
        let welcome = line.call("initialize", hello).await;
        assert_eq!(welcome["result"]["protocolVersion"], "2025-11-25", "{welcome}");
        line.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        line
    }

    /// A client of the era in which each request says it all.
    pub(super) fn stateless(hub: Told, scope: Scope, capabilities: Value) -> Self {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        Self::new(hub, scope, meta)
    }

    pub(super) fn new(hub: Told, scope: Scope, meta: Value) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (read, write) = split(theirs);
        tokio::spawn(stdio::serve_on(hub, scope, read, write));
        let (read, write) = split(ours);
        let read = BufReader::new(read).lines();
        Self { read, write, last: 0, notes: Vec::new(), meta }
    }

    pub(super) async fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string()).await;
    }

    pub(super) async fn send_text(&mut self, text: &str) {
        self.write.write_all(text.as_bytes()).await.unwrap();
        self.write.write_all(b"\n").await.unwrap();
    }

    /// The client closes its end, and reads on.
    pub(super) async fn close(&mut self) {
        self.write.shutdown().await.unwrap();
    }

    pub(super) async fn next(&mut self) -> Value {
        let line = timeout(PATIENCE, self.read.next_line()).await;
        let line = line.expect("a message in time").unwrap().expect("a message before the end");
        serde_json::from_str(&line).unwrap()
    }

    /// One request and its answer.
    pub(super) async fn call(&mut self, method: &str, mut params: Value) -> Value {
        self.last += 1;
        let id = self.last;
        let given = params.as_object().and_then(|params| params.get("_meta")).cloned();
        let mut meta = self.meta.clone();
        for (name, value) in given.as_ref().and_then(Value::as_object).into_iter().flatten() {
            meta[name] = value.clone();
        }
        if meta.as_object().is_some_and(|meta| !meta.is_empty()) {
            params["_meta"] = meta;
        }
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&request).await;
        loop {
            let message = self.next().await;
            if message.get("id") == Some(&json!(id)) {
                return message;
            }
            self.notes.push(message);
        }
    }

    /// The result of one tool.
    pub(super) async fn tool(&mut self, name: &str, arguments: Value) -> Value {
        let answer = self.call("tools/call", json!({ "name": name, "arguments": arguments })).await;
        answer.get("result").cloned().unwrap_or_else(|| panic!("no result: {answer}"))
    }
}

/// The one paragraph that a model reads.
pub(super) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}
