//! `POST /mcp`: the tools of agents, by the Model Context Protocol.

use super::{App, Refused};
use crate::mcp::http;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::{Extension, Router};
use headsup_core::wire::Problem;
use std::sync::Arc;

/// The routes that the tools are calls of.
#[derive(Clone)]
pub(super) struct Inside(pub(super) Router);

#[utoipa::path(
    post,
    path = "/mcp",
    operation_id = "mcp",
    tag = "agents",
    summary = "The tools of agents, by the Model Context Protocol (streamable HTTP, without sessions)",
    params(
        ("X-Headsup-Agent-Token" = Option<String>, Header, description = "The token of the agent that the tools are about"),
        ("X-Headsup-Agent" = Option<String>, Header, description = "Its id, where it has none"),
    ),
    request_body(content = serde_json::Value, description = "One JSON-RPC message"),
    responses(
        (status = 200, description = "The JSON-RPC answer, or a stream of events that ends with it", body = serde_json::Value),
        (status = 202, description = "A notification was taken"),
        (
            status = "default",
            description = "Refused: the message, by a JSON-RPC error; the request as a whole, by a problem document",
            content((serde_json::Value = "application/json"), (Problem = "application/problem+json")),
        ),
    ),
)]
pub(super) async fn post(
    State(app): State<Arc<App>>,
    Extension(Inside(router)): Extension<Inside>,
    request: Request,
) -> Result<Response, Refused> {
    http::answer(&app, router, request).await
}
