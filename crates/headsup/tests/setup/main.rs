//! Setting agents up, as people do it: real processes on a home of their own.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail")]

mod doctor;
mod fixtures;
mod install;
mod refuse;
mod run;
