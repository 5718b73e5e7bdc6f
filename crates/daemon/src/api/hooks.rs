//! `POST /api/v1/hooks/{kind}?event=`: a vendor's payload as it is.

use super::query::Query;
use super::{App, Refused, headers, receipt};
use crate::body;
use crate::job::Work;
use crate::limits::HOOK_BODY;
use crate::sighting::{self, Envelope, Unreadable};
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use std::sync::Arc;

pub(super) async fn post(
    State(app): State<Arc<App>>,
    kind: Result<Path<String>, axum::extract::rejection::PathRejection>,
    request: Request,
) -> Result<Response, Refused> {
    let Ok(Path(kind)) = kind else { return Err(unknown_kind("")) };
    let (parts, body) = request.into_parts();
    let query = Query::parse(parts.uri.query(), &["event"])?;
    let body = body::read(body, HOOK_BODY).await?;
    let key = headers::key(&parts.headers, &kind, &body)?;
    let envelope = Envelope {
        kind: &kind,
        event: query.one("event")?.filter(|event| !event.is_empty()),
        claimed: headers::claimed(&parts.headers)?,
        context: headers::context(&parts.headers)?,
        spooled: headers::spooled_at(&parts.headers)?,
    };
    // Read here and not by the writer: it takes its time on any core, and breaks nobody else.
    let report = sighting::read(envelope, &body, app.pid_namespace).map_err(|why| match why {
        Unreadable::UnknownKind => unknown_kind(&kind),
        Unreadable::Defect => {
            app.metrics.panic("adapter");
            Refused::new(500, "internal", "a defect in the adapter; nothing was stored")
        }
    })?;
    drop(body);
    let reply = app.inbox.submit(Work::Hook(Box::new(report)), key).await?;
    Ok(receipt(StatusCode::ACCEPTED, &reply))
}

fn unknown_kind(kind: &str) -> Refused {
    Refused::new(404, "unknown_kind", format!("there is no adapter for {kind:?}"))
        .hint("an agent without an adapter reports to /api/v1/agents/ID/reports")
}
