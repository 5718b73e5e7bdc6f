//! `DELETE /api/v1/agents/{id}?force=`: the seat leaves the roster.

use super::agent_path::AgentPath;
use super::query::Query;
use super::{App, Receipt, Refused, receipt};
use crate::caller::Caller;
use crate::job::Work;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use headsup_core::id::AgentId;
use headsup_core::wire::Problem;
use std::sync::Arc;

#[utoipa::path(
    delete,
    path = "/api/v1/agents/{id}",
    operation_id = "forget_agent",
    tag = "agents",
    summary = "Takes the seat off the roster",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("force" = Option<bool>, Query, description = "Also where it runs; it comes back at its next report"),
    ),
    responses(
        (status = 200, description = "Gone", body = Receipt),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    let caller = Caller::of_an_act(&app, request.headers(), request.extensions())?;
    let force = Query::parse(request.uri().query(), &["force"])?.flag("force", false)?;
    if let Some(is) = caller.agent_or_person("forgets an agent")? {
        let asks = app.board.seat(&agent).is_some_and(|seat| !seat.prompts.is_empty());
        if is != agent || asks {
            let detail = format!(
                "{is} is an agent; what is kept of another one, or is to be answered, a person forgets"
            );
            return Err(Refused::new(403, "human_only", detail));
        }
    }
    let work = Work::Forget { agent: agent.clone(), force };
    let reply = app.inbox.submit(work, None).await?;
    // It is forgotten whole, also where whoever has asked for it does not wait.
    let clear = async move {
        app.inbox.evidence().forget(&agent);
        app.samples.forget(&agent).await;
        app.metrics.flaws.forget(&agent);
    };
    tokio::spawn(clear).await.ok();
    Ok(receipt(StatusCode::OK, &reply))
}
