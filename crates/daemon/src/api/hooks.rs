//! `POST /api/v1/hooks/{kind}?event=`: a vendor's payload as it is.

use super::query::Query;
use super::{App, Receipt, Refused, headers, peer, receipt};
use crate::beside;
use crate::body;
use crate::caller::{may_report, unheld_token};
use crate::evidence::Hook;
use crate::flaws;
use crate::job::{Reply, Work};
use crate::limits::HOOK_BODY;
use crate::sighting::{self, Envelope, Unreadable};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use headsup_adapters::evidence::is_of_a_stream;
use headsup_core::id::AgentId;
use headsup_core::time::UnixMs;
use headsup_core::wire::Problem;
use std::sync::Arc;

#[utoipa::path(
    post,
    path = "/api/v1/hooks/{kind}",
    operation_id = "report_hook",
    tag = "reports",
    summary = "A vendor's payload as it is",
    params(
        ("kind" = String, Path, description = "The kind of the agent program"),
        ("event" = Option<String>, Query, description = "The event, where the payload does not carry it"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
        ("X-Headsup-Agent" = Option<AgentId>, Header, description = "The seat that the hook runs in"),
        ("X-Headsup-Context" = Option<String>, Header, description = "Where the hook runs, as JSON"),
        ("X-Headsup-Spooled-At" = Option<UnixMs>, Header, description = "When a report that had to wait was made"),
    ),
    request_body(content = serde_json::Value, description = "What the agent program gave its hook"),
    responses(
        (status = 202, description = "Stored", body = Receipt),
        (status = 200, description = "It was stored before", body = Receipt),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn post(
    State(app): State<Arc<App>>,
    kind: Result<Path<String>, axum::extract::rejection::PathRejection>,
    request: Request,
) -> Result<Response, Refused> {
    let Ok(Path(kind)) = kind else { return Err(unknown_kind("")) };
    let (parts, body) = request.into_parts();
    let query = Query::parse(parts.uri.query(), &["event"])?;
    let body = body::read(body, HOOK_BODY).await?;
    body::check_depth(&body)?;
    let key = headers::key(&parts.headers, &kind, &body)?;
    let envelope = Envelope {
        kind: &kind,
        event: query.one("event")?.filter(|event| !event.is_empty()),
        claimed: headers::claimed(&parts.headers)?,
        context: headers::context(&parts.headers)?,
        spooled: headers::spooled_at(&parts.headers)?,
        peer: peer(&parts.extensions),
    };
    let of_a_stream = is_of_a_stream(&kind, envelope.event);
    let asked = envelope.event.filter(|_| of_a_stream).map(str::to_owned);
    // Read here and not by the writer: it takes its time on any core, and breaks nobody else.
    let mut report = sighting::read(envelope, &body, &app.namespaces).map_err(|why| match why {
        Unreadable::UnknownKind => unknown_kind(&kind),
        Unreadable::Defect => {
            app.metrics.panic("adapter");
            Refused::new(500, "internal", "a defect in the adapter; nothing was stored")
        }
    })?;
    beside::look(&mut report).await;
    report.token = unheld_token(&app, &parts.headers);
    may_report(&app, &parts.headers, &parts.extensions, &report)?;
    let moment = app.inbox.evidence().now();
    let mut wrong = flaws::of_text(&body);
    let said_at = report.spooled.or(report.sighting.made_at);
    wrong.extend(flaws::of_time(said_at, moment.at, report.spooled.is_some()));
    // What a line of a stream is called is not the event that it was reported under.
    let event = asked.unwrap_or_else(|| report.sighting.event.clone());
    let claimed = report.claimed.is_some();
    let context = envelope_context(&parts.headers);
    let reply = app.inbox.submit(Work::Hook(Box::new(report)), key).await?;
    if let Reply::Done { agent, .. } = &reply {
        app.metrics.flaws.note(agent.as_ref(), &wrong);
    }
    if let Reply::Done { agent: Some(agent), .. } = &reply {
        let hook = Hook { event, of_a_stream, claimed, context, payload: Bytes::clone(&body) };
        app.inbox.evidence().keep_hook(agent, moment, hook);
    }
    Ok(receipt(StatusCode::ACCEPTED, &reply))
}

/// It has been read once already.
fn envelope_context(headers: &HeaderMap) -> Option<String> {
    headers::context(headers).ok().flatten().map(str::to_owned)
}

fn unknown_kind(kind: &str) -> Refused {
    Refused::new(404, "unknown_kind", format!("there is no adapter for {kind:?}"))
        .hint("an agent without an adapter reports to /api/v1/agents/ID/reports")
}
