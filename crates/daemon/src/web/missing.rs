//! No such agent.

use super::{shell, sink};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};

pub(super) fn agent(id: &str) -> Response {
    let main = html! {
        section.empty {
            (words(id))
            p { a href="/" { "All agents" } }
        }
    };
    sink::page(StatusCode::NOT_FOUND, shell::plain("not found · headsup", main))
}

pub(super) fn words(id: &str) -> Markup {
    html! {
        h1 { "There is no agent " bdi { (id) } }
        p { "It may have been forgotten, or it has another id." }
    }
}
