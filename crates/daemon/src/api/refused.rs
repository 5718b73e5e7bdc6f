//! A refusal: a problem document with a stable code, which is counted.

use crate::job::Refusal;
use crate::store::StoreError;
use axum::http::header::{ALLOW, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use headsup_core::prompt::answer::BadAnswer;
use headsup_core::wire::Problem;
use headsup_core::workflow::{self, Stage};
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct Refused {
    code: &'static str,
    problem: Box<Problem>,
    /// Of a method that is not served: those that are. The router tells them itself, where it refuses one.
    methods: Option<&'static str>,
}

/// Travels with the response to where a person is told.
#[derive(Clone, Debug)]
pub(crate) struct Told(pub(crate) Arc<Problem>);

/// Travels with the response to where refusals are counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code(pub(crate) &'static str);

impl Refused {
    pub(crate) fn new(status: u16, code: &'static str, detail: impl Into<String>) -> Self {
        Self { code, problem: Box::new(Problem::new(status, code, detail)), methods: None }
    }

    /// Another method than these is not served here.
    pub(crate) fn wrong_method(methods: &'static str, detail: &str) -> Self {
        Self { methods: Some(methods), ..Self::new(405, "method_not_allowed", detail) }
    }

    pub(crate) fn hint(mut self, hint: &str) -> Self {
        self.problem.hint = Some(hint.to_owned());
        self
    }

    /// With what this refusal alone can tell.
    pub(crate) fn with(mut self, add: impl FnOnce(&mut Problem)) -> Self {
        add(&mut self.problem);
        self
    }

    /// The closed set that a word was not in.
    pub(crate) fn allowed(mut self, words: impl IntoIterator<Item = &'static str>) -> Self {
        *self.problem = self.problem.allowed(words);
        self
    }

    pub(crate) fn no_such_agent() -> Self {
        Self::new(404, "no_such_agent", Refusal::NoSuchAgent.to_string())
            .hint("GET /api/v1/agents?all=true lists all ids")
    }

    /// The code and the sentence.
    pub(crate) fn said(&self) -> (String, String) {
        (self.code.to_owned(), self.problem.detail.clone())
    }

    #[cfg(test)]
    pub(crate) fn code(&self) -> &'static str {
        self.code
    }

    #[cfg(test)]
    pub(crate) fn problem(&self) -> &Problem {
        &self.problem
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        let (status, code) = match refusal {
            Refusal::NoSuchAgent => return Self::no_such_agent(),
            Refusal::NoSuchTask => {
                return Self::new(404, "no_such_task", refusal.to_string())
                    .hint("GET /api/v1/tasks lists them");
            }
            Refusal::NoSuchPull => {
                return Self::new(404, "no_such_pr", refusal.to_string())
                    .hint("GET /api/v1/prs lists them");
            }
            Refusal::NoSuchEffect => {
                return Self::new(404, "no_such_effect", refusal.to_string())
                    .hint("`headsup outbox` lists them");
            }
            Refusal::EffectNotOver => (409, "effect_not_over"),
            Refusal::Unfit(unfit) => {
                return Self::new(409, unfit.code(), refusal.to_string()).hint(unfit.hint());
            }
            Refusal::NotReady => {
                return Self::new(409, "agent_changed", refusal.to_string())
                    .hint("look at it, and try again")
                    .with(|problem| problem.retryable = true);
            }
            Refusal::PullFinal => (409, "pr_final"),
            Refusal::NoTask => {
                return Self::new(409, "no_task", refusal.to_string())
                    .hint("link one first: PUT /api/v1/agents/{id}/task, `headsup task link`");
            }
            Refusal::IllegalStage { from, by, .. } => {
                let legal = workflow::legal(from, by);
                return Self::new(409, "illegal_stage", refusal.to_string())
                    .hint("report the stage that lies between first")
                    .allowed(legal.into_iter().map(Stage::word));
            }
            Refusal::Running => {
                return Self::new(409, "agent_running", refusal.to_string())
                    .hint("end it first, or use force=true: it comes back at its next report");
            }
            Refusal::Taken => {
                return Self::new(409, "agent_exists", refusal.to_string())
                    .hint("take another id, or end that one; if it never came up, wait 15 s");
            }
            Refusal::PutAway => {
                return Self::new(409, "agent_suspended", refusal.to_string()).hint(
                    "`headsup resume` takes it up again; to give it up, `headsup forget` it first; or take another id",
                );
            }
            Refusal::NameTaken => {
                return Self::new(409, "name_taken", refusal.to_string())
                    .hint("name that one by its id, or take another id");
            }
            Refusal::NoSuchPrompt => {
                return Self::new(404, "no_such_prompt", refusal.to_string())
                    .hint("GET /api/v1/prompts lists what is open");
            }
            Refusal::AlreadyResolved => (409, "already_resolved"),
            Refusal::TerminalOnly => (409, "terminal_only"),
            Refusal::BadAnswer(BadAnswer::Empty) => (400, "bad_answer"),
            Refusal::BadAnswer(_) => (422, "invalid_option"),
            Refusal::TooManyPrompts => {
                return Self::new(409, "too_many_prompts", refusal.to_string())
                    .hint("ask less at once, or take questions back")
                    .with(|problem| problem.retryable = true);
            }
            Refusal::OpenQuestion => (409, "open_question"),
            Refusal::IdConflict => (409, "id_conflict"),
            Refusal::Unreadable => {
                return Self::new(500, "storage_unreadable", refusal.to_string())
                    .hint("hub.log in the state folder names it; all others can be read");
            }
            Refusal::StorageFull => (507, "storage_full"),
            Refusal::StorageFailed => (507, "storage_failed"),
            Refusal::StorageLocked => {
                return Self::new(507, "storage_locked", refusal.to_string())
                    .hint("whoever has headsup.db open beside the hub is to let go of it");
            }
            Refusal::StorageDamaged => {
                return Self::new(507, "storage_damaged", refusal.to_string()).hint(
                    "the hub starts again by itself and goes on with what can be read of it; where it does not: \
                     `headsup down`, then `headsup up`",
                );
            }
            Refusal::Unflushed => {
                return Self::new(507, "not_flushed", refusal.to_string()).hint(
                    "send it again under the same X-Headsup-Id: without it, it would be done twice",
                );
            }
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
        if let Some(methods) = self.methods {
            // A 405 names those that there are (RFC 9110, section 15.5.6).
            response.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
        }
        response.extensions_mut().insert(Code(self.code));
        response.extensions_mut().insert(Told(Arc::from(self.problem)));
        response
    }
}
