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
    // Whoever was let in before, or comes for the first time, has shown nothing that could be wrong.
    let has_shown = problem.code != "token_missing";
    let main = html! {
        @if signed_out { h1 { "You are signed out" } } @else { h1 { "This page cannot be shown" } }
        @if has_shown { p { (sentence(&problem.detail)) } }
        @if signed_out {
            p { "Run " code { "headsup open" } " in a terminal: it prints a link that lets this browser in." }
        } @else if let Some(hint) = &problem.hint {
            p { (sentence(hint)) }
        }
    };
    sink::page(response.status(), shell::bare("headsup", main))
}

/// What stands behind a colon elsewhere, standing alone.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Refused;
    use axum::response::IntoResponse as _;

    async fn told(refused: Refused) -> String {
        let page = refusal(refused.into_response()).into_body();
        let page = axum::body::to_bytes(page, usize::MAX).await.unwrap();
        String::from_utf8(page.to_vec()).unwrap()
    }

    #[tokio::test]
    async fn a_person_reads_sentences_and_no_word_for_programs() {
        let page = told(Refused::new(401, "token_missing", "a caller shows who it is")).await;
        assert!(page.contains("You are signed out") && !page.contains("caller"), "{page}");
        let page = told(Refused::new(401, "code_wrong", "this link was used already")).await;
        assert!(page.contains("<p>This link was used already.</p>"), "{page}");
        let page = told(Refused::new(403, "foreign_site", "no").hint("type the address")).await;
        assert!(page.contains("<p>No.</p><p>Type the address.</p>"), "{page}");
    }
}
