//! One request and its answer, with what the host says of itself: how much it allows, what has changed.

use super::etags::Etags;
use super::says::{says, speaks_of_a_limit};
use super::{GitHubSettings, authorization};
use crate::outgoing::{Answer, Ask, Line, RemoteError, Secret};
use bytes::Bytes;
use headsup_adapters::text;
use hyper::Method;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Where a host allows no more and does not say until when.
const UNSAID: Duration = Duration::from_secs(60);
/// Nobody is left alone for longer.
const LONGEST: Duration = Duration::from_secs(3_600);
/// Entries of one page of a list.
pub(super) const PAGE: u32 = 100;

const NO_KEY: &str = "put a token into the settings: `token` of [github], or the environment variable that \
                      `token_variable` names; then restart the hub";

const RIGHTS: &str =
    "give the token the rights for this repository: issues and pull requests, to read and to write";

#[derive(Debug)]
pub(super) struct Client {
    line: Line,
    token: Option<Secret>,
    etags: Mutex<Etags>,
    /// It wants to hear nothing before then, and has said so.
    not_before: Mutex<Option<(Instant, String)>>,
}

impl Client {
    pub(super) fn new(settings: &GitHubSettings) -> Self {
        Self {
            line: Line::new(settings.api.clone(), settings.patience),
            token: settings.token.as_ref().and_then(authorization),
            etags: Mutex::default(),
            not_before: Mutex::default(),
        }
    }

    pub(super) fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// The document at `path`; `what` names it.
    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        what: &str,
    ) -> Result<T, RemoteError> {
        let etag = self.etags().etag(path);
        let headers = etag.map(|etag| ("if-none-match", etag)).into_iter().collect();
        let answer = self.ask(Method::GET, path, headers, None).await?;
        let body = match answer.status {
            304 => {
                let known = self.etags().body(path);
                // It was dropped meanwhile.
                known.ok_or_else(|| self.garbled("304 to a question without a condition"))?
            }
            200..=299 => {
                if let Some(etag) = answer.header("etag") {
                    self.etags().keep(path, etag, &answer.body);
                }
                answer.body
            }
            _ => return Err(self.refused(&answer, what)),
        };
        self.read(&body)
    }

    /// Has something changed; `what` names what it is done to.
    pub(super) async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &Value,
        what: &str,
    ) -> Result<T, RemoteError> {
        let body = Bytes::from(body.to_string());
        let answer = self.ask(method, path, Vec::new(), Some(body)).await?;
        match answer.status {
            200..=299 => self.read(&answer.body),
            _ => Err(self.refused(&answer, what)),
        }
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        mut headers: Vec<(&'static str, String)>,
        body: Option<Bytes>,
    ) -> Result<Answer, RemoteError> {
        let Some(token) = &self.token else {
            return Err(RemoteError::NoKey { host: self.line.host(), hint: NO_KEY });
        };
        self.is_allowed()?;
        headers.push(("accept", "application/vnd.github+json".to_owned()));
        headers.push(("x-github-api-version", "2022-11-28".to_owned()));
        let secrets = vec![("authorization".to_owned(), token.clone())];
        self.line.ask(Ask { method, path, headers, secrets, body }).await
    }

    /// Whoever goes on asking when told to wait is locked out for longer.
    fn is_allowed(&self) -> Result<(), RemoteError> {
        let mut not_before = self.not_before.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        match &*not_before {
            None => Ok(()),
            Some((until, _)) if *until <= now => {
                *not_before = None;
                Ok(())
            }
            Some((until, says)) => {
                let (host, after, says) = (self.line.host(), *until - now, says.clone());
                Err(RemoteError::Limited { host, after, says })
            }
        }
    }

    fn read<T: DeserializeOwned>(&self, body: &[u8]) -> Result<T, RemoteError> {
        // An answer without a body is one that nobody looks into.
        let body = if body.is_empty() { b"null" } else { body };
        serde_json::from_slice(body).map_err(|error| self.garbled(&error.to_string()))
    }

    pub(super) fn garbled(&self, what: &str) -> RemoteError {
        let what = text::line(what, text::DETAIL);
        RemoteError::Garbled { host: self.line.host(), what }
    }

    fn refused(&self, answer: &Answer, what: &str) -> RemoteError {
        let (host, status) = (self.line.host(), answer.status);
        let says = says(&answer.body);
        let seconds = |name| answer.header(name).and_then(|text| text.trim().parse::<u64>().ok());
        let after = seconds("retry-after").map(Duration::from_secs);
        let is_spent = seconds("x-ratelimit-remaining") == Some(0);
        // Of what it allows in a minute it says no more than these words.
        let is_limit = || after.is_some() || is_spent || speaks_of_a_limit(&says);
        if status == 429 || (status == 403 && is_limit()) {
            let reset = seconds("x-ratelimit-reset").filter(|_| is_spent).map(until);
            let after = after.or(reset).unwrap_or(UNSAID).min(LONGEST);
            let mut not_before = self.not_before.lock().unwrap_or_else(PoisonError::into_inner);
            *not_before = Instant::now().checked_add(after).map(|until| (until, says.clone()));
            return RemoteError::Limited { host, after, says };
        }
        match status {
            401 => RemoteError::Unauthorized { host, says },
            403 => RemoteError::Forbidden { host, says, hint: RIGHTS },
            404 | 410 => RemoteError::NotFound { host, what: what.to_owned() },
            500..=599 => RemoteError::Down { host, status, says, after },
            _ => RemoteError::Refused { host, status, says },
        }
    }

    fn etags(&self) -> MutexGuard<'_, Etags> {
        self.etags.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long it is until a moment in seconds since 1970.
fn until(reset: u64) -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Duration::from_secs(reset).saturating_sub(now).max(Duration::from_secs(1))
}
