//! What a person has set of a host.

use super::ANSWERED_WITHIN;
use crate::outgoing::{Base, Secret};
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitHubSettings {
    /// Of its API.
    pub api: Base,
    pub token: Option<Secret>,
    /// Labels of open issues that say where the work stands.
    pub in_progress: String,
    pub in_review: String,
    /// How long an answer may take.
    pub patience: Duration,
    /// A pull request that was looked at is not looked at again for so long.
    pub fresh_for: Duration,
}

impl GitHubSettings {
    /// The public host.
    pub fn public(token: Option<Secret>) -> Self {
        Self::new(Base::public("api.github.com"), token)
    }

    pub fn new(api: Base, token: Option<Secret>) -> Self {
        Self {
            api,
            token,
            in_progress: "in progress".to_owned(),
            in_review: "in review".to_owned(),
            patience: ANSWERED_WITHIN,
            fresh_for: Duration::from_secs(5),
        }
    }

    /// Where the addresses of its pages begin.
    pub(crate) fn pages(&self) -> String {
        let is_tls = self.api.to_string().starts_with("https:");
        format!("{}://{}/", if is_tls { "https" } else { "http" }, self.web())
    }

    /// The host of its pages: the public one's API has a host of its own.
    pub(super) fn web(&self) -> String {
        let authority = self.api.authority();
        authority
            .strip_prefix("api.")
            .filter(|web| *web == "github.com")
            .unwrap_or(&authority)
            .to_owned()
    }
}
