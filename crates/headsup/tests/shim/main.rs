//! `headsup run` between an agent and a terminal: real processes in terminals of the test's own.

#![expect(clippy::unwrap_used, reason = "a test may fail")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

mod background;
mod bytes;
mod control;
mod hung;
mod left;
mod panes;
mod programs;
mod rig;
mod ssh;
mod sshd;
mod status;
