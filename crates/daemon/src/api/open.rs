//! `GET /open?code=`, on TCP alone: a browser exchanges its one-time code for a session.

use super::query::Query;
use super::{App, Refused};
use axum::extract::{Extension, State};
use axum::http::header::{LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use headsup_core::wire::Problem;
use std::sync::Arc;

#[utoipa::path(
    get,
    path = "/open",
    operation_id = "open",
    tag = "hub",
    summary = "Exchanges a one-time code for a session. On TCP alone.",
    params(
        ("code" = String, Query, description = "As `make_link` gave it"),
    ),
    responses(
        (status = 303, description = "To the page, with a session cookie"),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
    security(()),
)]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Extension(gates): Extension<Arc<crate::guard::Gates>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    if method != Method::GET {
        // A look ahead, as previews of links take, must not use the code up.
        return Err(Refused::wrong_method("GET", "a link is opened with GET"));
    }
    let query = Query::parse(uri.query(), &["code"])?;
    let code = query.one("code")?.unwrap_or_default();
    let page = (LOCATION, "/");
    if app.access.take_code(code) {
        let session = (SET_COOKIE, gates.begin_session(&headers));
        return Ok((StatusCode::SEE_OTHER, [page], [session]).into_response());
    }
    if gates.has_session(&headers) {
        // Somebody went back to the link, or loaded it again.
        return Ok((StatusCode::SEE_OTHER, [page]).into_response());
    }
    Err(Refused::new(401, "code_wrong", "this link was used already, is too old, or was never one")
        .hint("`headsup open` makes a new one"))
}
