//! `GET /agents/{id}`: one agent, whole.

mod facts;

use super::ages::Ages;
use super::parts::Parts;
use super::prompt::{Room, prompt};
use super::{explain, missing, row, shell, sink};
use crate::api::{App, Refused};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use headsup_core::id::AgentId;
use headsup_core::timeline::{Entry, KEPT};
use headsup_core::wire::AgentDoc;
use headsup_core::words;
use maud::{Markup, PreEscaped, html};
use std::sync::Arc;

/// The parts of the page, in order.
const PARTS: [&str; 5] = ["head", "prompts", "explain", "facts", "activity"];

pub(super) async fn get(
    State(app): State<Arc<App>>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Response, Refused> {
    let id = id.map(|Path(id)| id).unwrap_or_default();
    let Ok(id) = AgentId::new(id.as_str()) else { return Ok(missing::agent(&id)) };
    let now = app.clock.wall();
    let (status, parts) = match app.board.seat(&id) {
        Some(_) => (StatusCode::OK, parts(&app, &id, Ages::AsOf(now)).await?),
        None => (StatusCode::NOT_FOUND, unknown(&id)),
    };
    let part = |id: &str| PreEscaped(parts.elements.get(id).map_or("", String::as_str));
    let main = html! {
        p.back { a href="/" { "← All agents" } }
        div.agent { @for id in PARTS { (part(id)) } }
    };
    let events = format!("/ui/events?agent={id}");
    let page = shell::live(&parts.title, &events, now, html! {}, main);
    Ok(sink::page(status, page))
}

/// Everything about one agent; that it is gone if it is.
pub(super) async fn parts(app: &App, id: &AgentId, ages: Ages) -> Result<Parts, Refused> {
    let Some(seat) = app.board.seat(id) else { return Ok(forgotten(id)) };
    let reader_id = id.clone();
    let entries = app.reader.run(move |reader| reader.activity(&reader_id, KEPT)).await?;
    let entries: Vec<Entry> =
        entries.iter().filter_map(|entry| serde_json::from_str(entry).ok()).collect();
    let history = app.history(&seat).await?;
    let agent = seat.doc();
    let wanted = usize::from(agent.headline.wants_attention());
    let sign = if wanted > 0 { agent.headline.glyph() } else { "" };
    let title = format!("{sign} {} is {}", row::name(&agent), agent.headline.word());
    let title = sink::text(title.trim_start().to_owned());
    let mut parts = Parts { title, wanted, ..Parts::default() };
    parts.put("head", head(&agent, ages));
    parts.put("prompts", prompts(&agent, ages));
    parts.put("facts", facts::section(&agent, app.person.as_deref(), ages));
    parts.put("activity", activity(&entries, ages));
    parts.put("explain", explain::section(&app.explained(&seat, &history), ages));
    Ok(parts)
}

fn forgotten(id: &AgentId) -> Parts {
    let head = html! {
        section #head .head { h1 { bdi { (id) } } p { "This agent has been forgotten." } }
    };
    alone(format!("{id} is forgotten"), head)
}

/// One that nobody has told of; its page is as good as any, and follows it once it appears.
pub(super) fn unknown(id: &AgentId) -> Parts {
    let head = html! { section #head .head { (missing::words(id.as_str())) } };
    alone("not found · headsup".to_owned(), head)
}

fn alone(title: String, head: Markup) -> Parts {
    let mut parts = Parts { title, ..Parts::default() };
    parts.put("head", head);
    for id in &PARTS[1..] {
        parts.put(*id, html! { section id=(id) {} });
    }
    parts
}

fn head(agent: &AgentDoc, ages: Ages) -> Markup {
    html! {
        section #head .head.{ "s-" (agent.headline.word()) } data-headline=(agent.headline.word()) {
            h1 { bdi { (row::name(agent)) } }
            p.state {
                (row::status(agent.headline))
                span { "for " (ages.since(agent.since)) }
                @for mark in words::marks(agent) { span.mark { (mark) } }
            }
            @if let (true, Some(brief)) = (agent.prompts.is_empty(), words::brief(agent)) {
                p.brief { bdi { (brief) } }
            }
        }
    }
}

fn prompts(agent: &AgentDoc, ages: Ages) -> Markup {
    html! {
        section #prompts .s-blocked {
            @for open in &agent.prompts { (prompt(open, &agent.kind, Room::Page, ages)) }
        }
    }
}

/// Newest first: what it does now is what people look for.
fn activity(entries: &[Entry], ages: Ages) -> Markup {
    html! {
        section #activity .card aria-labelledby="activity-head" {
            h2 #activity-head { "Recent activity" }
            @if entries.is_empty() { p.dim { "Nothing has been told yet." } }
            ol.activity role="list" {
                @for entry in entries.iter().rev() {
                    li {
                        (ages.since(entry.ts))
                        @if let Some(tool) = &entry.tool { bdi.tool { (tool) } }
                        @if let Some(action) = &entry.action { bdi.action { (action) } }
                        span.dim { (entry.state) }
                    }
                }
            }
        }
    }
}
