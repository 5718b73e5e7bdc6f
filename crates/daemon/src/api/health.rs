//! `GET /healthz`: that there is a hub, which one, and whether it can write.

use super::App;
use axum::Json;
use axum::extract::State;
use headsup_core::wire::{Problem, SCHEMA};
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub(super) struct Health {
    schema: u32,
    /// False while the disk does not take what is reported.
    ok: bool,
    pid: u32,
    version: &'static str,
    home: String,
    cursor: String,
    uptime_ms: i64,
}

#[utoipa::path(
    get,
    path = "/healthz",
    operation_id = "get_health",
    tag = "hub",
    summary = "That there is a hub, which one, and whether it can write",
    responses(
        (status = 200, description = "The hub", body = Health),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get(State(app): State<Arc<App>>) -> Json<Health> {
    Json(Health {
        schema: SCHEMA,
        ok: app.board.storage_ok(),
        pid: std::process::id(),
        version: env!("CARGO_PKG_VERSION"),
        home: app.home.display().to_string(),
        cursor: app.board.head().to_string(),
        uptime_ms: app.clock.monotonic_ms() - app.started_ms,
    })
}
