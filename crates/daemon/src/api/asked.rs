//! A request that changes something: what it says, as JSON, and which request it is.

use super::query::Query;
use super::{Refused, headers};
use crate::body;
use crate::job::Key;
use crate::limits::BODY;
use axum::extract::Request;
use serde::de::DeserializeOwned;

pub(super) async fn read<T: DeserializeOwned>(
    request: Request,
) -> Result<(T, Option<Key>), Refused> {
    let (parts, body) = request.into_parts();
    Query::parse(parts.uri.query(), &[])?;
    let body = body::read(body, BODY).await?;
    let key = headers::key(&parts.headers, parts.uri.path(), &body)?;
    // A list would pass for the members in their order.
    if !body.trim_ascii_start().starts_with(b"{") {
        return Err(Refused::new(400, "bad_json", "the body is a JSON object"));
    }
    body::check_depth(&body)?;
    let said = serde_json::from_slice(&body)
        .map_err(|error| Refused::new(400, "bad_json", error.to_string()))?;
    Ok((said, key))
}
