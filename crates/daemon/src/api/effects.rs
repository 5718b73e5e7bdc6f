//! `GET /api/v1/effects`: what is to be done at other systems, or was.

pub(super) mod again;

use super::query::{Query, bad};
use super::{App, Refused};
use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use headsup_core::wire::{EffectDoc, EffectsDoc, Problem, SCHEMA};
use headsup_core::work::effect::EffectState;
use std::sync::Arc;

#[utoipa::path(
    get,
    path = "/api/v1/effects",
    operation_id = "list_effects",
    tag = "effects",
    summary = "What is to be done at other systems, or was",
    description = "The last 1,000, oldest first.",
    params(
        ("state" = Option<String>, Query, description = "`queued`, `done`, `skipped` or `failed`"),
    ),
    responses(
        (status = 200, description = "They", body = EffectsDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    uri: Uri,
) -> Result<Json<EffectsDoc>, Refused> {
    let query = Query::parse(uri.query(), &["state"])?;
    let state = query.one("state")?.map(state).transpose()?;
    let effects = app.effects.list(state).await?.into_iter().map(EffectDoc::from).collect();
    Ok(Json(EffectsDoc { schema: SCHEMA, effects }))
}

fn state(word: &str) -> Result<EffectState, Refused> {
    EffectState::parse(word).ok_or_else(|| {
        let words = || EffectState::ALL.iter().map(|known| known.word());
        let detail = format!("state is one of {}", words().collect::<Vec<_>>().join(", "));
        bad(&detail).allowed(words())
    })
}
