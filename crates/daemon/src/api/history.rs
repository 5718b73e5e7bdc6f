//! `GET /api/v1/agents/{id}/history?from=&to=`: how long it was in which state.

use super::agent_path::AgentPath;
use super::query::{Query, bad};
use super::{App, Refused};
use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use headsup_core::event::{Event, EventBody};
use headsup_core::id::AgentId;
use headsup_core::seat::Seat;
use headsup_core::time::UnixMs;
use headsup_core::wire::{HistoryDoc, Problem, SCHEMA};
use std::sync::Arc;

/// Events looked at while others wait to read.
const STRETCH: u32 = 10_000;

#[utoipa::path(
    get,
    path = "/api/v1/agents/{id}/history",
    operation_id = "get_history",
    tag = "agents",
    summary = "How long it was in which state, and what its process took meanwhile",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("from" = Option<UnixMs>, Query, description = "What lies before is left out"),
        ("to" = Option<UnixMs>, Query, description = "What lies behind is left out"),
    ),
    responses(
        (status = 200, description = "Intervals and samples, oldest first", body = HistoryDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    AgentPath(id): AgentPath,
    uri: Uri,
) -> Result<Json<HistoryDoc>, Refused> {
    let query = Query::parse(uri.query(), &["from", "to"])?;
    let mut from = moment(&query, "from")?.unwrap_or(UnixMs(0));
    let to = moment(&query, "to")?.unwrap_or(UnixMs(i64::MAX));
    // Nothing but a slip asks for that.
    if query.one("from")?.is_some() && from > to {
        return Err(bad("from is later than to: no moment lies between"));
    }
    let Some(seat) = app.board.seat(&id) else { return Err(Refused::no_such_agent()) };
    let mut events: Vec<Event> = Vec::new();
    let (mut after, until) = (0, app.board.head());
    while after < until {
        let agent = id.clone();
        let wanted = move |of: &str, kind: &str| {
            let kinds = ["agent.registered", "agent.status_changed", "agent.forgotten"];
            of == agent.as_str() && kinds.contains(&kind)
        };
        let read = app.reader.run(move |reader| reader.page(after, until, STRETCH, wanted));
        let page = read.await?;
        let Some((_, last)) = page.range else { break };
        let told = page.messages.iter();
        events.extend(told.filter_map(|told| serde_json::from_slice(&told.json()).ok()));
        after = last;
    }
    // What was before is not of this agent, but of one that had its id.
    let forgotten = |event: &Event| matches!(event.body, EventBody::Forgotten);
    match events.iter().rposition(forgotten) {
        Some(last) => {
            from = from.max(events[last].at);
            events.drain(..=last);
        }
        // Since when it has been as it is, is known also where the log does not go back that far.
        None if events.is_empty() => events.push(as_it_stands(&seat)),
        None => {}
    }
    let mut doc = HistoryDoc::of(id, &events, from, to, app.time());
    doc.samples = app.samples.of(&doc.agent_id, from, to).await;
    Ok(Json(doc))
}

/// What would have told of it.
fn as_it_stands(seat: &Seat) -> Event {
    let agent = Box::new(seat.doc());
    Event {
        schema: SCHEMA,
        cursor: String::new(),
        at: agent.since,
        agent_id: seat.id.clone(),
        spooled: false,
        reported_at: None,
        body: EventBody::Registered { agent },
    }
}

fn moment(query: &Query, name: &str) -> Result<Option<UnixMs>, Refused> {
    let Some(text) = query.one(name)? else { return Ok(None) };
    let moment = UnixMs::parse(text);
    moment.map(Some).ok_or_else(|| bad(&format!("{name} is an RFC 3339 time")))
}
