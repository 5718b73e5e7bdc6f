//! `GET` and `PATCH /api/v1/prs/{pr}`: one pull request.

pub(super) mod merge;
pub(super) mod refresh;
pub(super) mod reviews;

use super::named::PullPath;
use super::prs::state;
use super::query::Query;
use super::task::{body_of, title_of};
use super::{App, Refused, asked};
use crate::caller::Caller;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::Uri;
use headsup_core::wire::{OnePullDoc, Problem, PullChangeBody};
use headsup_core::work::pull::PullState;
use std::sync::Arc;

#[utoipa::path(
    get,
    path = "/api/v1/prs/{pr}",
    operation_id = "get_pr",
    tag = "prs",
    summary = "One pull request, as it was seen last",
    params(
        ("pr" = String, Path, description = "Its id, a UUID"),
    ),
    responses(
        (status = 200, description = "The pull request", body = OnePullDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    PullPath(pr): PullPath,
    uri: Uri,
) -> Result<Json<OnePullDoc>, Refused> {
    Query::parse(uri.query(), &[])?;
    Ok(Json(app.pulls.get(&pr).await?.into()))
}

#[utoipa::path(
    patch,
    path = "/api/v1/prs/{pr}",
    operation_id = "change_pr",
    tag = "prs",
    summary = "Changes what a pull request says of itself; closes it, opens it again, says that a draft is ready",
    params(
        ("pr" = String, Path, description = "Its id, a UUID"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = PullChangeBody),
    responses(
        (status = 200, description = "The pull request as it is now", body = OnePullDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn patch(
    State(app): State<Arc<App>>,
    PullPath(pr): PullPath,
    request: Request,
) -> Result<Json<OnePullDoc>, Refused> {
    let caller = Caller::of_an_act(&app, request.headers(), request.extensions())?;
    let (said, key) = asked::read::<PullChangeBody>(request).await?;
    // A person's own, an agent may change too: it may have been asked to.
    if let Some(owner) = app.pulls.get(&pr).await?.agent_id {
        caller.about(&app, &owner)?;
    }
    if said == PullChangeBody::default() {
        let detail = "a change says at least one of title, body, state and draft";
        return Err(Refused::new(400, "bad_pr", detail));
    }
    let title = said.title.as_deref().map(|title| title_of(title, "bad_pr")).transpose()?;
    let body = said.body.as_deref().map(body_of).transpose()?;
    let state = said.state.as_deref().map(state).transpose()?;
    if state == Some(PullState::Merged) {
        let detail = "a pull request becomes merged by POST /api/v1/prs/{pr}/merge alone";
        return Err(Refused::new(400, "bad_pr", detail).allowed(["open", "closed"]));
    }
    Ok(Json(app.pulls.change(&pr, title, body, state, said.draft, key).await?.into()))
}
