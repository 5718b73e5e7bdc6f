//! The id of a prompt in a path.

use super::Refused;
use crate::job::Refusal;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use headsup_core::id::AgentId;
use headsup_core::prompt;

/// An id as it stands in the path, and the agent that it is of.
pub(super) struct PromptPath {
    pub(super) id: String,
    pub(super) agent: AgentId,
}

impl<S: Send + Sync> FromRequestParts<S> for PromptPath {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        let id = Path::<String>::from_request_parts(parts, state).await;
        // What cannot be the id of a prompt is none.
        let id = id.map(|Path(id)| id).map_err(|_| Refused::from(Refusal::NoSuchPrompt))?;
        let agent = prompt::agent_of(&id).ok_or(Refusal::NoSuchPrompt)?;
        Ok(Self { id, agent })
    }
}
