//! `POST /api/v1/agents/{id}/task/comments`: what an agent says of its task.

use super::super::agent_path::AgentPath;
use super::super::task::words_of;
use super::super::{App, Refused, asked};
use super::linked;
use crate::caller::Caller;
use crate::tracker::{Commented, NewComment, Tracker as _};
use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use headsup_core::id::AgentId;
use headsup_core::wire::{CommentBody, OneCommentDoc, Problem, SCHEMA};
use std::sync::Arc;

#[utoipa::path(
    post,
    path = "/api/v1/agents/{id}/task/comments",
    operation_id = "comment_agent_task",
    tag = "tasks",
    summary = "What an agent says of its task",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = CommentBody),
    responses(
        (status = 201, description = "Stored, now or by this very request before", body = OneCommentDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn post(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    let caller = Caller::of_an_act(&app, request.headers(), request.extensions())?;
    caller.about(&app, &agent)?;
    let (said, key) = asked::read::<CommentBody>(request).await?;
    let task = linked(&app, &agent)?;
    let body = words_of("comment", &said.comment)?;
    let comment = NewComment { body, author: caller.agent() };
    let Commented { comment, effect, note } = app.tracker.comment(&task, comment, key).await?;
    Ok((StatusCode::CREATED, Json(OneCommentDoc { schema: SCHEMA, effect, note, comment }))
        .into_response())
}
