//! `GET /api/v1/agents/{id}/workflow`: where an agent's workflow stands, and where it may go.

use super::agent_path::AgentPath;
use super::{App, Refused};
use crate::caller::Caller;
use crate::job::Refusal;
use axum::Json;
use axum::extract::{Request, State};
use headsup_core::gate;
use headsup_core::id::AgentId;
use headsup_core::wire::{Problem, PromptDoc, SCHEMA};
use headsup_core::workflow::{self, By, Stage};
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// Where a workflow stands.
#[derive(Serialize, ToSchema)]
pub(super) struct WorkflowDoc {
    schema: u32,
    agent_id: AgentId,
    /// Counts the workflows of this agent, from 1.
    run: u32,
    /// The stage, or `none`.
    status: &'static str,
    message: Option<String>,
    phase: Option<String>,
    progress: Option<f64>,
    blockers: Vec<String>,
    /// The oldest open question.
    prompt: Option<PromptDoc>,
    /// All of them.
    prompts: Vec<PromptDoc>,
    /// The stages that the caller may move it to.
    allowed: Vec<Stage>,
}

#[utoipa::path(
    get,
    path = "/api/v1/agents/{id}/workflow",
    operation_id = "get_workflow",
    tag = "prompts",
    summary = "Where an agent's workflow stands, and where the caller may move it",
    params(("id" = AgentId, Path, description = "The agent")),
    responses(
        (status = 200, description = "The workflow", body = WorkflowDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Json<WorkflowDoc>, Refused> {
    super::query::Query::parse(request.uri().query(), &[])?;
    let caller = Caller::of(&app, request.headers(), request.extensions())?;
    // Whoever may not move it may look at it.
    let by = caller.about(&app, &agent).unwrap_or(By::Agent);
    of(&app, &agent, by).map(Json)
}

pub(super) fn of(app: &App, agent: &AgentId, by: By) -> Result<WorkflowDoc, Refused> {
    let seat = app.board.seat(agent).ok_or(Refusal::NoSuchAgent)?;
    let stage = seat.stage.as_ref();
    let current = stage.map(|status| status.stage);
    let waits = by == By::Agent && gate::waits_for(&seat).is_some();
    let may = |to: &Stage| {
        let passes_by = waits && *to == Stage::Working;
        current != Some(*to) && !passes_by && workflow::path(current, *to, by).is_ok()
    };
    let prompts: Vec<_> = seat.inputs().map(|open| PromptDoc::new(&seat.id, open, None)).collect();
    Ok(WorkflowDoc {
        schema: SCHEMA,
        agent_id: seat.id.clone(),
        run: seat.runs + 1,
        status: current.map_or("none", Stage::word),
        message: stage.and_then(|status| status.message.clone()),
        phase: stage.and_then(|status| status.phase.clone()),
        progress: stage.and_then(|status| status.progress),
        blockers: stage.map(|status| status.blockers.clone()).unwrap_or_default(),
        prompt: prompts.first().cloned(),
        prompts,
        allowed: Stage::ALL.iter().copied().filter(may).collect(),
    })
}
