//! Plays a recording of an agent program against a hub of its own, at recorded time.
//!
//! Everything takes its real way: hooks are run as `headsup hook` by a stand-in process for each
//! recorded one, status files and transcripts are written where the program would, what it said to
//! its terminal is reported as the shim does, and stand-ins end when and how the recording says. What the hub tells is compared with what was true.

mod bundle;
mod bus;
mod clock;
mod listener;
mod page;
mod player;
mod program;
mod proxy;
mod recording;
mod server;
mod shim;
mod silences;
mod stand_in;
mod terminal;
mod together;
mod verdict;

pub use bundle::{Said, is_bundle, is_empty_bundle, unpack};
pub use page::{group, page};
pub use player::{play, play_and};
pub use recording::{Step, Witness, steps};
pub use together::{play_together, takes};
pub use verdict::{Span, Verdict};
