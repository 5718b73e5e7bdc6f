//! What a path names by a text of its own: a task, a pull request, something to be done elsewhere.

use super::Refused;
use crate::job::Refusal;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;

/// The identifier of a task as it stands in the path. What it names, its tracker says.
pub(super) struct TaskPath(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for TaskPath {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        text(parts, state, Refusal::NoSuchTask).await.map(Self)
    }
}

/// The id of a pull request, a UUID as the hub writes it: one in capital letters is the same.
pub(super) struct PullPath(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for PullPath {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        let id = text(parts, state, Refusal::NoSuchPull).await?;
        Ok(Self(id.to_ascii_lowercase()))
    }
}

/// The key of something to be done elsewhere.
pub(super) struct EffectPath(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for EffectPath {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        text(parts, state, Refusal::NoSuchEffect).await.map(Self)
    }
}

/// What cannot be a name (no UTF-8) names nothing.
async fn text<S: Send + Sync>(
    parts: &mut Parts,
    state: &S,
    nothing: Refusal,
) -> Result<String, Refused> {
    let named = Path::<String>::from_request_parts(parts, state).await;
    named.map(|Path(text)| text).map_err(|_| Refused::from(nothing))
}
