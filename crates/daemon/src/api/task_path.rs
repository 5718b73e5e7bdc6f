//! The identifier of a task in a path.

use super::Refused;
use crate::job::Refusal;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;

/// An identifier as it stands in the path. What it names, its tracker says.
pub(super) struct TaskPath(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for TaskPath {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        let identifier = Path::<String>::from_request_parts(parts, state).await;
        // What cannot be the identifier of a task is none.
        let identifier = identifier.map_err(|_| Refused::from(Refusal::NoSuchTask))?;
        Ok(Self(identifier.0))
    }
}
