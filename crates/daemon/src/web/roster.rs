//! `GET /`: every agent, those who want you first.

use super::ages::Ages;
use super::parts::Parts;
use super::{drawn, row, shell, sink};
use crate::api::{App, Refused, roster};
use crate::job::Refusal;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use headsup_core::seat::Seat;
use headsup_core::status::Headline;
use headsup_core::time::UnixMs;
use maud::{Markup, PreEscaped, html};
use std::collections::HashMap;
use std::sync::Arc;

/// The lists of the page, in order: element id and heading.
const LISTS: [(&str, &str); 4] =
    [("needs", "Needs you"), ("active", "Working"), ("quiet", "Quiet"), ("gone", "Ended")];

pub(super) async fn get(State(app): State<Arc<App>>) -> Result<Response, Refused> {
    let now = app.clock.wall();
    let draw = move |app: &App| {
        let parts = Roster::default().parts(app, Ages::AsOf(now));
        sink::page(StatusCode::OK, page(&parts, now))
    };
    drawn(&app, draw).await.ok_or_else(|| Refusal::Stopping.into())
}

fn page(parts: &Parts, now: UnixMs) -> Markup {
    let part = |id: &str| PreEscaped(parts.elements.get(id).map_or("", String::as_str));
    let list = |id: &str| {
        let rows = parts.lists.get(id).into_iter().flatten();
        html! { ol id=(id) role="list" { @for row in rows { (part(row)) } } }
    };
    let main = html! {
        h1.unseen { "Agents" }
        (part("empty"))
        @for (id, _) in LISTS {
            section.group.{ "g-" (id) } aria-labelledby={ (id) "-head" } {
                @if id == "gone" {
                    details #gone-fold { summary { (part("gone-head")) } (list(id)) }
                } @else {
                    (part(&format!("{id}-head"))) (list(id))
                }
            }
        }
    };
    shell::live(&parts.title, "/ui/events", now, PreEscaped(part("summary").0.to_owned()), main)
}

/// The list in which a headline stands.
fn list_of(headline: Headline) -> &'static str {
    match headline {
        _ if headline.wants_attention() => "needs",
        Headline::Working | Headline::Starting | Headline::Stopping => "active",
        Headline::Ended | Headline::Absent => "gone",
        _ => "quiet",
    }
}

/// The roster as one browser has been shown it.
#[derive(Debug, Default)]
pub(super) struct Roster {
    shown: HashMap<String, Arc<Seat>>,
    /// What comes from now on is news, also on an empty board.
    begun: bool,
}

impl Roster {
    /// Rows of agents that are not as they were, and everything that is counted.
    pub(super) fn parts(&mut self, app: &App, ages: Ages) -> Parts {
        let now = app.time();
        let (mut seats, _) = app.board.all();
        seats.retain(|seat| roster::is_visible(seat, now));
        roster::sort(&mut seats);
        let mut parts = Parts::default();
        let mut counts: HashMap<Headline, usize> = HashMap::new();
        let mut shown = HashMap::with_capacity(seats.len());
        let is_first = !std::mem::replace(&mut self.begun, true);
        for (list, _) in LISTS {
            parts.lists.insert(list, Vec::new());
        }
        for seat in seats {
            let headline = seat.headline();
            *counts.entry(headline).or_default() += 1;
            let id = row::id(seat.id.as_str());
            let before = self.shown.remove(&id);
            if before.as_ref().is_none_or(|before| !Arc::ptr_eq(before, &seat)) {
                let agent = seat.doc();
                parts.put(&id, row::row(&agent, app.person.as_deref(), ages));
                if !is_first && before.is_none_or(|before| before.headline() != headline) {
                    let said = format!("{} is {}", row::name(&agent), headline.word());
                    parts.said.push(sink::text(said));
                }
            }
            parts.lists.entry(list_of(headline)).or_default().push(id.clone());
            shown.insert(id, seat);
        }
        self.shown = shown;
        self.count(&counts, &mut parts);
        parts
    }

    fn count(&self, counts: &HashMap<Headline, usize>, parts: &mut Parts) {
        parts.wanted = parts.lists.get("needs").map_or(0, Vec::len);
        parts.title = match parts.wanted {
            0 => "headsup".to_owned(),
            wanted => format!("({wanted}) headsup"),
        };
        parts.put("summary", summary(counts));
        parts.put("empty", empty(self.shown.is_empty()));
        let heads: Vec<(String, Markup)> = LISTS
            .iter()
            .map(|(id, title)| {
                let count = parts.lists.get(id).map_or(0, Vec::len);
                let id = format!("{id}-head");
                let head = html! { h2 id=(id) { (title) " " span.count { (count) } } };
                (id, head)
            })
            .collect();
        for (id, head) in heads {
            parts.put(id, head);
        }
    }
}

/// `2 blocked · 5 working`, as the status line has it, each with its sign.
fn summary(counts: &HashMap<Headline, usize>) -> Markup {
    let here = Headline::ALL.iter().filter(|headline| list_of(**headline) != "gone");
    let shown = here.filter_map(|headline| Some((headline, counts.get(headline)?)));
    html! {
        ul #summary aria-label="Agents by status" {
            @for (headline, count) in shown {
                li.{ "s-" (headline.word()) } {
                    span.sign aria-hidden="true" { (headline.glyph()) }
                    b { (count) } " " (headline.word())
                }
            }
        }
    }
}

fn empty(is_empty: bool) -> Markup {
    html! {
        div #empty {
            @if is_empty {
                section.empty {
                    h2 { "No agents yet" }
                    p { "Start one, and it shows up here at once:" }
                    pre { code { "headsup run -- YOUR-AGENT" } }
                    p { "Or let every session report by itself:" }
                    pre { code { "headsup hooks install" } }
                }
            }
        }
    }
}
