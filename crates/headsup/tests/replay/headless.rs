//! Runs without a terminal: their output, which `headsup run` reads, beside hooks, status files and logs.

use crate::{all_right, codex, played, recordings, spans};
use headsup_testkit::replay::Witness;

#[test]
fn runs_without_a_terminal_are_told_right() {
    let folders = [
        recordings().join("print_mode"),
        recordings().join("sdk_stream_json"),
        codex().join("exec_mode"),
    ];
    let verdicts = played(&folders, &[]);
    all_right(&verdicts);
    assert_eq!(spans(&verdicts).count(), 39);
}

/// Also where no hook is installed: what it writes is enough.
#[test]
fn their_output_alone_tells_the_truth() {
    use Witness::{Hooks, Output, Registry, Transcript};
    let folders = [recordings().join("sdk_stream_json"), codex().join("exec_mode")];
    let verdicts = played(&folders, &[Hooks, Registry, Transcript]);
    all_right(&verdicts);
    let silent = played(&folders[..1], &[Hooks, Registry, Transcript, Output]);
    assert!(silent[0].right() < silent[0].spans.len(), "{silent:#?}");
}
