//! Agents in containers: real pid namespaces, real hooks and a real hub, and an engine that speaks
//! Docker's API and runs nothing. Where the machine lets nobody make namespaces the tests say so. And
//! Docker itself, where it is installed and the tests are run by root (`docker.rs`).

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test may fail, and says why it is skipped"
)]

mod docker;
mod dockerd;
mod engine;
mod memory;
mod rig;
mod seen;
