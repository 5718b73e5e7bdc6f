//! `PUT /api/v1/agents/{id}/process`: the launcher of an agent tells which process it is, and how
//! it ended.

use super::agent_path::AgentPath;
use super::query::bad;
use super::{App, Receipt, Refused, asked, peer, receipt};
use crate::caller::may_tend;
use crate::job::{Launched, Reply, Work};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::ProcessFact;
use headsup_core::status::{Attach, Exit, ExitKind, StartPhase};
use headsup_core::wire::Problem;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;
use utoipa::ToSchema;

/// A process of a launcher's, by pid and start time.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ProcessBody {
    pid: u32,
    /// Clock ticks since the machine started, as the kernel counts them.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Phase {
    /// It will speak for itself.
    Starting,
    /// It has nothing to speak with, so its being there is all there is.
    Running,
    Exited,
}

#[utoipa::path(
    put,
    path = "/api/v1/agents/{id}/process",
    operation_id = "place_process",
    tag = "agents",
    summary = "Tells which process a launched agent is, and how it ended",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = ProcessBody),
    responses(
        (status = 202, description = "Stored", body = Receipt),
        (status = 200, description = "It was told before", body = Receipt),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn put(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    may_tend(&app, request.headers(), request.extensions(), &agent)?;
    let peer = peer(request.extensions());
    let (said, key) = asked::read::<ProcessBody>(request).await?;
    let mut process = ProcessId::new(said.pid, said.start_ticks);
    process.pid_namespace = said.pid_namespace;
    let container = app.namespaces.settle(&mut process, peer);
    let ends = said.code.is_some() || said.signal.is_some();
    let fact = match said.state {
        Phase::Exited => {
            let exit = Exit::from_wait(said.code, said.signal, false);
            let starved = may_be_starved(&exit) && app.ooms.has_struck(&process);
            let kind = if starved { ExitKind::OomKilled } else { exit.kind };
            ProcessFact::Exited(Exit { kind, ..exit })
        }
        _ if ends => return Err(bad("a code or a signal goes with exited")),
        Phase::Starting => ProcessFact::Starting(StartPhase::Booting),
        Phase::Running => {
            let attach = said.attach.unwrap_or(Attach::Interactive);
            ProcessFact::Running { attach, restored: false }
        }
    };
    let moment = app.inbox.evidence().now();
    let row = json!({
        "src": "process", "pid": process.pid, "state": said.state, "attach": said.attach,
        "code": said.code, "signal": said.signal,
    });
    let launched = Launched { agent: agent.clone(), process, container, fact };
    let reply = app.inbox.submit(Work::Launched(Box::new(launched)), key).await?;
    if let Reply::Done { .. } = reply {
        app.inbox.evidence().keep(&agent, moment, &row);
    }
    Ok(receipt(StatusCode::ACCEPTED, &reply))
}

/// Was it killed itself, or did it leave with an error because what it had launched was?
fn may_be_starved(exit: &Exit) -> bool {
    exit.was_killed() || (exit.kind == ExitKind::Crashed && exit.signal.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launcher_whose_program_was_killed_leaves_with_an_error() {
        let left = |code, signal| may_be_starved(&Exit::from_wait(code, signal, false));
        assert!(left(None, Some(9)) && left(Some(137), None) && left(Some(1), None));
        assert!(!left(Some(0), None) && !left(None, Some(11)) && !left(None, Some(15)));
    }
}
