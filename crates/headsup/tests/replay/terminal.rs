//! What the program says of itself to its terminal, as the shim of `headsup run` reports it.

use crate::tape::Tape;
use crate::{all_right, codex, played, spans};
use headsup_testkit::replay::Witness;
use std::path::PathBuf;

/// As `headsup run` starts it.
fn launched(case: &str) -> Tape {
    let mut tape = Tape::of(case);
    tape.rows[0]["by"] = "run".into();
    tape
}

#[test]
fn it_tells_the_truth_alone_and_can_be_silenced() {
    use Witness::{Hooks, Registry, Screen, Terminal, Transcript};
    let temp = tempfile::tempdir().unwrap();
    // A goodbye is not said there: none of them has an end.
    let cases = ["interrupt", "permission_denied", "question", "api_errors", "trust_dialog"];
    let save = |case: &&str| launched(case).save(temp.path().join(case), "");
    let folders: Vec<PathBuf> = cases.iter().map(save).collect();
    let others = [Hooks, Registry, Transcript, Screen];
    let verdicts = played(&folders, &others);
    all_right(&verdicts);
    assert!(spans(&verdicts).count() > 20);
    // Nobody else has told of any turn.
    let silent = played(&folders[..1], &[&others[..], &[Terminal]].concat());
    assert!(spans(&silent).all(|span| !span.right), "{silent:#?}");
}

/// Where the agent was not started by us, too: the seat is that of its process. No hook tells of Esc
/// and of a denial.
#[test]
fn it_tells_what_hooks_do_not_tell() {
    use Witness::{Registry, Terminal, Transcript};
    let folders = ["interrupt", "permission_denied"].map(|case| crate::recordings().join(case));
    all_right(&played(&folders, &[Registry, Transcript]));
    let silent = played(&folders, &[Registry, Transcript, Terminal]);
    assert!(silent.iter().all(|verdict| verdict.right() < verdict.spans.len()), "{silent:#?}");
}

/// Codex says all of it unasked, also where nobody has trusted the hooks.
#[test]
fn codex_tells_the_truth_there_alone() {
    use Witness::{Hooks, Terminal, Transcript};
    // None of them has an end.
    let cases = ["interrupt", "question", "permission_approved", "api_errors", "compact"];
    let folders = cases.map(|case| codex().join(case));
    all_right(&played(&folders, &[Hooks, Transcript]));
    let silent = played(&folders[..1], &[Hooks, Transcript, Terminal]);
    assert!(silent[0].right() < silent[0].spans.len(), "{silent:#?}");
}

/// Without its terminal no hook tells of a turn that ends by an error: its log does.
#[test]
fn the_log_of_codex_tells_what_its_hooks_do_not_tell() {
    use Witness::{Terminal, Transcript};
    let folders = [codex().join("api_errors")];
    all_right(&played(&folders, &[Terminal]));
    let silent = played(&folders, &[Terminal, Transcript]);
    assert!(silent[0].right() < silent[0].spans.len(), "{silent:#?}");
}
