//! Why another system did not do it, or why nobody knows.

use crate::api::Refused;
use crate::effects::DeliveryError;
use headsup_core::words::age::short;
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RemoteError {
    /// `hint`: where it is set.
    #[error("no token for {host} is set")]
    NoKey { host: String, hint: &'static str },
    #[error("{host} cannot be reached: {why}")]
    Unreachable { host: String, why: String },
    #[error("{host} gave no answer within {seconds} s")]
    Silent { host: String, seconds: u64 },
    #[error("{host} broke the connection off before its answer: {why}")]
    Broken { host: String, why: String },
    #[error("{host} answers more than {0} MiB", .most >> 20)]
    TooLong { host: String, most: usize },
    #[error("{host} points to another address: {to}")]
    Moved { host: String, to: String },
    #[error("{host} does not take the token{}", behind(.says))]
    Unauthorized { host: String, says: String },
    #[error("{host} does not allow it{}", behind(.says))]
    Forbidden { host: String, says: String, hint: &'static str },
    #[error("{host} knows no {what}")]
    NotFound { host: String, what: String },
    #[error("{host} allows no more requests for {}{}", time(*.after), behind(.says))]
    Limited { host: String, after: Duration, says: String },
    #[error("{host} refused it ({status}){}", behind(.says))]
    Refused { host: String, status: u16, says: String },
    #[error("{host} has a defect or is down ({status}){}", behind(.says))]
    Down { host: String, status: u16, says: String, after: Option<Duration> },
    #[error("{host} answers something that this version does not understand: {what}")]
    Garbled { host: String, what: String },
}

/// What it says itself, where it says anything.
fn behind(says: &str) -> String {
    if says.is_empty() { String::new() } else { format!(": {says}") }
}

/// At least a second, in words.
fn time(after: Duration) -> String {
    let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
    short(i64::try_from(seconds.max(1) * 1_000).unwrap_or(i64::MAX))
}

impl RemoteError {
    /// It may go well another time, with nothing changed here.
    pub(crate) fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. }
                | Self::Silent { .. }
                | Self::Broken { .. }
                | Self::Limited { .. }
                | Self::Down { .. }
                | Self::Garbled { .. }
        )
    }

    /// Nobody knows whether it was done.
    pub(crate) fn may_have_happened(&self) -> bool {
        matches!(
            self,
            Self::Silent { .. }
                | Self::Broken { .. }
                | Self::TooLong { .. }
                | Self::Down { .. }
                | Self::Garbled { .. }
        )
    }

    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Limited { after, .. } => Some(*after),
            Self::Down { after, .. } => *after,
            _ => None,
        }
    }

    /// The status and the code of our own answer.
    fn code(&self) -> (u16, &'static str) {
        match self {
            Self::NoKey { .. } => (409, "no_key"),
            Self::Unreachable { .. } => (502, "remote_unreachable"),
            Self::Silent { .. } => (504, "remote_silent"),
            Self::Broken { .. } => (502, "remote_broke_off"),
            Self::TooLong { .. } | Self::Garbled { .. } => (502, "remote_not_understood"),
            Self::Moved { .. } => (502, "remote_moved"),
            Self::Unauthorized { .. } => (409, "remote_unauthorized"),
            Self::Forbidden { .. } => (403, "remote_forbidden"),
            Self::NotFound { .. } => (404, "remote_not_found"),
            Self::Limited { .. } => (429, "remote_rate_limited"),
            Self::Refused { .. } => (422, "remote_refused"),
            Self::Down { .. } => (502, "remote_down"),
        }
    }

    fn hint(&self) -> String {
        match self {
            Self::NoKey { hint, .. } => (*hint).to_owned(),
            Self::Unreachable { .. } => {
                "look whether the address in the settings is right and the network is there".into()
            }
            Self::Silent { .. } | Self::Broken { .. } => {
                "look whether it was done before you try again; the same request does it once"
                    .into()
            }
            Self::TooLong { .. } | Self::Garbled { .. } => {
                "look whether the address in the settings is that of the API".into()
            }
            Self::Moved { to, .. } => {
                format!("if that is right, write the new address or name into the settings: {to}")
            }
            Self::Unauthorized { .. } => {
                "make a new token, and put it where the settings say; then restart the hub".into()
            }
            Self::Forbidden { hint, .. } => (*hint).to_owned(),
            Self::NotFound { .. } => {
                "look at the name; a token without rights sees nothing there either".into()
            }
            Self::Limited { after, .. } => {
                format!("try again in {}; what is in the outbox goes out by itself", time(*after))
            }
            Self::Refused { .. } => "put right what it names, then try again".into(),
            Self::Down { .. } => "try again in a while".into(),
        }
    }
}

impl From<RemoteError> for Refused {
    fn from(error: RemoteError) -> Self {
        let (status, code) = error.code();
        let refused = Self::new(status, code, error.to_string()).hint(&error.hint());
        let retryable = error.is_retryable();
        refused.with(|problem| problem.retryable = retryable)
    }
}

impl From<RemoteError> for DeliveryError {
    fn from(error: RemoteError) -> Self {
        let why = match &error {
            // Nobody has to do anything: it is tried again by itself.
            RemoteError::Limited { .. } | RemoteError::Down { .. } => error.to_string(),
            error => format!("{error}: {}", error.hint()),
        };
        // What a person can put right, a person also tries again.
        Self { why, retry_after: error.retry_after(), permanent: !error.is_retryable() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_sent_back_too_soon() {
        for (ms, says) in [(0, "1s"), (300, "1s"), (59_100, "1m"), (60_000, "1m")] {
            let (host, after) = ("a.test".to_owned(), Duration::from_millis(ms));
            let limited = RemoteError::Limited { host, after, says: "slow down".to_owned() };
            assert!(limited.to_string().contains(&format!("for {says}:")), "{limited}");
            assert!(limited.hint().contains(&format!("in {says};")), "{}", limited.hint());
        }
    }

    #[test]
    fn a_system_that_says_nothing_leaves_no_open_end() {
        let (host, says) = ("a.test".to_owned(), String::new());
        let refused = RemoteError::Unauthorized { host: host.clone(), says: says.clone() };
        assert_eq!(refused.to_string(), "a.test does not take the token");
        let down = RemoteError::Down { host, status: 503, says, after: None };
        assert_eq!(down.to_string(), "a.test has a defect or is down (503)");
    }
}
