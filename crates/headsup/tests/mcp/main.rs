//! `headsup mcp` as an agent runs it: a child process on pipes, before a real hub.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod edited;
mod installed;
mod line;
mod served;
