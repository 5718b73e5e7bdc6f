//! By what a request is known.

use crate::api::Refused;
use crate::job::Key;
use axum::http::HeaderMap;

/// An `X-Headsup-Id` by which no request can be known is refused on every route, also where none is remembered: who
/// sends it believes that the request may be sent again.
pub(super) fn check(headers: &HeaderMap) -> Result<(), Refused> {
    let bad = |detail: &str| Err(Refused::new(400, "bad_header", detail));
    let mut ids = headers.get_all("x-headsup-id").iter();
    match (ids.next(), ids.next()) {
        (_, Some(_)) => bad("X-Headsup-Id stands more than once"),
        (Some(id), None) if !id.to_str().is_ok_and(Key::fits) => {
            bad("X-Headsup-Id is 1 to 128 printable ASCII characters")
        }
        _ => Ok(()),
    }
}
