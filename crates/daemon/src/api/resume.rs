//! `POST /api/v1/agents/{id}/resume`: a person takes a suspended agent up again.

use super::agent_path::AgentPath;
use super::query::bad;
use super::reports::check_length;
use super::{App, Receipt, Refused, asked, peer, receipt};
use crate::caller::people_only;
use crate::lifecycle::{self, By};
use crate::namespaces::Peer;
use crate::process;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use headsup_adapters::text;
use headsup_core::id::AgentId;
use headsup_core::wire::{Problem, RelaunchDoc, ResumeBody};
use std::sync::Arc;

/// In characters: a command line takes so much.
const LONGEST_MESSAGE: usize = 32_000;
/// One that is shorter could be guessed.
const SHORTEST_TOKEN: usize = 32;

#[utoipa::path(
    post,
    path = "/api/v1/agents/{id}/resume",
    operation_id = "resume_agent",
    tag = "agents",
    summary = "Takes a suspended agent up again",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = ResumeBody),
    responses(
        (status = 200, description = "It is started in a session of tmux", body = Receipt),
        (status = 202, description = "The caller starts it: how", body = RelaunchDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn post(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    people_only(&app, request.headers(), request.extensions(), "resumes agents")?;
    let peer = peer(request.extensions());
    let (said, key) = asked::read_if_any::<ResumeBody>(request).await?;
    let by = match said.token {
        None => By::Hub,
        Some(token) if token.len() < SHORTEST_TOKEN => {
            return Err(bad("a token has at least 32 characters"));
        }
        // Arguments may hold secrets, and are of use on this machine alone.
        Some(_) if !is_here(peer) => {
            let detail = "only a process on the hub's own machine starts the agent itself";
            return Err(Refused::new(403, "not_here", detail)
                .hint("leave `token` out: then the hub starts it"));
        }
        Some(token) => By::Caller(token),
    };
    let message = checked(said.message.as_deref())?;
    let (done, order) = lifecycle::resume(&app, agent, message.as_deref(), by, key).await?;
    match order {
        Some(order) => Ok((StatusCode::ACCEPTED, Json(order)).into_response()),
        None => Ok(receipt(StatusCode::OK, &done.reply)),
    }
}

/// The words, cleaned. An empty message is none.
pub(super) fn checked(message: Option<&str>) -> Result<Option<String>, Refused> {
    check_length("message", message, LONGEST_MESSAGE)?;
    let message = message.map(|message| text::block(message, LONGEST_MESSAGE));
    Ok(message.filter(|message| !message.is_empty()))
}

/// Whether it is a process on the unix socket that lives where the hub lives.
pub(super) fn is_here(peer: Peer) -> bool {
    matches!(peer, Peer::Process(pid) if process::is_beside_us(pid))
}
