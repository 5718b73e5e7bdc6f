//! Who carries effects to another system.

use super::Effect;
use futures_util::future::BoxFuture;
use headsup_core::work::task::TaskStatus;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// What has come of an effect, as the other system calls it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Delivered {
    pub(crate) id: String,
    pub(crate) url: Option<String>,
}

/// Why it was not done, or why nobody knows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub(crate) struct DeliveryError {
    /// In words for people, with what to do.
    pub(crate) why: String,
    /// Nothing is to be sent to this system before then.
    pub(crate) retry_after: Option<Duration>,
    /// It will never go well.
    pub(crate) permanent: bool,
}

impl DeliveryError {
    /// What can never be done: whoever wrote it down had a defect.
    pub(crate) fn never(what: &str) -> Self {
        Self { why: what.to_owned(), retry_after: None, permanent: true }
    }
}

impl Effect {
    /// The body of a kind whose body is JSON.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, DeliveryError> {
        let read = serde_json::from_str(&self.body);
        read.map_err(|_| DeliveryError::never("its body cannot be read"))
    }

    /// The body of a kind whose body is a task's status.
    pub(crate) fn status(&self) -> Result<TaskStatus, DeliveryError> {
        let status = TaskStatus::parse(&self.body);
        status.ok_or_else(|| DeliveryError::never("its body is no status"))
    }
}

pub(crate) type Sent<'a> = BoxFuture<'a, Result<Delivered, DeliveryError>>;
pub(crate) type Looked<'a> = BoxFuture<'a, Result<Option<Delivered>, DeliveryError>>;

pub(crate) trait Courier: Send + Sync + std::fmt::Debug {
    /// The system, as effects name it.
    fn provider(&self) -> &'static str;
    /// Why nothing can be sent there by the settings: `no_key`.
    fn closed(&self) -> Option<&'static str>;
    /// Does it. It has not been done before, as far as anybody knows.
    fn deliver<'a>(&'a self, effect: &'a Effect) -> Sent<'a>;
    /// Looks whether it was done.
    fn find<'a>(&'a self, effect: &'a Effect) -> Looked<'a>;
}
