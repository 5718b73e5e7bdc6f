//! `POST /api/v1/agents/{id}/terminal`: what an agent has said to the terminal that its launcher has
//! put it on. What it means is its adapter's to say.

use super::agent_path::AgentPath;
use super::{App, Receipt, Refused, asked, peer, receipt};
use crate::caller::may_tend;
use crate::job::{Reply, Sight, Witnessed, Work};
use crate::process;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use headsup_adapters::evidence::progress;
use headsup_adapters::terminal;
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::Fact;
use headsup_core::source::Source;
use headsup_core::wire::Problem;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use utoipa::ToSchema;

/// What a process has said to its terminal: the bodies of its sequences, as they are.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TerminalBody {
    pid: u32,
    /// Clock ticks since the machine started, as the kernel counts them.
    start_ticks: u64,
    /// The inode of its pid namespace.
    #[serde(default)]
    pid_namespace: Option<u64>,
    /// A status report: what stands behind `7501;` in OSC 7501.
    #[serde(default)]
    status: Option<String>,
    /// What stands behind `0;` or `2;`.
    #[serde(default)]
    title: Option<String>,
    /// What stands behind `9;`, from `4;` on.
    #[serde(default)]
    progress: Option<String>,
}

#[utoipa::path(
    post,
    path = "/api/v1/agents/{id}/terminal",
    operation_id = "report_terminal",
    tag = "reports",
    summary = "What a launched agent has said to its terminal: status, title, progress",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = TerminalBody),
    responses(
        (status = 202, description = "Stored", body = Receipt),
        (status = 200, description = "It was told before", body = Receipt),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn post(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    may_tend(&app, request.headers(), request.extensions(), &agent)?;
    let peer = peer(request.extensions());
    let (said, key) = asked::read::<TerminalBody>(request).await?;
    let seat = app.board.seat(&agent).ok_or_else(Refused::no_such_agent)?;
    let mut process = ProcessId::new(said.pid, said.start_ticks);
    process.pid_namespace = said.pid_namespace;
    app.namespaces.settle(&mut process, peer);
    let moment = app.inbox.evidence().now();
    let mut rows = Vec::new();
    let mut facts = Vec::new();
    if let Some(status) = &said.status {
        let status = terminal::program_status(&seat.kind, status);
        facts.push((Source::ProgramStatus, status.name, status.fact));
    }
    rows.extend(said.status.map(|body| json!({"src": "osc", "osc": 7501, "body": body})));
    let mut shown = None;
    let title = said.title.and_then(|title| {
        let level = terminal::title(&seat.kind, &title);
        shown = Some((format!("{level:?}"), json!({"src": "osc", "osc": 0, "body": title})));
        level
    });
    facts.extend(title.map(|level| (Source::Title, "title".to_owned(), Fact::Level(level))));
    let progress = said.progress.and_then(|body| {
        let level = terminal::progress(&seat.kind, &body);
        rows.extend(progress(&body).map(|body| json!({"src": "osc", "osc": 9, "body": body})));
        level
    });
    facts.extend(progress.map(|level| (Source::Title, "progress".into(), Fact::Level(level))));
    // A word that comes after the end is no sign of new life.
    if process.pid_here().is_some() && !process::is_alive(&process) {
        return Err(Refused::new(409, "agent_ended", "the process has ended"));
    }
    let evidence = app.inbox.evidence();
    for row in &rows {
        evidence.keep(&agent, moment, row);
    }
    if let Some((says, row)) = shown {
        evidence.keep_title(&agent, moment, &says, &row);
    }
    let cursor = app.board.head();
    let (mut key, mut reply) = (key, Reply::Done { agent: Some(agent.clone()), cursor });
    for (source, name, fact) in facts {
        let sight = Sight {
            agent: agent.clone(),
            source,
            name,
            session: None,
            // What was launched need not be what sits in the seat: it may have started it.
            process: None,
            is_history: false,
            fact,
        };
        let work = Work::Witnessed(Witnessed::Seat(Box::new(sight)));
        reply = app.inbox.submit(work, key.take()).await?;
    }
    Ok(receipt(StatusCode::ACCEPTED, &reply))
}
