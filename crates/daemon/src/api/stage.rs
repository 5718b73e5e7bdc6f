//! `POST /api/v1/agents/{id}/stage`: a workflow moves.

mod refused;

pub(super) use refused::refused;

use super::agent_path::AgentPath;
use super::reports::check_length;
use super::workflow::{self, WorkflowDoc};
use super::{App, Refused, asked};
use crate::caller::Caller;
use crate::job::{Moved, Work};
use axum::Json;
use axum::extract::{Request, State};
use headsup_adapters::text;
use headsup_core::id::AgentId;
use headsup_core::wire::Problem;
use headsup_core::workflow::{By, Stage};
use serde::Deserialize;
use std::sync::Arc;
use utoipa::ToSchema;

const MOST_BLOCKERS: usize = 32;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StageBody {
    #[schema(value_type = Stage)]
    stage: String,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    phase: Option<String>,
    /// A share of all: from 0 to 1.
    #[serde(default)]
    progress: Option<f64>,
    /// What stands in the way.
    #[serde(default)]
    blockers: Vec<String>,
}

#[utoipa::path(
    post,
    path = "/api/v1/agents/{id}/stage",
    operation_id = "set_stage",
    tag = "prompts",
    summary = "Moves an agent's workflow",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = StageBody),
    responses(
        (status = 200, description = "Where the workflow stands then", body = WorkflowDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn post(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Json<WorkflowDoc>, Refused> {
    let caller = Caller::of_an_act(&app, request.headers(), request.extensions())?;
    let (body, key) = asked::read::<StageBody>(request).await?;
    let by = caller.about(&app, &agent)?;
    let mut moved = body.moved(agent.clone(), by)?;
    moved.registers = caller == Caller::Agent(agent.clone());
    match app.inbox.submit(Work::Stage(Box::new(moved)), key).await {
        Ok(_) => workflow::of(&app, &agent, by).map(Json),
        Err(refusal) => Err(refused(&app, &agent, refusal)),
    }
}

impl StageBody {
    fn moved(self, agent: AgentId, by: By) -> Result<Moved, Refused> {
        let Some(stage) = Stage::parse(&self.stage) else {
            let known: Vec<String> =
                Stage::ALL.iter().map(|stage| stage.word().to_owned()).collect();
            let word: String = self.stage.chars().take(text::NAME).collect();
            let detail = format!("stage {word:?} is not one of {}", known.join(", "));
            return Err(
                Refused::new(400, "bad_stage", detail).with(|problem| problem.allowed = known)
            );
        };
        check_length("message", self.message.as_deref(), text::BODY)?;
        check_length("phase", self.phase.as_deref(), text::TITLE)?;
        if self.blockers.len() > MOST_BLOCKERS {
            let detail = format!("there are at most {MOST_BLOCKERS} blockers");
            return Err(Refused::new(400, "bad_stage", detail));
        }
        for blocker in &self.blockers {
            check_length("a blocker", Some(blocker), text::BODY)?;
        }
        if self.progress.is_some_and(|progress| !(0.0..=1.0).contains(&progress)) {
            let detail = "progress is a share of all: a number from 0 to 1";
            return Err(Refused::new(400, "bad_stage", detail));
        }
        let seen = |text: String| Some(text).filter(|text| !text.is_empty());
        let message = self.message.and_then(|message| seen(text::block(&message, text::BODY)));
        let phase = self.phase.and_then(|phase| seen(text::line(&phase, text::TITLE)));
        let blockers = self.blockers.iter().map(|blocker| text::line(blocker, text::BODY));
        let blockers = blockers.filter(|blocker| !blocker.is_empty()).collect();
        let progress = self.progress;
        Ok(Moved { agent, registers: false, stage, by, message, phase, progress, blockers })
    }
}
