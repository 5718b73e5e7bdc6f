//! What an agent hands in at the end of a stretch of work. Its receipt says what has come of each effect on the
//! task, wherever that is kept.

use super::super::{App, Refused, SCHEMA, stage};
use super::linked;
use crate::effects::key_of;
use crate::job::{Key, Reply, TaskAct, Work};
use crate::tracker::{LOCAL, Tracker as _, TrackerError};
use axum::Json;
use axum::response::{IntoResponse as _, Response};
use headsup_core::id::AgentId;
use headsup_core::seat::HandIn;
use headsup_core::wire::EffectDoc;
use headsup_core::work::effect::{EffectKind, EffectState};
use headsup_core::work::task::Keeper;
use serde::Serialize;
use std::time::Duration;
use tokio::time::Instant;
use utoipa::ToSchema;

/// How long a receipt waits for another system; what takes longer is told as queued.
const DONE_WITHIN: Duration = Duration::from_secs(3);

/// The answer to what an agent hands in.
#[derive(Serialize, ToSchema)]
pub(in super::super) struct HandedIn {
    schema: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    duplicate: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    agent_id: Option<AgentId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    cursor: Option<String>,
    /// The comment and the move of the task, each as it stands now. Without a task there is none.
    effects: Vec<EffectDoc>,
}

/// Hands it over, and waits a little for what comes of it. `moves`: the task gets another status as well.
pub(in super::super) async fn submit(
    app: &App,
    agent: &AgentId,
    act: TaskAct,
    moves: bool,
    key: Option<Key>,
) -> Result<Response, Refused> {
    let key = key.unwrap_or_else(fresh);
    let task = linked(app, agent).ok();
    let repeated = matches!(act, TaskAct::Complete { .. });
    let done = app.inbox.submit(Work::Task(Box::new(act)), Some(key.clone())).await;
    let reply = done.map_err(|refusal| stage::refused(app, agent, refusal))?;
    let first = repeated.then(|| first(app, agent)).flatten();
    let first = first.filter(|first| first.request != key.id);
    let is_again = first.is_some();
    let (moves, key) = match first {
        Some(first) => (first.moves_task, Key { id: first.request, digest: 0 }),
        None => (moves, key),
    };
    let effects = match task {
        Some(task) => effects(app, &task, moves, &key).await?,
        None => Vec::new(),
    };
    let (agent_id, cursor, duplicate) = match reply {
        Reply::Done { agent, cursor } => (agent, Some(cursor.to_string()), is_again),
        Reply::Duplicate => (None, None, true),
        _ => (None, None, false),
    };
    Ok(Json(HandedIn { schema: SCHEMA, duplicate, agent_id, cursor, effects }).into_response())
}

/// What the workflow was completed with, which may have been another request.
fn first(app: &App, agent: &AgentId) -> Option<HandIn> {
    app.board.seat(agent)?.handed_in.as_deref().cloned()
}

/// That of a request which is made once, and does not say which it is.
fn fresh() -> Key {
    Key { id: uuid::Uuid::now_v7().simple().to_string(), digest: 0 }
}

async fn effects(app: &App, task: &str, moves: bool, key: &Key) -> Result<Vec<EffectDoc>, Refused> {
    let kinds = [Some(EffectKind::Comment), moves.then_some(EffectKind::TaskStatus)];
    let mut give_up = Instant::now() + DONE_WITHIN;
    let mut effects = Vec::new();
    for kind in kinds.into_iter().flatten() {
        let key = key_of(Some(key), kind.word());
        if let Some(Keeper::Here(id)) = Keeper::of(task) {
            effects.push(here(app, &id.to_string(), kind, key).await?);
            continue;
        }
        let left = give_up.saturating_duration_since(Instant::now());
        let Some(row) = app.effects.first_try(&key, left).await? else { continue };
        if row.standing.state() == EffectState::Queued {
            // What is to be done there behind it waits as well.
            give_up = Instant::now();
        }
        effects.push(row.into());
    }
    Ok(effects)
}

/// What the hub keeps itself is done with the act.
async fn here(app: &App, task: &str, kind: EffectKind, key: String) -> Result<EffectDoc, Refused> {
    let (state, reason) = match app.tracker.get(task).await {
        Ok(_) => (EffectState::Done, None),
        Err(TrackerError::NoSuchTask(_)) => (EffectState::Skipped, Some("no_such_task".to_owned())),
        Err(error) => return Err(error.into()),
    };
    Ok(EffectDoc {
        key,
        provider: LOCAL.to_owned(),
        target: task.to_owned(),
        kind,
        state,
        reason,
        retryable: false,
        remote_id: None,
        url: None,
        tries: 0,
        created_at: app.clock.wall(),
    })
}
