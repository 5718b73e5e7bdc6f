//! The page for people: the roster and each agent, rendered here and kept live over one stream.
//!
//! Everything is drawn from the wire's documents, in the words that the command line uses
//! (`core::words`). A page is a shell and named parts ([`parts`]); the stream ([`live`]) sends the
//! parts that changed, already rendered, and `assets/board.js` puts them into place. All HTML
//! leaves through [`sink`].

mod agent;
mod ages;
mod assets;
mod explain;
mod inbox;
mod live;
mod missing;
mod parts;
mod prompt;
mod refusal;
mod roster;
mod row;
mod shell;
mod sink;

pub(crate) use refusal::{is_for_a_person, refusal};

use crate::api::App;
use crate::api::roster::LARGE;
use axum::Router;
use axum::routing::get;
use std::sync::Arc;

/// To draw many agents takes long, and is not done on the thread that serves. `None` at the hub's end.
async fn drawn<T: Send + 'static>(
    app: &Arc<App>,
    draw: impl FnOnce(&App) -> T + Send + 'static,
) -> Option<T> {
    if app.board.read().seats.len() < LARGE {
        return Some(draw(app));
    }
    let app = Arc::clone(app);
    tokio::task::spawn_blocking(move || draw(&app)).await.ok()
}

/// The page's part of the router. It has the same doors in front of it as the API.
pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/", get(roster::get))
        .route("/agents/{id}", get(agent::get))
        .route("/inbox", get(inbox::get))
        .route("/ui/events", get(live::get))
        .route("/ui/{version}/{name}", get(assets::get))
}
