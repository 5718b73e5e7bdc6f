//! The promise that a hook never delays or breaks its agent, against the real binary.
//!
//! Whether it keeps to its milliseconds is measured elsewhere. Here a hook that hangs fails, and
//! whatever a busy machine may do to a hook in time (its report goes to the spool) is tried again.
#![expect(clippy::unwrap_used, reason = "tests")]

mod conditions;
mod delivery;
mod front;
mod handover;
mod hub;
mod instructions;
mod rig;
mod spool;
