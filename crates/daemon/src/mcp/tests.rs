//! The server over its own line, before a hub that says what it is told to.

mod elicit;
mod ends;
mod golden;
mod line;
mod protocol;
