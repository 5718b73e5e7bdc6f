//! The hub's page in a real Chromium.
//!
//! `HEADSUP_PICTURES=FOLDER cargo test -p headsup --test board pictures` keeps what it
//! looks like.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod attack;
mod hostile;
mod inbox;
mod keyboard;
mod link;
mod live;
mod looks;
mod rig;
