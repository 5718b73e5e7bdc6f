//! `GET` and `POST /api/v1/prs`: every pull request, and a new one of a person's.

use super::query::{Query, bad};
use super::task::{body_of, title_of};
use super::{App, Refused, asked};
use crate::forge::NewPull;
use crate::job::Key;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use headsup_core::id::AgentId;
use headsup_core::wire::{NewPullBody, OnePullDoc, Problem, PullsDoc, SCHEMA};
use headsup_core::work::pull::PullState;
use std::path::PathBuf;
use std::sync::Arc;

const MOST: u32 = 1_000;
const LISTED: u32 = 100;

#[utoipa::path(
    get,
    path = "/api/v1/prs",
    operation_id = "list_prs",
    tag = "prs",
    summary = "Pull requests, the last changed first",
    params(
        ("state" = Option<String>, Query, description = "`open`, `closed` or `merged`"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 1_000, description = "1 to 1,000; 100 where nothing is said"),
    ),
    responses(
        (status = 200, description = "The pull requests, as they were seen last", body = PullsDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get(State(app): State<Arc<App>>, uri: Uri) -> Result<Json<PullsDoc>, Refused> {
    listed(&app, uri.query(), None).await
}

#[utoipa::path(
    post,
    path = "/api/v1/prs",
    operation_id = "create_pr",
    tag = "prs",
    summary = "A new pull request of a person's",
    params(
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = NewPullBody),
    responses(
        (status = 201, description = "Made", body = OnePullDoc),
        (status = 200, description = "An open one of these branches was there", body = OnePullDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn post(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response, Refused> {
    let (said, key) = asked::read::<NewPullBody>(request).await?;
    let folder = said.folder.clone().map(PathBuf::from).filter(|folder| folder.is_absolute());
    let folder = folder.ok_or_else(|| {
        Refused::new(400, "bad_pr", "folder is an absolute path in the repository")
    })?;
    make(&app, said, key, folder, None).await
}

/// Those of one agent, or all.
pub(super) async fn listed(
    app: &App,
    query: Option<&str>,
    agent: Option<AgentId>,
) -> Result<Json<PullsDoc>, Refused> {
    let query = Query::parse(query, &["state", "limit"])?;
    let state = query.one("state")?.map(state).transpose()?;
    let limit = query.one("limit")?.map_or(Some(LISTED), |text| text.parse().ok());
    let limit = limit.filter(|limit| (1..=MOST).contains(limit));
    let limit = limit.ok_or_else(|| bad("limit is 1 to 1000"))?;
    let linked = |agent: AgentId| {
        let links = app.board.seat(&agent).and_then(|seat| seat.links.clone());
        (agent, links.map(|links| links.prs).unwrap_or_default())
    };
    let prs = app.pulls.list(state, agent.map(linked), limit).await?;
    Ok(Json(PullsDoc { schema: SCHEMA, prs }))
}

/// A new one for a person or an agent, with the task of the agent.
pub(super) async fn make(
    app: &App,
    said: NewPullBody,
    key: Option<Key>,
    folder: PathBuf,
    agent: Option<(AgentId, Option<String>)>,
) -> Result<Response, Refused> {
    let (agent, task) = agent.map_or((None, None), |(agent, task)| (Some(agent), task));
    let new = NewPull {
        title: title_of(&said.title, "bad_pr")?,
        body: said.body.as_deref().map(body_of).transpose()?,
        head: said.head_branch,
        base: said.base_branch,
        draft: said.draft,
        folder,
        agent,
        task,
    };
    let (pr, existing) = app.pulls.create(new, key).await?;
    let status = if existing { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, Json(OnePullDoc { existing, ..pr.into() })).into_response())
}

pub(super) fn state(word: &str) -> Result<PullState, Refused> {
    PullState::parse(word).ok_or_else(|| {
        let words = || PullState::ALL.iter().map(|known| known.word());
        let detail = format!("state is one of {}", words().collect::<Vec<_>>().join(", "));
        Refused::new(400, "bad_pr", detail).allowed(words())
    })
}
