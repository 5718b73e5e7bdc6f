//! `POST /api/v1/tasks/{identifier}/comments`: what a person says of a task.

use super::super::named::TaskPath;
use super::super::{App, Refused, asked};
use super::words_of;
use crate::caller::Caller;
use crate::tracker::{Commented, NewComment, Tracker as _};
use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use headsup_core::wire::{CommentBody, OneCommentDoc, Problem, SCHEMA};
use std::sync::Arc;

#[utoipa::path(
    post,
    path = "/api/v1/tasks/{identifier}/comments",
    operation_id = "comment_task",
    tag = "tasks",
    summary = "What a person says of a task",
    params(
        ("identifier" = String, Path, description = "As `APP-12`, in any case, or `owner/name#12`"),
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
    TaskPath(identifier): TaskPath,
    request: Request,
) -> Result<Response, Refused> {
    let author = Caller::of_an_act(&app, request.headers(), request.extensions())?.agent();
    let (said, key) = asked::read::<CommentBody>(request).await?;
    let comment = NewComment { body: words_of("comment", &said.comment)?, author };
    let identifier = app.tracker.identifier(&identifier, None)?;
    let told = app.tracker.comment(&identifier, comment, key).await?;
    let Commented { comment, effect, note } = told;
    Ok((StatusCode::CREATED, Json(OneCommentDoc { schema: SCHEMA, effect, note, comment }))
        .into_response())
}
