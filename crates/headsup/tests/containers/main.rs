//! Agents in containers: real pid namespaces, real hooks and a real hub, and an engine that speaks
//! Docker's API and runs nothing. Where the machine lets nobody make namespaces the tests say so.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail")]

mod engine;
mod memory;
mod rig;
mod seen;
