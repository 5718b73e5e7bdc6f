//! Each rule of the gate, by name.

mod script;

mod blocked;
mod compaction;
mod failures;
mod inputs;
mod levels;
mod lifecycle;
mod notices;
mod process;
mod rules;
mod screen;
mod sessions;
mod turns;
