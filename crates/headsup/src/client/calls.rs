//! The hub, as the tools of agents call it from another process.

use super::address::NoConnection;
use super::{CallError, Client, KEY, start};
use crate::cli::Context;
use crate::error::CommandError;
use crate::hook::process::Process;
use crate::launch::seat;
use crate::place::Place;
use bytes::Bytes;
use headsup_core::id::AgentId;
use headsup_daemon::mcp::{Call, Hub, Reply, Scope, Unreachable};
use hyper::Method;
use serde_json::{Value, json};
use std::os::unix::process::parent_id;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// How long a hub that has gone away is looked for: it may be on its way back.
const BACK_WITHIN: Duration = Duration::from_secs(10);
const BETWEEN_TRIES: Duration = Duration::from_millis(50);

/// Calls that are carried over a client's connection. A hub that is not there at the first call is started
/// where that is ours to do. One that goes away later is only waited for: it may have been run with a listener
/// and with secrets that an agent's environment does not have, and whoever has run it brings it back as it was.
/// Each request has a key, so that one that is sent twice acts once.
#[derive(Debug)]
pub(crate) struct Calls {
    client: Client,
    place: Place,
    /// A hub has never answered, and one may be started.
    may_start: AtomicBool,
    /// Whoever has started this server.
    parent: Option<Process>,
    /// The agent that calls, whichever variable has named it.
    agent: Option<AgentId>,
}

impl Calls {
    pub(crate) fn new(client: Client, context: &Context, scope: &Scope) -> Self {
        let agent = match scope {
            Scope::Agent(agent) => Some(agent.clone()),
            Scope::Missing(_) => None,
        };
        let may_start = AtomicBool::new(context.may_start());
        // Somebody who tries the tools by hand is no agent for it.
        let parent = Process::read(parent_id()).filter(|parent| !parent.is_typed_into());
        Self { client, place: context.place.clone(), may_start, parent, agent }
    }

    async fn once(&self, call: &Call) -> Result<Reply, CallError> {
        let method = Method::from_bytes(call.method.name().as_bytes()).unwrap_or_default();
        let body = call.body.as_ref().map(|body| Bytes::from(body.to_string()));
        let key = call.key.as_deref().map(|key| (KEY, key));
        let agent = self.agent.as_ref().map(|agent| ("x-headsup-agent", agent.as_str()));
        let headers: Vec<_> = agent.into_iter().chain(key).collect();
        let (status, body) = self.client.exchange(method, &call.path, body, &headers).await?;
        let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
        Ok(Reply { status: status.as_u16(), body })
    }

    /// Starts the hub, where it has been missing from the beginning and is ours to start.
    async fn start(&self) -> Result<(), CommandError> {
        if !self.may_start.load(Ordering::Relaxed) || !start::is_to_be_started(&self.place)? {
            return Ok(());
        }
        start::start(&self.place).await.map(drop)
    }
}

impl Hub for Calls {
    async fn call(&self, call: Call) -> Result<Reply, Unreachable> {
        let give_up = Instant::now() + BACK_WITHIN;
        loop {
            let gone = match timeout(call.patience, self.once(&call)).await {
                Ok(Ok(reply)) => {
                    self.may_start.store(false, Ordering::Relaxed);
                    return Ok(reply);
                }
                Err(_) => {
                    let seconds = call.patience.as_secs();
                    let at = self.client.address();
                    let message = format!("the hub at {at} gave no answer within {seconds} s");
                    return Err(Unreachable { message, hint: None });
                }
                Ok(Err(gone)) => gone,
            };
            let may_come_back = matches!(
                gone,
                CallError::Broken(_) | CallError::NoConnection(NoConnection::Absent)
            );
            if !may_come_back || Instant::now() >= give_up {
                return Err(unreachable(gone.at(self.client.address())));
            }
            self.start().await.map_err(unreachable)?;
            sleep(BETWEEN_TRIES).await;
        }
    }

    /// Whoever has started this server, as long as it lives.
    fn agent_process(&self) -> Option<Value> {
        let parent = self.parent.as_ref().filter(|parent| parent.pid == parent_id())?;
        Some(json!({
            "pid": parent.pid, "start_ticks": parent.start,
            "pid_namespace": seat::pid_namespace(),
        }))
    }

    /// Agents start servers where they work.
    fn agent_folder(&self) -> Option<String> {
        std::env::current_dir().ok()?.into_os_string().into_string().ok()
    }
}

fn unreachable(error: CommandError) -> Unreachable {
    let hint = error.hints.first().cloned();
    Unreachable { message: error.message, hint }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Url;

    fn calls(home: &std::path::Path, may_start: bool) -> Calls {
        let url = Some(Url::Unix(home.join("headsup.sock")));
        let place = Place { home: Some(home.to_owned()), url };
        let client = start::client_with(&place, None).unwrap();
        let may_start = AtomicBool::new(may_start);
        Calls { client, place, may_start, parent: None, agent: None }
    }

    #[tokio::test]
    async fn a_hub_that_was_there_is_started_by_whoever_runs_it() {
        let home = tempfile::tempdir().unwrap();
        calls(home.path(), false).start().await.unwrap();
        assert!(!start::log_path(home.path()).exists(), "nothing was tried");
    }
}
