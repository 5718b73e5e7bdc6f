//! `GET /api/v1/webhooks`: what web hooks have told, and why it had no effect.

pub(super) mod kanbanger;

use super::query::{Query, bad};
use super::{App, Refused};
use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use headsup_core::wire::{Problem, SCHEMA, WebhooksDoc};
use std::sync::Arc;

const MOST: u32 = 20_000;
const LISTED: u32 = 100;

#[utoipa::path(
    get,
    path = "/api/v1/webhooks",
    operation_id = "list_webhooks",
    tag = "webhooks",
    summary = "What web hooks have told lately, and what came of each",
    params(
        ("signed" = Option<bool>, Query, description = "Only with a right signature, or only without one"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 20_000, description = "1 to 20,000; 100 where nothing is said"),
    ),
    responses(
        (status = 200, description = "The last first", body = WebhooksDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    uri: Uri,
) -> Result<Json<WebhooksDoc>, Refused> {
    let query = Query::parse(uri.query(), &["signed", "limit"])?;
    let signed = match query.one("signed")? {
        None => None,
        Some(_) => Some(query.flag("signed", false)?),
    };
    let limit = query.one("limit")?.map_or(Some(LISTED), |text| text.parse().ok());
    let limit = limit.filter(|limit| (1..=MOST).contains(limit));
    let limit = limit.ok_or_else(|| bad("limit is 1 to 20000"))?;
    let deliveries = app.reader.run(move |reader| reader.webhooks(signed, limit)).await?;
    Ok(Json(WebhooksDoc {
        schema: SCHEMA,
        enabled: app.webhooks.secret.is_some(),
        authors: app.webhooks.authors.to_vec(),
        deliveries,
    }))
}
