//! `GET /api/v1/prompts` and `GET /api/v1/prompts/{pid}`: what waits for a person, and what has
//! waited.

pub(super) mod answer;
pub(super) mod cancel;
pub(super) mod elicit;
pub(super) mod elicited;
pub(super) mod notice;
pub(super) mod open;
pub(super) mod told;

use super::prompt_path::PromptPath;
use super::query::{Query, bad};
use super::{App, Refused, Subscription};
use crate::caller::Caller;
use crate::job::Work;
use crate::store::{Reader, StoreError};
use axum::Json;
use axum::extract::{Request, State};
use axum::http::Uri;
use headsup_core::id::AgentId;
use headsup_core::wire::{OnePromptDoc, Problem, PromptDoc, PromptState, PromptsDoc, SCHEMA};
use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, timeout_at};

/// Which prompts may be listed.
pub(super) const LISTS: [&str; 3] = ["open", "resolved", "untold"];

/// Resolved prompts in one answer.
const MOST: u32 = 1_000;
const USUAL: u32 = 100;
/// Clients cut calls off that take longer.
const LONGEST_WAIT_S: u32 = 300;

#[utoipa::path(
    get,
    path = "/api/v1/prompts",
    operation_id = "list_prompts",
    tag = "prompts",
    summary = "What waits for a person, or has waited",
    params(
        ("state" = Option<String>, Query, description = "`open` (the default), oldest first; `resolved`, newest first; `untold`: those of these that a person has answered, and whose answer has not reached the agent"),
        ("agent" = Option<AgentId>, Query, description = "Only of this agent"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 1_000, description = "Of the resolved ones at most so many: 1 to 1000, 100 if nothing is said"),
    ),
    responses(
        (status = 200, description = "The prompts", body = PromptsDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    uri: Uri,
) -> Result<Json<PromptsDoc>, Refused> {
    let query = Query::parse(uri.query(), &["state", "agent", "limit"])?;
    let agent = query.one("agent")?.map(AgentId::new).transpose();
    let agent = agent.map_err(|error| Refused::new(400, "bad_agent_id", error.to_string()))?;
    let limit = match query.one("limit")?.map(str::parse) {
        None => USUAL,
        Some(Ok(limit)) if (1..=MOST).contains(&limit) => limit,
        Some(_) => return Err(bad(&format!("limit is 1 to {MOST}"))),
    };
    let prompts = match query.one("state")? {
        None | Some("open") => open_prompts(&app, agent.as_ref()),
        Some("resolved") => {
            app.reader.run(move |reader| reader.last_resolved(agent.as_ref(), limit)).await?
        }
        Some("untold") => {
            let ids = untold(&app, agent.as_ref());
            let read = move |reader: &Reader| -> Result<Vec<PromptDoc>, StoreError> {
                ids.iter().filter_map(|id| reader.resolved(id).transpose()).collect()
            };
            let mut prompts = app.reader.run(read).await?;
            let ended = |prompt: &PromptDoc| prompt.resolution.as_ref().map(|ended| ended.at);
            prompts.sort_by_key(|prompt| Reverse(ended(prompt)));
            prompts.truncate(limit as usize);
            prompts
        }
        Some(_) => return Err(bad("state is open, resolved or untold").allowed(LISTS)),
    };
    let prompts = prompts.into_iter().map(|prompt| with_time_left(&app, prompt)).collect();
    Ok(Json(PromptsDoc { schema: SCHEMA, prompts }))
}

/// Everything that waits now, oldest first.
pub(crate) fn open_prompts(app: &App, agent: Option<&AgentId>) -> Vec<PromptDoc> {
    let mut prompts: Vec<PromptDoc> = {
        let snapshot = app.board.read();
        let seats = snapshot.seats.values();
        let asked = seats.filter(|seat| agent.is_none_or(|agent| seat.id == *agent));
        asked
            .flat_map(|seat| seat.prompts.iter().map(|open| PromptDoc::new(&seat.id, open, None)))
            .collect()
    };
    prompts.sort_by(|one, other| {
        (one.opened_at, &one.agent_id, &one.id).cmp(&(other.opened_at, &other.agent_id, &other.id))
    });
    prompts
}

/// What a person has answered and the agent has not been told, the newest of each agent first.
fn untold(app: &App, agent: Option<&AgentId>) -> Vec<String> {
    let snapshot = app.board.read();
    let seats = snapshot.seats.values();
    let asked = seats.filter(|seat| agent.is_none_or(|agent| seat.id == *agent));
    asked.flat_map(|seat| seat.untold.iter().rev().cloned()).collect()
}

#[utoipa::path(
    get,
    path = "/api/v1/prompts/{pid}",
    operation_id = "get_prompt",
    tag = "prompts",
    summary = "One prompt; at once, or as soon as it is resolved",
    params(
        ("pid" = String, Path, description = "The prompt"),
        ("wait_seconds" = Option<u64>, Query, maximum = 300, description = "0 to 300: for so long the answer waits for the resolution"),
    ),
    responses(
        (status = 200, description = "As it is then", body = OnePromptDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn one(
    State(app): State<Arc<App>>,
    path: PromptPath,
    request: Request,
) -> Result<Json<OnePromptDoc>, Refused> {
    let query = Query::parse(request.uri().query(), &["wait_seconds"])?;
    let wait = match query.one("wait_seconds")?.map(str::parse::<u32>) {
        None => 0,
        Some(Ok(seconds)) if seconds <= LONGEST_WAIT_S => seconds,
        Some(_) => return Err(bad(&format!("wait_seconds is 0 to {LONGEST_WAIT_S}"))),
    };
    let caller = Caller::of(&app, request.headers(), request.extensions())?;
    let prompt = awaited(&app, &path, &caller, Duration::from_secs(wait.into())).await?;
    Ok(Json(one_doc(&app, prompt)))
}

/// The prompt as this caller is told of it: once it is resolved, or when its wait is over.
async fn awaited(
    app: &Arc<App>,
    path: &PromptPath,
    caller: &Caller,
    wait: Duration,
) -> Result<PromptDoc, Refused> {
    let prompt = match wait.is_zero() {
        true => look(app, path).await?,
        false => wait_for(app, path, wait).await?,
    };
    bring(app, &prompt, caller).await;
    Ok(prompt)
}

/// Whoever has asked is told of it: asked again it is another question from then on. One whose call is cut off
/// before has not been told.
pub(super) async fn bring(app: &App, prompt: &PromptDoc, caller: &Caller) {
    let is_untold =
        app.board.seat(&prompt.agent_id).is_some_and(|seat| seat.untold.contains(&prompt.id));
    if is_untold && *caller == Caller::Agent(prompt.agent_id.clone()) {
        let (agent, prompt) = (prompt.agent_id.clone(), prompt.id.clone());
        // What the disk does not take is told once more.
        app.inbox.submit(Work::Brought { agent, prompt }, None).await.ok();
    }
}

pub(super) fn one_doc(app: &App, prompt: PromptDoc) -> OnePromptDoc {
    OnePromptDoc { schema: SCHEMA, replayed: false, prompt: with_time_left(app, prompt) }
}

fn with_time_left(app: &App, mut prompt: PromptDoc) -> PromptDoc {
    let until = prompt.expires_at.filter(|_| prompt.state == PromptState::Open);
    let left = until.map(|at| u64::try_from(at.since(app.clock.wall())).unwrap_or(0));
    prompt.remaining_seconds = left.map(|ms| ms.div_ceil(1_000));
    prompt
}

/// The prompt as it is now.
pub(super) async fn look(app: &App, path: &PromptPath) -> Result<PromptDoc, Refused> {
    if let Some(open) = open_prompt(app, path) {
        return Ok(open);
    }
    let id = path.id.clone();
    let resolved = app.reader.run(move |reader| reader.resolved(&id)).await?;
    resolved.ok_or_else(|| crate::job::Refusal::NoSuchPrompt.into())
}

fn open_prompt(app: &App, path: &PromptPath) -> Option<PromptDoc> {
    let seat = app.board.seat(&path.agent)?;
    let open = seat.prompts.iter().find(|open| open.id == path.id)?;
    Some(PromptDoc::new(&seat.id, open, None))
}

/// The prompt once it is resolved; as it is when the time is over.
async fn wait_for(app: &Arc<App>, path: &PromptPath, wait: Duration) -> Result<PromptDoc, Refused> {
    let end = Instant::now() + wait;
    let _waits = Subscription::take(app)?;
    // Before the look at the board: nothing falls between the two.
    let frames = app.bus.subscribe();
    let mut prompt = look(app, path).await?;
    let Some(mut frames) = frames else { return Ok(prompt) };
    while prompt.state == PromptState::Open {
        match timeout_at(end, frames.recv()).await {
            Ok(Ok(frame)) if frame.resolved.as_deref() != Some(&*path.id) => continue,
            Ok(Ok(_) | Err(RecvError::Lagged(_))) => {}
            // The time is over, or the hub stops.
            Err(_) | Ok(Err(RecvError::Closed)) => return Ok(prompt),
        }
        prompt = look(app, path).await?;
    }
    Ok(prompt)
}
