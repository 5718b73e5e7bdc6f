//! Conversations beside the one that works, recorded from Codex 0.169.0: the terminal shows one of them at a time, and one
//! that it does not show asks.

use crate::{all_right, played, spans};
use std::path::Path;

#[test]
fn a_conversation_beside_it_ends_no_turn_and_hides_no_request() {
    // `/side`, and another one that was begun in the list of agents.
    let folders = ["side", "left"]
        .map(|case| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replay").join(case));
    let verdicts = played(&folders, &[]);
    all_right(&verdicts);
    assert_eq!(spans(&verdicts).count(), 17);
}
