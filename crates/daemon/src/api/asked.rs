//! A request that changes something: what it says, as JSON, and which request it is.

use super::query::Query;
use super::{Refused, headers, json};
use crate::body;
use crate::job::Key;
use crate::limits::BODY;
use axum::extract::Request;
use serde::de::DeserializeOwned;

/// The same where nothing is as good as an empty object.
pub(super) async fn read_if_any<T: DeserializeOwned + Default>(
    request: Request,
) -> Result<(T, Option<Key>), Refused> {
    let (parts, body) = request.into_parts();
    let body = body::read(body, BODY).await?;
    if !body.is_empty() {
        let body = axum::body::Body::from(body.to_vec());
        return read(Request::from_parts(parts, body)).await;
    }
    Query::parse(parts.uri.query(), &[])?;
    Ok((T::default(), headers::key(&parts.headers, parts.uri.path(), &body)?))
}

pub(super) async fn read<T: DeserializeOwned>(
    request: Request,
) -> Result<(T, Option<Key>), Refused> {
    let (parts, body) = request.into_parts();
    Query::parse(parts.uri.query(), &[])?;
    let body = body::read(body, BODY).await?;
    let key = headers::key(&parts.headers, parts.uri.path(), &body)?;
    Ok((json::read(&body)?, key))
}
