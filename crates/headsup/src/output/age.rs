//! How long ago, by this machine's clock.

use headsup_core::time::UnixMs;
pub(crate) use headsup_core::words::age::{short, since};

/// This moment on this machine's clock.
pub(crate) fn now() -> UnixMs {
    UnixMs(jiff::Timestamp::now().as_millisecond())
}
