//! `GET /api/cron/awaiting-input-expiry`: what the hub's own timer has done, and what is due. It does
//! nothing itself: whoever calls it regularly is told, and may be left out.

use super::prompts::open_prompts;
use super::query::Query;
use super::{App, Refused};
use crate::guard::bearer;
use axum::Json;
use axum::extract::State;
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, Uri};
use headsup_core::prompt::ResolvedBy;
use headsup_core::time::UnixMs;
use headsup_core::wire::{ExpiryDoc, Problem, SCHEMA};
use std::sync::Arc;

const DAY_MS: i64 = 24 * 3_600_000;
/// Prompts that ended lately, as many as are looked at.
const LATELY: u32 = 1_000;

#[utoipa::path(
    get,
    path = "/api/cron/awaiting-input-expiry",
    operation_id = "report_expiry",
    tag = "webhooks",
    security(()),
    summary = "What the hub's own timer has done with deadlines of questions, and what is due",
    description = "It only reports: deadlines are kept by the hub itself. No token is wanted; where the hub has a `CRON_SECRET`, \
                   that is the bearer.",
    responses(
        (status = 200, description = "Numbers and moments", body = ExpiryDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Json<ExpiryDoc>, Refused> {
    Query::parse(uri.query(), &[])?;
    if let Some(secret) = &app.webhooks.cron_secret {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let only = values.next().filter(|_| values.next().is_none());
        let said = only.and_then(|value| bearer(value.to_str().ok()?));
        if !said.is_some_and(|said| secret.is(said.as_bytes())) {
            let detail = "this route is for the bearer of CRON_SECRET";
            return Err(Refused::new(401, "cron_secret_wrong", detail)
                .hint("send `Authorization: Bearer SECRET`, as the hub's environment has it"));
        }
    }
    let now = app.clock.wall();
    let deadlines: Vec<UnixMs> =
        open_prompts(&app, None).iter().filter_map(|prompt| prompt.expires_at).collect();
    let ended = app.reader.run(move |reader| reader.last_resolved(None, LATELY)).await?;
    let ended = ended.iter().filter_map(|prompt| prompt.resolution.as_ref());
    let expired: Vec<UnixMs> = ended
        .filter(|resolution| resolution.by == ResolvedBy::Timeout)
        .map(|resolution| resolution.at)
        .collect();
    let count = |of: usize| u64::try_from(of).unwrap_or(u64::MAX);
    Ok(Json(ExpiryDoc {
        schema: SCHEMA,
        checked_at: now,
        open: count(deadlines.len()),
        due: count(deadlines.iter().filter(|at| **at <= now).count()),
        next_expires_at: deadlines.iter().min().copied(),
        expired: count(expired.iter().filter(|at| now.since(**at) <= DAY_MS).count()),
        last_expired_at: expired.iter().max().copied(),
    }))
}
