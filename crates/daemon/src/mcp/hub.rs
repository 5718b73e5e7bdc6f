//! The hub, as the tools see it: its HTTP API, whatever carries the calls.

use crate::elsewhere::patience;
use serde_json::Value;
use std::time::Duration;

/// An answer of the hub comes within milliseconds; this is for one that is out of breath.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// Where it waits for another system: less than the shortest patience of a client.
const OTHERS: Duration = Duration::from_secs(50);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
    Put,
    Patch,
}

impl Method {
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
        }
    }
}

/// One request.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub method: Method,
    /// With its query, as it stands on the wire.
    pub path: String,
    pub body: Option<Value>,
    /// Which request this is, however often it is sent (`X-Headsup-Id`).
    pub key: Option<String>,
    /// How long the hub may take to answer.
    pub patience: Duration,
}

impl Call {
    pub(crate) fn get(path: String) -> Self {
        let patience = patience(&path, OTHERS);
        Self { method: Method::Get, path, body: None, key: None, patience }
    }

    pub(crate) fn with_body(method: Method, path: String, body: Value, key: String) -> Self {
        let patience = patience(&path, OTHERS);
        Self { method, path, body: Some(body), key: Some(key), patience }
    }
}

/// What the hub answered: a document, or a problem document.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub status: u16,
    pub body: Value,
}

/// The hub gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unreachable {
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// Whatever carries calls to a hub.
pub trait Hub: Send + Sync + 'static {
    /// Carries one call, and brings its answer.
    ///
    /// # Errors
    /// [`Unreachable`]: there was none.
    fn call(&self, call: Call) -> impl Future<Output = Result<Reply, Unreachable>> + Send;

    /// The process of the agent that calls, where that is known: `{pid, start_ticks, pid_namespace}`.
    fn agent_process(&self) -> Option<Value> {
        None
    }

    /// The folder in which it works, where that is known.
    fn agent_folder(&self) -> Option<String> {
        None
    }
}
