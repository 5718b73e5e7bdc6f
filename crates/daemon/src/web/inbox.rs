//! `GET /inbox`: everything that waits for a person, and what was answered lately.

use super::ages::Ages;
use super::parts::Parts;
use super::prompt::{Room, prompt};
use super::{drawn, row, shell, sink};
use crate::api::{App, Refused, prompts, roster};
use crate::job::Refusal;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use headsup_core::id::AgentId;
use headsup_core::seat::Seat;
use headsup_core::time::UnixMs;
use headsup_core::wire::{AgentDoc, PromptDoc};
use headsup_core::words;
use maud::{Markup, PreEscaped, html};
use std::collections::HashMap;
use std::sync::Arc;

/// How many answered ones are shown.
const LATELY: u32 = 20;

/// The lists of the page, in order: element id and heading.
const LISTS: [(&str, &str); 4] = [
    ("asked", "Waits for an answer"),
    ("ended", "To be looked at"),
    ("later", "Snoozed"),
    ("answered", "Answered lately"),
];

pub(super) async fn get(State(app): State<Arc<App>>) -> Result<Response, Refused> {
    let now = app.clock.wall();
    let parts = parts(&app, Ages::AsOf(now)).await?;
    let part = |id: &str| PreEscaped(parts.elements.get(id).map_or("", String::as_str));
    let main = html! {
        p.back { a href="/" { "← All agents" } }
        h1 { "Inbox" }
        (part("nothing"))
        @for (id, _) in LISTS {
            section.group.cards[id != "ended"] aria-labelledby={ (id) "-head" } {
                (part(&format!("{id}-head")))
                ol id=(id) role="list" {
                    @for card in parts.lists.get(id).into_iter().flatten() { (part(card)) }
                }
            }
        }
    };
    let page = shell::live(&parts.title, "/ui/events?view=inbox", now, html! {}, main);
    Ok(sink::page(StatusCode::OK, page))
}

/// Everything on the page as it is now.
pub(super) async fn parts(app: &Arc<App>, ages: Ages) -> Result<Parts, Refused> {
    let answered = app.reader.run(|reader| reader.last_resolved(None, LATELY)).await?;
    let draw = move |app: &App| parts_of(app, answered, ages);
    drawn(app, draw).await.ok_or_else(|| Refusal::Stopping.into())
}

fn parts_of(app: &App, answered: Vec<PromptDoc>, ages: Ages) -> Parts {
    let (seats, _) = app.board.all();
    let (time, now) = (app.time(), app.clock.wall());
    let seats: HashMap<AgentId, Arc<Seat>> =
        seats.into_iter().map(|seat| (seat.id.clone(), seat)).collect();
    let mut parts = Parts::default();
    for (list, _) in LISTS {
        parts.lists.insert(list, Vec::new());
    }
    let later = |agent: &AgentId| seats.get(agent).and_then(|seat| snoozed(seat, now));
    let name = |agent: &AgentId| {
        seats.get(agent).map_or_else(|| agent.to_string(), |seat| seat.name.clone())
    };
    let kind = |agent: &AgentId| seats.get(agent).map_or("", |seat| &*seat.kind);
    for open in prompts::open_prompts(app, None) {
        let until = later(&open.agent_id);
        let id = format!("p-{}", open.id);
        parts.put(&id, card(&open, kind(&open.agent_id), &name(&open.agent_id), until, ages));
        push(&mut parts, if until.is_some() { "later" } else { "asked" }, id);
    }
    let mut ended: Vec<AgentDoc<'static>> =
        seats.values().filter(|seat| is_waiting(seat, time)).map(|seat| seat.doc()).collect();
    ended.sort_by_key(|agent| (agent.headline.attention(), agent.since));
    for agent in ended {
        let id = row::id(agent.id.as_str());
        let until = later(&agent.id);
        let mark = until.map(|until| put_off(until, ages));
        parts.put(&id, row::marked(&agent, app.person.as_deref(), ages, mark));
        push(&mut parts, if until.is_some() { "later" } else { "ended" }, id);
    }
    for over in answered {
        let id = format!("p-{}", over.id);
        parts.put(&id, over_card(&over, &name(&over.agent_id), ages));
        push(&mut parts, "answered", id);
    }
    let count = |parts: &Parts, id: &str| parts.lists.get(id).map_or(0, Vec::len);
    parts.wanted = count(&parts, "asked") + count(&parts, "ended");
    parts.title = match parts.wanted {
        0 => "inbox · headsup".to_owned(),
        wanted => format!("({wanted}) inbox · headsup"),
    };
    for (id, title) in LISTS {
        let count = count(&parts, id);
        let id = format!("{id}-head");
        let head = html! { h2 id=(id) { (title) " " span.count { (count) } } };
        parts.put(id, head);
    }
    let nothing = parts.wanted == 0;
    parts.put(
        "nothing",
        html! { div #nothing { @if nothing { p.dim { "Nothing waits for you." } } } },
    );
    parts
}

fn push(parts: &mut Parts, list: &'static str, id: String) {
    parts.lists.entry(list).or_default().push(id);
}

fn snoozed(seat: &Seat, now: UnixMs) -> Option<UnixMs> {
    seat.snoozed_until.filter(|until| *until > now)
}

/// Who has left the roster waits for nobody.
fn is_waiting(seat: &Seat, now: UnixMs) -> bool {
    seat.is_in_inbox() && roster::is_visible(seat, now)
}

/// `of`: what kind of agent asks it; `name`: what people call that.
fn card(open: &PromptDoc, of: &str, name: &str, until: Option<UnixMs>, ages: Ages) -> Markup {
    html! {
        li.card.s-blocked id={ "p-" (open.id) } {
            p.whose {
                a id={ "of-" (open.id) } href={ "/agents/" (open.agent_id) } { bdi { (name) } }
                span.dim { (open.id) }
                @if let Some(until) = until {
                    (put_off(until, ages))
                }
            }
            (prompt(open, of, Room::Page, ages))
        }
    }
}

fn put_off(until: UnixMs, ages: Ages) -> Markup {
    html! { span.mark { (words::SNOOZED_FOR) (ages.until(until)) } }
}

fn over_card(over: &PromptDoc, name: &str, ages: Ages) -> Markup {
    html! {
        li.card.over id={ "p-" (over.id) } {
            p.whose {
                a href={ "/agents/" (over.agent_id) } { bdi { (name) } }
                span.dim { (over.id) }
                @if let Some(resolution) = &over.resolution { (ages.since(resolution.at)) }
            }
            p.asked { bdi.title { (over.title) } }
            p.how { bdi { (words::resolution(over)) } }
        }
    }
}
