//! `POST /api/webhooks/kanbanger`: Kanbanger tells of a task or of a comment.

mod looked_up;

use super::super::query::Query;
use super::super::{App, Refused};
use crate::body::{self, Whole};
use crate::job::{CommentThere, Heard, Reply, TaskThere, Told, Work};
use crate::limits::BODY;
use crate::webhooks::kanbanger::{self, Comment, Delivery};
use crate::webhooks::{SharedSecret, Unsigned, check};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, body::Body};
use headsup_adapters::text;
use headsup_core::time::UnixMs;
use headsup_core::wire::{HeardDoc, OneHeardDoc, Problem, SCHEMA, WebhookResult};
use looked_up::looked_up;
use std::sync::Arc;

const SIGNATURE: &str = "x-kanbanger-signature";
const EVENT: &str = "x-kanbanger-event";

const UNKNOWN_EVENT: &str = "this event means nothing here: it is `task` or `comment`";

/// Where a sender says when it sent, it is this young at most. Milliseconds.
const FRESH_MS: i64 = 5 * 60_000;

/// What can happen to a comment, and to a task.
const OF_COMMENTS: [&str; 4] = ["created", "edited", "updated", "deleted"];
const OF_TASKS: [&str; 9] = [
    "created",
    "updated",
    "edited",
    "moved",
    "status_changed",
    "closed",
    "completed",
    "reopened",
    "assigned",
];

