//! `POST /api/v1/prs/{pr}/refresh`: looks at the branches again.

use super::super::named::PullPath;
use super::super::query::Query;
use super::super::{App, Refused};
use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use headsup_core::wire::{OnePullDoc, Problem};
use std::sync::Arc;

#[utoipa::path(
    post,
    path = "/api/v1/prs/{pr}/refresh",
    operation_id = "refresh_pr",
    tag = "prs",
    summary = "Looks at the branches again",
    params(
        ("pr" = String, Path, description = "Its id, a UUID"),
    ),
    responses(
        (status = 200, description = "The pull request as it is now", body = OnePullDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn post(
    State(app): State<Arc<App>>,
    PullPath(pr): PullPath,
    uri: Uri,
) -> Result<Json<OnePullDoc>, Refused> {
    Query::parse(uri.query(), &[])?;
    Ok(Json(app.pulls.refresh(&pr).await?.into()))
}
