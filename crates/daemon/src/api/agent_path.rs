//! The agent id in a path.

use super::Refused;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use headsup_core::id::AgentId;

/// An id as it stands in the path. Names and prefixes are the client's business.
pub(super) struct AgentPath(pub(super) AgentId);

impl<S: Send + Sync> FromRequestParts<S> for AgentPath {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        let id = Path::<String>::from_request_parts(parts, state).await;
        let id = id.ok().and_then(|Path(id)| AgentId::new(id).ok());
        let refused =
            || Refused::new(400, "bad_agent_id", headsup_core::id::BadAgentId.to_string());
        id.map(Self).ok_or_else(refused)
    }
}