#[utoipa::path(
    post,
    path = "/api/webhooks/kanbanger",
    operation_id = "hear_kanbanger",
    tag = "webhooks",
    security(()),
    summary = "Kanbanger tells of a task or of a comment",
    description = "Signed by HMAC-SHA256 of the body under `KANBANGER_WEBHOOK_SECRET`, without which there is no such route. \
                   No token is wanted. Each delivery is kept with what came of it; the same again has no second effect.",
    params(
        ("X-Kanbanger-Event" = String, Header, description = "`task` or `comment`"),
        ("X-Kanbanger-Signature" = String, Header, description = "64 small hexadecimal digits, also behind `sha256=`"),
    ),
    responses(
        (status = 200, description = "What came of it", body = OneHeardDoc),
        (status = 202, description = "An event or action that means nothing here", body = OneHeardDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn post(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response, Refused> {
    let Some(secret) = &app.webhooks.secret else {
        let detail = "web hooks are off: the hub has no KANBANGER_WEBHOOK_SECRET";
        return Err(Refused::new(404, "webhooks_off", detail)
            .hint("set it in the hub's environment, then restart the hub"));
    };
    let (parts, body) = request.into_parts();
    Query::parse(parts.uri.query(), &[])?;
    let mut doc = HeardDoc {
        at: app.clock.wall(),
        result: WebhookResult::Refused,
        reason: None,
        detail: None,
        event: None,
        action: None,
        task: None,
        comment: None,
        author: None,
        prompt_id: None,
        count: None,
    };
    let body = match signed(secret, &parts, body).await {
        Ok(body) => body,
        Err(refused) => return Err(kept(&app, doc, false, refused).await),
    };
    let received = app.clock.wall();
    let event = event(&parts.headers);
    doc.event = event.clone();
    let is_ours = matches!(event.as_deref(), Some("comment" | "task"));
    let told = match told(&body, is_ours, received) {
        Ok(Some(told)) => told,
        Ok(None) => return ignored(&app, doc, "unknown_event", UNKNOWN_EVENT).await,
        Err(refused) => return Err(kept(&app, doc, true, refused).await),
    };
    doc.action = Some(told.action.clone());
    doc.task = Some(told.task.identifier.clone());
    let known = match event.as_deref() {
        Some("comment") => OF_COMMENTS.contains(&told.action.as_str()),
        Some("task") => OF_TASKS.contains(&told.action.as_str()),
        _ => return ignored(&app, doc, "unknown_event", UNKNOWN_EVENT).await,
    };
    if !known {
        let detail = "this action means nothing here";
        return ignored(&app, doc, "unknown_action", detail).await;
    }
    let Delivery { action, task, comment, .. } = told;
    let told = match (event.as_deref(), comment) {
        (Some("comment"), Some(comment)) => {
            doc.comment = Some(comment.id.clone());
            doc.author = Some(comment.author.clone());
            let (action, comment) = match looked_up(&app, &task, action, comment).await {
                Ok(stands) => stands,
                Err(refused) => return Err(kept(&app, doc, true, refused).await),
            };
            Told::Comment(there(&app, action, task, comment, received))
        }
        (Some("comment"), None) => {
            let detail = "the event is `comment`, and the body has none";
            let refused = Refused::new(400, "bad_webhook", detail);
            return Err(kept(&app, doc, true, refused).await);
        }
        _ => Told::Task(task),
    };
    let heard = Heard { doc, signed: true, told };
    hear(&app, heard, StatusCode::OK).await
}

/// The body, once it is known that whoever sent it knows the secret.
async fn signed(secret: &SharedSecret, parts: &Parts, body: Body) -> Result<Whole, Refused> {
    let body = body::read(body, BODY).await?;
    check(secret, &parts.headers, SIGNATURE, &body).map_err(|why| {
        Refused::new(401, why.word(), why.to_string()).hint(match why {
            Unsigned::Missing => {
                "sign the body: HMAC-SHA256 in hexadecimal in X-Kanbanger-Signature"
            }
            _ => {
                "the bytes of the body are signed as they are sent, under the secret of both sides"
            }
        })
    })?;
    Ok(body)
}

/// What the event calls itself, ready to be kept.
fn event(headers: &HeaderMap) -> Option<String> {
    let mut values = headers.get_all(EVENT).iter();
    let only = values.next().filter(|_| values.next().is_none())?;
    let event = text::line(only.to_str().ok()?, text::NAME);
    (!event.is_empty()).then_some(event)
}

/// `is_ours`: the event means something here. What another one says need be no delivery.
fn told(body: &[u8], is_ours: bool, received: UnixMs) -> Result<Option<Delivery>, Refused> {
    let body = body::unmarked(body);
    if !body.trim_ascii_start().starts_with(b"{") {
        return Err(Refused::new(400, "bad_json", "the body is a JSON object"));
    }
    body::check_depth(body)?;
    if serde_json::from_slice::<serde::de::IgnoredAny>(body).is_err() {
        return Err(Refused::new(400, "bad_json", "the body is no JSON"));
    }
    let told = match kanbanger::read(body) {
        Ok(told) => told,
        Err(_) if !is_ours => return Ok(None),
        Err(why) => return Err(Refused::new(400, "bad_webhook", why)),
    };
    let is_old = told.sent_at.is_some_and(|at| received.since(at).abs() > FRESH_MS);
    if is_old {
        let detail = "it says that it was sent more than 5 minutes away from now";
        return Err(Refused::new(401, "stale", detail).hint("are the clocks of both sides right?"));
    }
    Ok(Some(told))
}

fn there(
    app: &App,
    action: String,
    task: TaskThere,
    comment: Comment,
    received: UnixMs,
) -> CommentThere {
    let Comment { id, body, author, is_bot, created_at, thread } = comment;
    CommentThere {
        id,
        action,
        body,
        author,
        is_bot,
        created_at,
        thread: thread.unwrap_or_else(|| task.id.clone()),
        task,
        authors: Arc::clone(&app.webhooks.authors),
        replies: app.webhooks.replies,
        received,
    }
}

async fn ignored(
    app: &App,
    doc: HeardDoc,
    reason: &str,
    detail: &str,
) -> Result<Response, Refused> {
    let (reason, detail) = (Some(reason.to_owned()), Some(detail.to_owned()));
    let doc = HeardDoc { result: WebhookResult::Ignored, reason, detail, ..doc };
    hear(app, Heard { doc, signed: true, told: Told::Nothing }, StatusCode::ACCEPTED).await
}

async fn hear(app: &App, heard: Heard, status: StatusCode) -> Result<Response, Refused> {
    match app.inbox.submit(Work::Heard(Box::new(heard)), None).await? {
        Reply::Heard(heard) => {
            app.metrics.webhook(heard.result.word());
            let doc = OneHeardDoc { schema: SCHEMA, heard: *heard };
            Ok((status, Json(doc)).into_response())
        }
        _ => Err(crate::job::Refusal::Defect.into()),
    }
}

/// Keeps what is refused, with the reason. Where it cannot be kept that is said instead: the sender tries
/// again.
async fn kept(app: &App, doc: HeardDoc, signed: bool, refused: Refused) -> Refused {
    let (reason, detail) = refused.said();
    let doc = HeardDoc { reason: Some(reason), detail: Some(detail), ..doc };
    match hear(app, Heard { doc, signed, told: Told::Nothing }, StatusCode::OK).await {
        Ok(_) => refused,
        Err(failed) => failed,
    }
}
