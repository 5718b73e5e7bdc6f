//! `GET /api/openapi.json`: what all of this is, for programs.

mod presence;
mod words;

use super::{
    App, elsewhere_described, for_agents_described, for_browsers_described, local_described,
    shared_described,
};
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use headsup_core::wire::Problem;
use std::sync::{Arc, LazyLock};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{InfoBuilder, License, OpenApi, SecurityRequirement, tag::TagBuilder};
use utoipa_axum::router::OpenApiRouter;

const ABOUT: &str = "\
One router on a unix socket, where the Host is `localhost` and the kernel says who calls, and on TCP when asked for, where \
every request shows the token or a session and passes the browser gates. Errors are problem documents (RFC 9457) with a \
stable `code`; what is no HTTP at all has `bad_http`, and ends the connection. A request without a body needs no `Content-Type`. \
Fields may be added; clients leave out what they do not know.";

static DOCUMENT: LazyLock<String> = LazyLock::new(|| {
    // Nothing in it can fail to be written.
    let mut json = document().to_pretty_json().unwrap_or_default();
    json.push('\n');
    json
});

#[utoipa::path(
    get,
    path = "/api/openapi.json",
    operation_id = "get_openapi",
    tag = "hub",
    summary = "This document",
    responses(
        (status = 200, description = "OpenAPI 3.1", body = serde_json::Value),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get() -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], DOCUMENT.as_str())
}

/// Every route of every transport.
fn document() -> OpenApi {
    let all: OpenApiRouter<Arc<App>> = shared_described()
        .merge(elsewhere_described())
        .merge(local_described())
        .merge(for_browsers_described())
        .merge(for_agents_described());
    let mut api = all.into_openapi();
    presence::mark(&mut api);
    words::tell(&mut api);
    api.info = InfoBuilder::new()
        .title("headsup")
        .description(Some(ABOUT))
        .version(env!("CARGO_PKG_VERSION"))
        .license(Some(License::new("MIT")))
        .build();
    let components = api.components.get_or_insert_default();
    let bearer = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
    let session = ApiKeyValue::with_description(
        "headsup_PORT",
        "Begun by `/open`. What acts must also carry the page's Origin.",
    );
    components.add_security_scheme("token", bearer);
    components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(session)));
    let needs = |name: &str| SecurityRequirement::new(name, [] as [&str; 0]);
    api.security = Some(vec![needs("token"), needs("session")]);
    let tags = [
        ("agents", "Who is there, and how they are"),
        ("tasks", "What agents work on"),
        ("prs", "What they hand in"),
        ("effects", "What is to be done at other systems"),
        ("reports", "What agents and scripts say of themselves"),
        ("prompts", "What waits for a person, and how far the work is"),
        ("events", "Every change, from any place in the log on"),
        ("webhooks", "What trackers tell by themselves"),
        ("compatibility", "What other systems say and ask in their own words"),
        ("hub", "The hub itself"),
    ];
    let tag = |(name, text)| TagBuilder::new().name(name).description(Some(text)).build();
    api.tags = Some(tags.map(tag).to_vec());
    api
}

#[cfg(test)]
mod tests;
