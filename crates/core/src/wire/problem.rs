//! Errors over HTTP: RFC 9457 problem documents with a stable code.

use super::LocationDoc;
use crate::prompt::{Choice, Resolution};
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
    /// What is taken instead, where that is a closed set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<String>,
    /// How the prompt has ended already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub resolution: Option<Box<Resolution>>,
    /// What may be answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Choice>,
    /// The stage that the workflow is at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub from: Option<String>,
    /// The stages that it can go to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub legal: Option<Vec<String>>,
    /// Where its agent is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub location: Option<Box<LocationDoc>>,
    /// The prompt that is in the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub prompt_id: Option<String>,
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
            allowed: Vec::new(),
            resolution: None,
            options: Vec::new(),
            from: None,
            legal: None,
            location: None,
            prompt_id: None,
        }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn allowed(mut self, words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.allowed = words.into_iter().map(Into::into).collect();
        self
    }
}
