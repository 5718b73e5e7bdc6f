//! `GET /api/coder/ws?chat_id=`: how the agents of a chat are, and every change of that.

use super::feed::ChatFeed;
use crate::api::events::ws;
use crate::api::query::Query;
use crate::api::{App, Refused, Subscription};
use crate::serve::Connected;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use headsup_core::compat::boocode::Frame;
use headsup_core::wire::Problem;
use std::sync::Arc;

#[utoipa::path(
    get,
    path = "/api/coder/ws",
    operation_id = "socket_chat_agents",
    tag = "compatibility",
    summary = "How the agents of a chat are, in BooCode's words, and every change of that",
    params(
        ("chat_id" = Option<String>, Query, description = "The chat; without it every one"),
    ),
    responses(
        (status = 101, description = "The web socket; each text frame is this, first one for each agent", body = Frame),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::api) async fn get(
    State(app): State<Arc<App>>,
    Extension(connected): Extension<Connected>,
    uri: Uri,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Refused> {
    let upgrade = ws::upgrade(&headers, upgrade)?;
    let query = Query::parse(uri.query(), &["chat_id"])?;
    let chat_id = query.one("chat_id")?.map(str::to_owned);
    let metrics = Arc::clone(&app.metrics);
    let subscription = Subscription::take(&app)?;
    let feed = ChatFeed::new(app, chat_id, subscription);
    Ok(upgrade.on_upgrade(|socket| ws::serve(socket, feed, connected, metrics)))
}
