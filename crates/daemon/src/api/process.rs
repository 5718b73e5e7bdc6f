//! `PUT /api/v1/agents/{id}/process`: the launcher of an agent tells which process it is, and how
//! it ended.

use super::agent_path::AgentPath;
use super::query::{Query, bad};
use super::{App, Refused, headers, receipt};
use crate::body;
use crate::job::{Launched, Work};
use crate::limits::BODY;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use headsup_core::id::ProcessId;
use headsup_core::observation::ProcessFact;
use headsup_core::status::{Attach, Exit, StartPhase};
use serde::Deserialize;
use std::sync::Arc;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProcessBody {
    pid: u32,
    start_ticks: u64,
    /// The inode of its pid namespace.
    #[serde(default)]
    pid_namespace: Option<u64>,
    state: Phase,
    #[serde(default)]
    attach: Option<Attach>,
    #[serde(default)]
    code: Option<i32>,
    #[serde(default)]
    signal: Option<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Phase {
    /// It will speak for itself.
    Starting,
    /// It has nothing to speak with, so its being there is all there is.
    Running,
    Exited,
}

pub(super) async fn put(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    let (parts, body) = request.into_parts();
    Query::parse(parts.uri.query(), &[])?;
    let body = body::read(body, BODY).await?;
    let key = headers::key(&parts.headers, parts.uri.path(), &body)?;
    let said: ProcessBody = serde_json::from_slice(&body)
        .map_err(|error| Refused::new(400, "bad_json", error.to_string()))?;
    let namespace = said.pid_namespace.filter(|said| Some(*said) != app.pid_namespace);
    let ends = said.code.is_some() || said.signal.is_some();
    let fact = match said.state {
        Phase::Exited => ProcessFact::Exited(Exit::from_wait(said.code, said.signal, false)),
        _ if ends => return Err(bad("a code or a signal goes with exited")),
        Phase::Starting => ProcessFact::Starting(StartPhase::Booting),
        Phase::Running => {
            let attach = said.attach.unwrap_or(Attach::Interactive);
            ProcessFact::Running { attach, restored: false }
        }
    };
    let process =
        ProcessId { pid: said.pid, start_ticks: said.start_ticks, pid_namespace: namespace };
    let launched = Launched { agent, process, fact };
    let reply = app.inbox.submit(Work::Launched(Box::new(launched)), key).await?;
    Ok(receipt(StatusCode::ACCEPTED, &reply))
}
