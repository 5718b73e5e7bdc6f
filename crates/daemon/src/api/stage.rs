//! `POST /api/v1/agents/{id}/stage`: a workflow moves.

use super::agent_path::AgentPath;
use super::reports::check_length;
use super::workflow::{self, WorkflowDoc};
use super::{App, Refused, asked};
use crate::caller::Caller;
use crate::job::{Moved, Refusal, Work};
use axum::Json;
use axum::extract::{Request, State};
use headsup_adapters::text;
use headsup_core::gate;
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
    /// 0 to 1, or 0 to 100; it is told as it was said.
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
        let is_number = |progress: &f64| progress.is_finite() && *progress >= 0.0;
        if self.progress.is_some_and(|progress| !is_number(&progress)) {
            return Err(Refused::new(400, "bad_stage", "progress is a number from 0 on"));
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

/// The refusal of a move, with the moves that there are.
pub(super) fn refused(app: &App, agent: &AgentId, refusal: Refusal) -> Refused {
    match refusal {
        Refusal::IllegalStage { from, to, by } => {
            let legal = headsup_core::workflow::path(from, to, by).err();
            let Some(illegal) = legal else { return refusal.into() };
            let legal: Vec<String> =
                illegal.legal.iter().map(|stage| stage.word().to_owned()).collect();
            let detail = illegal.to_string();
            let refused = Refused::new(409, "illegal_stage", detail).with(|problem| {
                problem.from = Some(from.map_or("none", Stage::word).to_owned());
                problem.allowed.clone_from(&legal);
                problem.legal = Some(legal);
            });
            match from.is_some_and(Stage::is_terminal) {
                true => refused.hint("the next thing that this agent is given begins anew"),
                false => refused,
            }
        }
        Refusal::OpenQuestion => {
            let seat = app.board.seat(agent);
            let open = seat.as_deref().and_then(gate::waits_for).map(|open| open.id.clone());
            let id = open.clone().unwrap_or_default();
            let detail = format!("{agent} waits for an answer to {id}");
            Refused::new(409, "open_question", detail)
                .hint("wait for the answer, or take the question back")
                .with(|problem| problem.prompt_id = open)
        }
        refusal => refusal.into(),
    }
}
