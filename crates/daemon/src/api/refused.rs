//! A refusal: a problem document with a stable code, which is counted.

use crate::job::Refusal;
use crate::store::StoreError;
use axum::http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use headsup_core::wire::Problem;
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct Refused {
    code: &'static str,
    problem: Box<Problem>,
}

/// Travels with the response to where a person is told.
#[derive(Clone, Debug)]
pub(crate) struct Told(pub(crate) Arc<Problem>);

/// Travels with the response to where refusals are counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code(pub(crate) &'static str);

impl Refused {
    pub(crate) fn new(status: u16, code: &'static str, detail: impl Into<String>) -> Self {
        Self { code, problem: Box::new(Problem::new(status, code, detail)) }
    }

    pub(crate) fn hint(mut self, hint: &str) -> Self {
        self.problem.hint = Some(hint.to_owned());
        self
    }

    pub(crate) fn no_such_agent() -> Self {
        Self::new(404, "no_such_agent", Refusal::NoSuchAgent.to_string())
            .hint("GET /api/v1/agents?all=true lists all ids")
    }

    #[cfg(test)]
    pub(crate) fn code(&self) -> &'static str {
        self.code
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        let (status, code) = match refusal {
            Refusal::NoSuchAgent => return Self::no_such_agent(),
            Refusal::Running => {
                return Self::new(409, "agent_running", refusal.to_string())
                    .hint("end it first, or use force=true: it comes back at its next report");
            }
            Refusal::Taken => {
                return Self::new(409, "agent_exists", refusal.to_string())
                    .hint("take another id, or end that one first");
            }
            Refusal::IdConflict => (409, "id_conflict"),
            Refusal::StorageFull => (507, "storage_full"),
            Refusal::StorageFailed => (507, "storage_failed"),
            Refusal::Stopping => (503, "stopping"),
            Refusal::Defect => (500, "internal"),
        };
        Self::new(status, code, refusal.to_string())
    }
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, "the store cannot be read");
        Self::new(500, "storage_unreadable", "the store cannot be read")
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.problem.status);
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let json = serde_json::to_vec(&self.problem).unwrap_or_default();
        let headers = [(CONTENT_TYPE, "application/problem+json")];
        let mut response = (status, headers, json).into_response();
        if status == StatusCode::UNAUTHORIZED {
            let challenge = HeaderValue::from_static("Bearer realm=\"headsup\"");
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        response.extensions_mut().insert(Code(self.code));
        response.extensions_mut().insert(Told(Arc::from(self.problem)));
        response
    }
}
