//! The id of a pull request in a path.

use super::Refused;
use crate::job::Refusal;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;

/// A UUID as the hub writes it: one in capital letters is the same.
pub(super) struct PullPath(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for PullPath {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        let id = Path::<String>::from_request_parts(parts, state).await;
        let id = id.map_err(|_| Refused::from(Refusal::NoSuchPull))?;
        Ok(Self(id.to_ascii_lowercase()))
    }
}
