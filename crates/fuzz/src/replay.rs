//! A player of recordings, as far as it reads them, with the same places inside.

#[path = "../../testkit/src/replay/program.rs"]
mod program;
#[expect(dead_code, unreachable_pub, reason = "it is included for its parser alone")]
#[path = "../../testkit/src/replay/recording.rs"]
mod recording;

pub(crate) use recording::{Step, Witness, steps};
