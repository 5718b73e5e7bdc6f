//! Runs without a terminal: their hooks, status files and logs tell of them as well.

use crate::{codex, played, recordings, spans};

#[test]
fn runs_without_a_terminal_are_told_right_but_for_an_error_that_only_the_output_tells() {
    let folders = [
        recordings().join("print_mode"),
        recordings().join("sdk_stream_json"),
        codex().join("exec_mode"),
    ];
    let verdicts = played(&folders, &[]);
    let wrong = spans(&verdicts).filter(|span| !span.right);
    let wrong: Vec<_> = wrong.map(|span| (span.case.as_str(), span.t_ms)).collect();
    // What is written to the output there is not in the timeline (`claude_code/stream.rs` reads it).
    assert_eq!(wrong, [("print_mode", 8_780)]);
    assert_eq!(spans(&verdicts).count(), 39);
}
