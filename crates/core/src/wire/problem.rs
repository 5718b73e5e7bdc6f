//! Errors over HTTP: RFC 9457 problem documents with a stable code.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Problem {
    #[serde(rename = "type")]
    pub kind: String,
    pub title: String,
    pub status: u16,
    /// Stable; scripts may rely on it.
    pub code: String,
    pub detail: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub hint: Option<String>,
    pub retryable: bool,
}

impl Problem {
    /// `code` is the stable word, `detail` says what was wrong with this request.
    pub fn new(status: u16, code: &str, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("urn:headsup:problem:{code}"),
            title: code.replace('_', " "),
            status,
            code: code.to_owned(),
            detail: detail.into(),
            hint: None,
            retryable: matches!(status, 408 | 429 | 503 | 507),
        }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
