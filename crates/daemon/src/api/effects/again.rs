//! `POST /api/v1/effects/{key}/again`: one that was skipped or failed is tried again.

use super::super::named::EffectPath;
use super::super::query::Query;
use super::super::{App, Refused};
use crate::caller::Caller;
use crate::job::Refusal;
use axum::Json;
use axum::extract::{Request, State};
use headsup_core::wire::{OneEffectDoc, Problem, SCHEMA};
use std::sync::Arc;
use std::time::Duration;

#[utoipa::path(
    post,
    path = "/api/v1/effects/{key}/again",
    operation_id = "retry_effect",
    tag = "effects",
    summary = "Tries one again that was skipped or failed",
    description = "It is looked for first: one that was done all the same is not done twice.",
    params(
        ("key" = String, Path, description = "Its key"),
    ),
    responses(
        (status = 200, description = "As it stands now", body = OneEffectDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn post(
    State(app): State<Arc<App>>,
    EffectPath(key): EffectPath,
    request: Request,
) -> Result<Json<OneEffectDoc>, Refused> {
    // Whoever may act at all.
    Caller::of_an_act(&app, request.headers(), request.extensions())?;
    Query::parse(request.uri().query(), &[])?;
    app.effects.again(&key).await?;
    let row = app.effects.outcome(&key, Duration::ZERO).await?.ok_or(Refusal::NoSuchEffect)?;
    Ok(Json(OneEffectDoc { schema: SCHEMA, effect: row.into() }))
}
