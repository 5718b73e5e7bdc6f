//! The one door for requests to other systems. Nobody is called whom the settings do not name: where a
//! redirect points to is told, and not followed.

mod base;
mod deadline;
mod error;
mod line;
pub mod names;
mod secret;
pub mod tls;
mod tls_error;

pub use base::Base;
pub(crate) use deadline::{ANSWERED_WITHIN, left, left_for_acts, within};
pub(crate) use error::RemoteError;
pub(crate) use line::{Answer, Ask, Line};
pub use secret::Secret;
pub use tls_error::TlsError;

use std::fmt::Write as _;

/// A text as it may stand in a path or a query.
pub(crate) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            write!(out, "%{byte:02X}").ok();
        }
    }
    out
}
