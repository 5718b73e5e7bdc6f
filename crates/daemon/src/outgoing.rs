//! The one door for requests to other systems. Nobody is called whom the settings do not name: where a
//! redirect points to is told, and not followed.

mod base;
mod deadline;
mod encode;
mod error;
mod line;
pub mod names;
mod secret;
pub mod tls;
mod tls_error;

pub use base::Base;
pub(crate) use deadline::{ANSWERED_WITHIN, left, left_for_acts, within};
pub(crate) use encode::encode;
pub(crate) use error::RemoteError;
pub(crate) use line::{Answer, Ask, Line};
pub use secret::Secret;
pub use tls_error::TlsError;
