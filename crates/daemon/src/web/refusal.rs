//! A refusal as a person reads it who has opened an address in a browser.
//!
//! It comes without style: who is not let in gets no file of ours either.

use super::{shell, sink};
use crate::api::Told;
use axum::http::Request;
use axum::http::header::ACCEPT;
use axum::response::Response;
use maud::html;

/// Has somebody opened an address, rather than a program called it?
pub(crate) fn is_for_a_person<B>(request: &Request<B>) -> bool {
    let headers = request.headers();
    let navigates = headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate");
    let accept = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok());
    navigates && accept.is_some_and(|accept| accept.contains("text/html"))
}

/// The same answer, with the problem as a page if it is one.
pub(crate) fn refusal(response: Response) -> Response {
    let Some(Told(problem)) = response.extensions().get() else { return response };
    let signed_out = problem.status == 401;
    let main = html! {
        @if signed_out { h1 { "You are signed out" } } @else { h1 { "This page cannot be shown" } }
        p { (problem.detail) "." }
        @if signed_out {
            p { "Run " code { "headsup open" } " in a terminal: it prints a link that lets this browser in." }
        } @else if let Some(hint) = &problem.hint {
            p { (hint) }
        }
    };
    sink::page(response.status(), shell::bare("headsup", main))
}
