//! The command line against a hub that says what the test tells it to.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod capture;
mod errors;
mod hub;
mod list;
mod pages;
mod question;
mod report;
mod rig;
mod stream;
mod wait;
