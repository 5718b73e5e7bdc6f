//! The catalogue of bad inputs, one table for each way in, through the real program: every row has
//! its sort, what comes in, and what must come of it. After each row the hub answers, the roster
//! is as expected and the typed code is counted.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod api;
mod catalogue;
mod files;
mod hooks;
mod identity;
mod logs;
mod mute;
mod order;
mod questions;
mod rig;
mod sockets;
mod tools;
mod webhooks;
