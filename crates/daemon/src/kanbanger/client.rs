//! Calls of Kanbanger, and what it answers.

use super::says::says;
use super::settings::KanbangerSettings;
use super::template::{Values, filled};
use crate::outgoing::{Answer, Ask, Line, RemoteError, Secret};
use bytes::Bytes;
use serde_json::Value;
use std::time::Duration;

/// An answer that is not there by then may never come.
const PATIENCE: Duration = Duration::from_secs(30);
/// Where nothing says when to come back. Seconds.
const LATER_S: u64 = 60;

const RIGHTS: &str =
    "give the key of KANBANGER_API_KEY the rights to read and to write cards and comments";

#[derive(Debug)]
pub(super) struct Client {
    line: Line,
    pub(super) settings: KanbangerSettings,
}

impl Client {
    pub(super) fn new(settings: KanbangerSettings) -> Self {
        Self { line: Line::new(settings.base.clone(), PATIENCE), settings }
    }

    pub(super) fn host(&self) -> String {
        self.line.host()
    }

    pub(super) fn no_key(&self) -> RemoteError {
        let hint = "set KANBANGER_API_KEY in the hub's environment, then restart the hub";
        RemoteError::NoKey { host: self.host(), hint }
    }

    /// The document that a call answers. `what`: what it is about, for people.
    pub(super) async fn call(
        &self,
        name: &'static str,
        values: Values<'_>,
        what: &str,
    ) -> Result<Value, RemoteError> {
        let host = self.line.host();
        let Some(key) = &self.settings.key else { return Err(self.no_key()) };
        let Some(call) = self.settings.call(name) else {
            return Err(RemoteError::Garbled { host, what: format!("no call {name}") });
        };
        let path = call.path(values);
        let body = call.body(values).map(|body| Bytes::from(body.to_string()));
        // Any of them may have the key in it.
        let of: Values<'_> = &[("key", Some(key.reveal()))];
        let secrets = self.settings.headers.iter().filter_map(|(name, value)| {
            Some((name.clone(), Secret::header(&filled(value, of, str::to_owned))?))
        });
        let secrets = secrets.collect();
        let headers = vec![("accept", "application/json".to_owned())];
        let ask = Ask { method: call.method(), path: &path, headers, secrets, body };
        self.read(self.line.ask(ask).await?, what)
    }

    fn read(&self, answer: Answer, what: &str) -> Result<Value, RemoteError> {
        let host = self.line.host();
        let says = || says(&answer.body);
        let after = answer.header("retry-after").and_then(|after| after.parse().ok());
        let after = after.map(Duration::from_secs);
        Err(match answer.status {
            204 => return Ok(Value::Null),
            200..=299 => {
                let garbled =
                    |_| RemoteError::Garbled { host, what: format!("of {what}, no JSON") };
                return serde_json::from_slice(&answer.body).map_err(garbled);
            }
            401 => RemoteError::Unauthorized { host, says: says() },
            403 => RemoteError::Forbidden { host, says: says(), hint: RIGHTS },
            404 | 410 => RemoteError::NotFound { host, what: what.to_owned() },
            429 => {
                let after = after.unwrap_or(Duration::from_secs(LATER_S));
                RemoteError::Limited { host, after, says: says() }
            }
            status @ 500.. => RemoteError::Down { host, status, says: says(), after },
            status => RemoteError::Refused { host, status, says: says() },
        })
    }
}
