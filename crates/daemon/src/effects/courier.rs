//! Who carries effects to another system.

use super::Effect;
use futures_util::future::BoxFuture;
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
