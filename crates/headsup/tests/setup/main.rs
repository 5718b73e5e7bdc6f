//! Setting agents up, as people do it: real processes on a home of their own.

#![expect(clippy::unwrap_used, reason = "a test may fail")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

mod accounts;
mod at_once;
mod codex;
mod config;
mod doctor;
mod edited;
mod every_kind;
mod fixtures;
mod forgotten;
mod homes;
mod hubless;
mod inside;
mod install;
mod launch_alone;
mod launch_tools;
mod layers;
mod lifecycle;
mod lost;
mod named;
mod others;
mod plugin_file;
mod refuse;
mod run;
mod shells;
mod survive;
mod version;
