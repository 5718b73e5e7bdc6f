//! What trackers tell by themselves: web hooks, signed by whoever knows the secret.

pub(crate) mod kanbanger;
mod settings;
mod signature;

pub use settings::{SharedSecret, WebhookSettings};
pub(crate) use signature::{Unsigned, check};
