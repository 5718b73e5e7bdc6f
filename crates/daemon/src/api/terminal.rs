//! `POST /api/v1/agents/{id}/terminal`: what an agent has said to the terminal that its launcher has
//! put it on. What it means is its adapter's to say.

use super::agent_path::AgentPath;
use super::{App, Receipt, Refused, asked, peer, receipt};
use crate::caller::may_tend;
use crate::job::{Reply, Witnessed, Work};
use crate::process;
use crate::spoken::{self, TerminalBody, sight};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use headsup_adapters::evidence::progress;
use headsup_adapters::terminal;
use headsup_core::id::AgentId;
use headsup_core::observation::Fact;
use headsup_core::source::Source;
use headsup_core::wire::Problem;
use serde_json::json;
use std::sync::Arc;

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
    let mut process = said.process();
    app.namespaces.settle(&mut process, peer);
    // A word that comes after the end is no sign of new life. A status that it has told just before may come as late
    // as its end.
    let may_be_late = said.status.is_some() && !seat.process.state.is_over();
    let moment = app.inbox.evidence().now();
    let mut rows = Vec::new();
    let mut sights = Vec::new();
    if let Some(status) = &said.status {
        let (sight, row) = spoken::report(&agent, &seat.kind, status);
        sights.push(sight);
        rows.push(row);
    }
    let mut shown = None;
    let title = said.title.and_then(|title| {
        let level = terminal::title(&seat.kind, &title);
        shown = Some((format!("{level:?}"), json!({"src": "osc", "osc": 0, "body": title})));
        level
    });
    let of_title = |name: &str, level| sight(&agent, Source::Title, name, Fact::Level(level));
    sights.extend(title.map(|level| of_title("title", level)));
    let progress = said.progress.and_then(|body| {
        let level = terminal::progress(&seat.kind, &body);
        rows.extend(progress(&body).map(|body| json!({"src": "osc", "osc": 9, "body": body})));
        level
    });
    sights.extend(progress.map(|level| of_title("progress", level)));
    if process.pid_here().is_some() && !process::is_alive(&process) && !may_be_late {
        return Err(Refused::new(409, "agent_ended", "the process has ended"));
    }
    let cursor = app.board.head();
    let (mut key, mut reply) = (key, Reply::Done { agent: Some(agent.clone()), cursor });
    for sight in sights {
        let work = Work::Witnessed(Witnessed::Seat(Box::new(sight)));
        reply = app.inbox.submit(work, key.take()).await?;
    }
    // What was told before is kept already.
    if let Reply::Done { .. } = reply {
        let evidence = app.inbox.evidence();
        for row in &rows {
            evidence.keep(&agent, moment, row);
        }
        if let Some((says, row)) = shown {
            evidence.keep_title(&agent, moment, &says, &row);
        }
    }
    Ok(receipt(StatusCode::ACCEPTED, &reply))
}
