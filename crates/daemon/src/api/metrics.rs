//! `GET /metrics`: what the hub counts, as `OpenMetrics`.

use super::App;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use std::sync::Arc;

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(super) async fn get(State(app): State<Arc<App>>) -> impl IntoResponse {
    ([(CONTENT_TYPE, OPEN_METRICS)], app.metrics.encode(&app.board))
}
