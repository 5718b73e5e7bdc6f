//! `headsup acp` between a client, which is the test, and an agent, which is a shell; and headless
//! runs that `headsup run` reads along.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod anew;
mod bytes;
mod control;
mod hubless;
mod rig;
mod status;
mod stream;
