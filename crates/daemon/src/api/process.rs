//! `PUT /api/v1/agents/{id}/process`: the launcher of an agent tells which process it is, and how
//! it ended.

use super::agent_path::AgentPath;
use super::query::bad;
use super::{App, Receipt, Refused, asked, peer, receipt};
use crate::caller::{self, at_the_other_end, may_tend};
use crate::job::{Reply, Work};
use crate::launched::ProcessBody;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::ProcessFact;
use headsup_core::wire::Problem;
use std::sync::Arc;

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
    let refused = match may_tend(&app, request.headers(), request.extensions(), &agent) {
        Err(refused) if !caller::is_unheard(&app, request.headers(), &agent) => {
            return Err(refused);
        }
        // What it tells of decides.
        may => may.err(),
    };
    let (peer, asks) = (peer(request.extensions()), at_the_other_end(request.extensions()));
    let (said, key) = asked::read::<ProcessBody>(request).await?;
    let moment = app.inbox.evidence().now();
    // It may only wait for the agent, which was struck.
    let seated = app.board.seat(&agent).and_then(|seat| seat.process.id.clone());
    let struck = |process: &ProcessId| {
        app.ooms.has_struck(process) || seated.as_ref().is_some_and(|own| app.ooms.has_struck(own))
    };
    let launched = said.settle(agent.clone(), peer, &app.namespaces, struck);
    let launched = launched.map_err(|error| bad(&error.to_string()))?;
    let runs = matches!(launched.fact, ProcessFact::Running { .. });
    if let Some(refused) = refused
        && !(runs && caller::serves_one_more(&app, asks, &launched.process))
    {
        return Err(refused);
    }
    let reply = app.inbox.submit(Work::Launched(Box::new(launched)), key).await?;
    if let Reply::Done { .. } = reply {
        app.inbox.evidence().keep(&agent, moment, &said.row());
    }
    Ok(receipt(StatusCode::ACCEPTED, &reply))
}
