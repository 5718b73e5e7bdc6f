//! `GET /api/v1/agents`: the roster in attention order.

mod filter;

use super::places::Places;
use super::query::{Query, bad};
use super::roster::{self, View};
use super::{App, Refused};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, Uri};
use axum::response::{IntoResponse as _, Response};
use filter::Filter;
use headsup_core::compat::Vocabulary;
use headsup_core::seat::Seat;
use headsup_core::wire::{Problem, RosterDoc, RosterRowsDoc};
use std::sync::Arc;
use utoipa::ToSchema;

/// Which hub this is, for a command that asks nothing else.
const VERSION: HeaderName = HeaderName::from_static("x-headsup-version");
/// Whether its disk has taken what was reported last; for the same.
const STORAGE: HeaderName = HeaderName::from_static("x-headsup-storage");

#[utoipa::path(
    get,
    path = "/api/v1/agents",
    operation_id = "list_agents",
    tag = "agents",
    summary = "The roster in attention order",
    params(
        ("status" = Option<Vec<String>>, Query, explode = false, description = "Headlines, separated by commas; `attention` is all that want a person"),
        ("label" = Option<Vec<String>>, Query, description = "KEY=VALUE, repeated: all of them"),
        ("match" = Option<String>, Query, description = "An id, a name, or the beginning of one; hidden ones too"),
        ("all" = Option<bool>, Query, description = "Also those that left long ago"),
        ("view" = Option<String>, Query, description = "`rows`: only what a list shows of each, a `RosterRowsDoc`"),
        ("vocabulary" = Option<String>, Query, description = "Each status in another system's words as well: boocode, wardian, bob, panopticon, jackin, multicode, overdeck, superset"),
    ),
    responses(
        (status = 200, description = "The agents, and the cursor at which this is true. Of 300 or more, and in events, `repo`, `branch` and `worktree` are null where nobody has told them", body = Listed),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get(State(app): State<Arc<App>>, uri: Uri) -> Result<Response, Refused> {
    let query =
        Query::parse(uri.query(), &["status", "label", "match", "all", "view", "vocabulary"])?;
    let filter = Filter::new(&query)?;
    let view = match query.one("view")? {
        None => View::Agents(None),
        Some("rows") => View::Rows,
        Some(_) => return Err(bad("a view is `rows`")),
    };
    let named = query.one("vocabulary")?.map(Vocabulary::named).transpose();
    let vocabulary =
        named.map_err(|error| Refused::new(400, "unknown_vocabulary", error.to_string()))?;
    let (mut seats, head) = app.board.all();
    let reference = query.one("match")?;
    let hides = reference.is_none() && !query.flag("all", false)?;
    if let Some(reference) = reference {
        seats = matching(seats, reference);
    }
    let now = app.time();
    let wanted =
        move |seat: &Seat| (!hides || roster::is_visible(seat, now)) && filter.lets_pass(seat);
    let words = vocabulary.map(|vocabulary| (vocabulary, now));
    // A long list is not kept waiting for the file system.
    let few = seats.len() < roster::LARGE && view != View::Rows;
    let told = seats.iter().filter(|seat| few && wanted(seat));
    let folders = told.filter_map(|seat| seat.about.cwd.as_deref().map(str::to_owned)).collect();
    let places = Places::of(folders).await;
    let body = roster::body(seats, head, view, words, places, wanted);
    let kind = (CONTENT_TYPE, "application/json");
    let storage = if app.board.storage_ok() { "ok" } else { "refuses" };
    let hub = [kind, (VERSION, env!("CARGO_PKG_VERSION")), (STORAGE, storage)];
    Ok((hub, body).into_response())
}

/// The roster, whole or in rows.
#[derive(ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it describes what is written elsewhere")]
enum Listed {
    Agents(RosterDoc),
    Rows(RosterRowsDoc<'static>),
}

/// The exact id; else the exact name; else whatever begins like this. Hidden ones too.
fn matching(seats: Vec<Arc<Seat>>, reference: &str) -> Vec<Arc<Seat>> {
    let tests: [fn(&Seat, &str) -> bool; 3] = [
        |seat, reference| seat.id.as_str() == reference,
        |seat, reference| seat.name == reference,
        |seat, reference| {
            seat.id.as_str().starts_with(reference) || seat.name.starts_with(reference)
        },
    ];
    for test in tests {
        let found: Vec<_> = seats.iter().filter(|seat| test(seat, reference)).cloned().collect();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use headsup_core::id::AgentId;
    use headsup_core::source::Source;
    use headsup_core::time::UnixMs;

    #[test]
    fn an_exact_id_beats_a_name_and_a_name_beats_a_prefix() {
        let seat = |id: &str, name: &str| {
            let id = AgentId::new(id).unwrap();
            let mut seat = Seat::new(id, "custom", Source::Report, UnixMs(0));
            name.clone_into(&mut seat.name);
            Arc::new(seat)
        };
        let seats =
            vec![seat("api", "web"), seat("web", "x"), seat("web-2", "api"), seat("q", "w1")];
        let found = |reference: &str| {
            let found = matching(seats.clone(), reference);
            found.iter().map(|seat| seat.id.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(found("api"), ["api"]);
        assert_eq!(found("web"), ["web"]);
        assert_eq!(found("x"), ["web"]);
        assert_eq!(found("we"), ["api", "web", "web-2"]);
        assert_eq!(found("w"), ["api", "web", "web-2", "q"]);
        assert!(found("nobody").is_empty());
    }
}
