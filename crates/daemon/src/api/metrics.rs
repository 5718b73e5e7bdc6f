//! `GET /metrics`: what the hub counts, as `OpenMetrics`.

use super::App;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use headsup_core::wire::Problem;
use std::sync::Arc;

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

#[utoipa::path(
    get,
    path = "/metrics",
    operation_id = "get_metrics",
    tag = "hub",
    summary = "What the hub counts",
    responses(
        (status = 200, description = "OpenMetrics", body = String, content_type = "application/openmetrics-text"),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get(State(app): State<Arc<App>>) -> impl IntoResponse {
    ([(CONTENT_TYPE, OPEN_METRICS)], app.metrics.encode(&app.board))
}
